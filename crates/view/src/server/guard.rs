//! Access control for every request: only this machine, under its own name, with the token.

use std::sync::Arc;

use axum::extract::{Request, State as With};
use axum::http::{HeaderMap, HeaderValue, StatusCode, Uri, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use super::connections::Peer;
use super::state::State;
use super::token::Token;

/// The header that carries the token of the page's own requests.
const TOKEN: &str = "x-traceloom-token";

/// Headers of every response. In a browser, responses other than the page are not allowed to do
/// anything.
const HEADERS: [(header::HeaderName, &str); 6] = [
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::REFERRER_POLICY, "no-referrer"),
    (header::CACHE_CONTROL, "no-store"),
    (
        header::HeaderName::from_static("cross-origin-opener-policy"),
        "same-origin",
    ),
    (
        header::HeaderName::from_static("cross-origin-resource-policy"),
        "same-origin",
    ),
    (
        header::CONTENT_SECURITY_POLICY,
        "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
    ),
];

/// Accepts or refuses a request, and sets the headers of the response.
pub(crate) async fn guard(With(state): With<Arc<State>>, request: Request, next: Next) -> Response {
    let refused = refusal(&state, request.headers(), request.uri());
    let mut response = match refused {
        Some(why) => (StatusCode::FORBIDDEN, why).into_response(),
        None => {
            if let Some(peer) = request.extensions().get::<Arc<Peer>>() {
                peer.trust();
            }
            next.run(request).await
        }
    };
    for (name, value) in HEADERS {
        let headers = response.headers_mut();
        headers
            .entry(name)
            .or_insert(HeaderValue::from_static(value));
    }
    response
}

fn refusal(state: &State, headers: &HeaderMap, uri: &Uri) -> Option<&'static str> {
    if !is_our_host(headers, state.port) {
        // Another site's domain may be pointed at this address. That site's scripts must be
        // refused.
        return Some("refused: the Host of the request is not this server\n");
    }
    if !is_our_origin(headers, state.port) {
        return Some("refused: the request comes from another site\n");
    }
    if !has_token(headers, uri, &state.token) {
        return Some(
            "refused: the token is missing or wrong; open the whole URL that traceloom printed\n",
        );
    }
    None
}

fn names(port: u16) -> [String; 3] {
    ["127.0.0.1", "localhost", "[::1]"].map(|name| format!("{name}:{port}"))
}

/// The only value of a header; `None` if there are several.
fn only(headers: &HeaderMap, name: header::HeaderName) -> Option<&str> {
    let mut values = headers.get_all(name).iter();
    match (values.next(), values.next()) {
        (Some(value), None) => value.to_str().ok(),
        _ => None,
    }
}

fn is_our_host(headers: &HeaderMap, port: u16) -> bool {
    let is_ours = |host: &str| {
        names(port)
            .iter()
            .any(|name| name.eq_ignore_ascii_case(host))
    };
    only(headers, header::HOST).is_some_and(is_ours)
}

fn is_our_origin(headers: &HeaderMap, port: u16) -> bool {
    let is_ours = |origin: &str| {
        let host = origin.strip_prefix("http://");
        host.is_some_and(|host| names(port).iter().any(|name| name == host))
    };
    !headers.contains_key(header::ORIGIN) || only(headers, header::ORIGIN).is_some_and(is_ours)
}

fn has_token(headers: &HeaderMap, uri: &Uri, token: &Token) -> bool {
    let header = headers.get(TOKEN).and_then(|value| value.to_str().ok());
    let offered = header.or_else(|| {
        let fields = uri.query()?.split('&');
        fields
            .filter_map(|field| field.strip_prefix("token="))
            .next()
    });
    offered.is_some_and(|offered| token.is(offered))
}
