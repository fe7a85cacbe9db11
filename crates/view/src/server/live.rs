//! `GET /live` and `POST /stop`: the page follows a recording, and ends it.

use std::sync::Arc;

use axum::extract::{Query, State as With};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};

use super::state::State;

/// The fields of a request's query.
#[derive(Debug, serde::Deserialize)]
pub(crate) struct Fields {
    /// The number of the snapshot on the page, if the page requests a newer one.
    want_after: Option<u64>,
}

/// `GET /live`: the status of the recording.
pub(crate) async fn live(With(state): With<Arc<State>>, Query(fields): Query<Fields>) -> Response {
    match &state.recording {
        Some(recording) => axum::Json(recording.status(fields.want_after)).into_response(),
        None => not_recorded(),
    }
}

/// `POST /stop`: ends the recording.
pub(crate) async fn stop(With(state): With<Arc<State>>) -> Response {
    match &state.recording {
        Some(recording) => {
            recording.stop();
            StatusCode::NO_CONTENT.into_response()
        }
        None => not_recorded(),
    }
}

fn not_recorded() -> Response {
    (StatusCode::NOT_FOUND, "nothing is recorded here\n").into_response()
}
