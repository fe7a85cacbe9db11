//! `GET /`: the page. Nothing of a trace is in it; the page asks.

use std::sync::{Arc, PoisonError};

use axum::extract::State as With;
use axum::http::{StatusCode, header};
use axum::response::{Html, IntoResponse, Response};

use super::State;
use crate::assets::Web;
use crate::page::{Page, PageError, PageParts};

pub(crate) async fn page(With(state): With<Arc<State>>) -> Response {
    match made(&state) {
        Ok(page) => {
            let policy = [(header::CONTENT_SECURITY_POLICY, policy(&page))];
            (policy, Html(page.html.clone())).into_response()
        }
        Err(error) => (StatusCode::INTERNAL_SERVER_ERROR, format!("{error}\n")).into_response(),
    }
}

fn made(state: &State) -> Result<Arc<Page>, PageError> {
    if let Web::Folder(_) = state.web {
        return Ok(Arc::new(PageParts::from_web(&state.web)?.page("", "")?));
    }
    let mut kept = state.page.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(page) = &*kept {
        return Ok(page.clone());
    }
    let page = Arc::new(PageParts::new()?.page("", "")?);
    *kept = Some(page.clone());
    Ok(page)
}

fn policy(page: &Page) -> String {
    let Page {
        script_hash,
        style_hash,
        ..
    } = page;
    format!(
        "default-src 'none'; script-src {script_hash}; style-src {style_hash}; connect-src 'self'; \
        worker-src blob:; img-src data: blob:; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
    )
}
