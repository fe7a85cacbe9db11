//! `POST /api` passes a question to the engine and returns its answer; `GET /status` reports loading.

use std::io::{self, Write};
use std::sync::Arc;

use axum::body::{Body, to_bytes};
use axum::extract::{Query, Request, State as With};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::json;
use traceloom_engine::{Cancel, Engine, Frame};

use super::memory::trim;
use super::recording::Recording;
use super::state::State;
use super::traces::Slot;

/// The size limit of a question. The longest questions contain lists of names.
const QUESTION_BYTES: usize = 1 << 20;

/// Answers of at least this size are compressed. For such answers compression saves time,
/// especially through a tunnel from another machine.
const PACK_FROM_BYTES: usize = 64 << 10;

/// The fields of a request's query.
#[derive(Debug, serde::Deserialize)]
pub(crate) struct Fields {
    /// The number of the trace.
    #[serde(default)]
    trace: usize,
    /// The number of the snapshot, while the trace is recorded.
    snapshot: Option<u64>,
}

pub(crate) async fn not_found() -> Response {
    (StatusCode::NOT_FOUND, "there is nothing here\n").into_response()
}

/// `GET /status`: loading progress of a trace.
pub(crate) async fn status(
    With(state): With<Arc<State>>,
    Query(fields): Query<Fields>,
) -> Response {
    let recording = recording(&state, &fields);
    if let Some(newest) = recording.and_then(Recording::newest) {
        return axum::Json(json!({"state": "live", "snapshot": newest})).into_response();
    }
    let mut status = match state.traces.get(fields.trace) {
        None => return no_such_trace(fields.trace),
        Some(Slot::Loading { done, total }) => {
            json!({"state": "loading", "done": done, "total": total})
        }
        Some(Slot::Ready(_)) => json!({"state": "ready"}),
        Some(Slot::Failed(why)) => json!({"state": "failed", "error": &*why}),
    };
    if let Some(recording) = recording {
        status["recorded"] = recording.is_recording().into();
        status["said"] = recording.ended().into();
    }
    axum::Json(status).into_response()
}

pub(crate) async fn answer(
    With(state): With<Arc<State>>,
    Query(fields): Query<Fields>,
    request: Request,
) -> Response {
    if !is_type(request.headers(), "application/json") {
        return wrong_type("application/json");
    }
    let packs = accepts_gzip(request.headers());
    let Ok(question) = to_bytes(request.into_body(), QUESTION_BYTES).await else {
        let why = "the question is longer than 1 MB, or broke off\n";
        return (StatusCode::PAYLOAD_TOO_LARGE, why).into_response();
    };
    let engine = match engine(&state, &fields).await {
        Ok(engine) => engine,
        Err(response) => return response,
    };
    // The semaphore is closed only when the server has ended.
    let Ok(_permit) = state.workers.acquire().await else {
        return StatusCode::SERVICE_UNAVAILABLE.into_response();
    };
    let question = Vec::from(question);
    let shared = Arc::clone(&state);
    let answer = work(move |cancel| {
        let bytes = engine.answer(&question, cancel);
        trim(&shared);
        Answer::new(bytes, packs && !cancel.is_raised())
    });
    match answer.await {
        Some(answer) => answer.into_response(),
        None => {
            let why = "the engine broke down on this question\n";
            (StatusCode::INTERNAL_SERVER_ERROR, why).into_response()
        }
    }
}

/// The recording that a question refers to.
pub(crate) fn recording<'s>(state: &'s State, fields: &Fields) -> Option<&'s Recording> {
    state.recording.as_ref().filter(|_| fields.trace == 0)
}

/// The engine that answers: a snapshot's engine, or a trace's engine once the trace is loaded.
pub(crate) async fn engine(state: &State, fields: &Fields) -> Result<Arc<Engine>, Response> {
    let recording = recording(state, fields);
    let newest = recording.and_then(Recording::newest);
    if let Some(number) = fields.snapshot.or(newest) {
        let found = recording.and_then(|recording| recording.snapshot(number));
        let gone = (StatusCode::GONE, "this snapshot made room for newer ones\n");
        return found.ok_or_else(|| gone.into_response());
    }
    match state.traces.loaded(fields.trace).await {
        None => Err(no_such_trace(fields.trace)),
        Some(Err(why)) => Err(frame(Frame::new().with("error", &*why).finish())),
        Some(Ok(engine)) => Ok(engine),
    }
}

/// Runs work on another thread; `None` if it panicked. Dropping the future cancels the work, for
/// example if the page was closed or no longer needs the answer.
pub(crate) async fn work<T: Send + 'static>(
    job: impl FnOnce(&Cancel) -> T + Send + 'static,
) -> Option<T> {
    struct Guard(Cancel);
    impl Drop for Guard {
        fn drop(&mut self) {
            self.0.raise();
        }
    }
    let guard = Guard(Cancel::default());
    let cancel = guard.0.clone();
    tokio::task::spawn_blocking(move || job(&cancel)).await.ok()
}

/// A frame for the browser, possibly compressed.
struct Answer {
    bytes: Vec<u8>,
    packed: bool,
}

impl Answer {
    fn new(bytes: Vec<u8>, packs: bool) -> Self {
        let packed = (packs && bytes.len() >= PACK_FROM_BYTES).then(|| gzip(&bytes));
        match packed.and_then(Result::ok) {
            Some(bytes) => Self {
                bytes,
                packed: true,
            },
            None => Self {
                bytes,
                packed: false,
            },
        }
    }
}

impl IntoResponse for Answer {
    fn into_response(self) -> Response {
        let mut response = frame(self.bytes);
        if self.packed {
            let gzip = HeaderValue::from_static("gzip");
            response
                .headers_mut()
                .insert(header::CONTENT_ENCODING, gzip);
        }
        response
    }
}

fn gzip(bytes: &[u8]) -> io::Result<Vec<u8>> {
    let buffer = Vec::with_capacity(bytes.len() / 4);
    let mut out = GzEncoder::new(buffer, Compression::fast());
    out.write_all(bytes)?;
    out.finish()
}

fn accepts_gzip(headers: &HeaderMap) -> bool {
    let accepted = headers.get(header::ACCEPT_ENCODING);
    let accepted = accepted.and_then(|value| value.to_str().ok());
    accepted.is_some_and(|value| value.split(',').any(|coding| coding.trim() == "gzip"))
}

fn frame(bytes: Vec<u8>) -> Response {
    (
        [(header::CONTENT_TYPE, "application/octet-stream")],
        Body::from(bytes),
    )
        .into_response()
}

pub(crate) fn no_such_trace(number: usize) -> Response {
    (
        StatusCode::NOT_FOUND,
        format!("there is no trace {number}\n"),
    )
        .into_response()
}

/// Whether the body is of this type, whatever its parameters.
pub(crate) fn is_type(headers: &HeaderMap, wanted: &str) -> bool {
    let value = headers
        .get(header::CONTENT_TYPE)
        .and_then(|value| value.to_str().ok());
    let essence = value.and_then(|value| value.split(';').next());
    essence.is_some_and(|essence| essence.trim().eq_ignore_ascii_case(wanted))
}

pub(crate) fn wrong_type(wanted: &str) -> Response {
    let why = format!("a body of type {wanted} expected\n");
    (StatusCode::UNSUPPORTED_MEDIA_TYPE, why).into_response()
}
