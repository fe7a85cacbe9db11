//! `GET /`: the page, without any trace data.

use std::sync::{Arc, PoisonError};

use axum::extract::State as With;
use axum::http::{StatusCode, header};
use axum::response::{Html, IntoResponse, Response};

use super::state::State;
use crate::page::{Page, PageError, SERVER};
use crate::web::Web;

pub(crate) async fn page(With(state): With<Arc<State>>) -> Response {
    match made(&state) {
        Ok(page) => {
            let policy = [(header::CONTENT_SECURITY_POLICY, policy(&page))];
            (policy, Html(page.html.clone())).into_response()
        }
        Err(error) => (StatusCode::INTERNAL_SERVER_ERROR, format!("{error}\n")).into_response(),
    }
}

/// The page. If it comes from a folder, it is read again for each request.
fn made(state: &State) -> Result<Arc<Page>, PageError> {
    if let Web::Folder(_) = state.web {
        return Ok(Arc::new(Page::new(&state.web, SERVER)?));
    }
    let mut cached = state.page.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(page) = &*cached {
        return Ok(page.clone());
    }
    let page = Arc::new(Page::new(&state.web, SERVER)?);
    *cached = Some(page.clone());
    Ok(page)
}

fn policy(page: &Page) -> String {
    let Page {
        script_hash,
        style_hashes,
        ..
    } = page;
    format!(
        "default-src 'none'; script-src {script_hash}; style-src {style_hashes}; connect-src 'self'; \
        worker-src blob:; img-src data: blob:; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
    )
}
