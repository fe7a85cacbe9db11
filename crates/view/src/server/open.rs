//! `POST /open`: a file dropped on the page becomes another trace of this server.
//!
//! ```text
//! browser ──frames──► short channel ──joined to chunks──► reader registry ──► Engine
//!              the browser waits while the channel is full
//! ```

use std::sync::Arc;

use axum::body::{Body, Bytes};
use axum::extract::{Query, Request, State as With};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use http_body_util::BodyExt;
use serde_json::json;
use tokio::sync::mpsc;
use traceloom_engine::Engine;
use traceloom_formats::{AnyReader, ReadOptions, Reader, Target};
use traceloom_trace::{Trace, TraceBuilder};

use super::api::{is_type, wrong_type};
use super::memory::{TooMuch, check_room, make_room};
use super::state::State;
use super::traces::Slot;

/// The number of frames that may wait for the reader.
const WAITING: usize = 8;
/// Chunk size of the reader. It is large enough for readers that work in parallel.
const PIECE_BYTES: usize = 4 << 20;
/// The maximum size of a refused file that is still received. Browsers read the answer only after
/// sending everything.
const REFUSED_BYTES: u64 = 1 << 30;
/// The limit for file names, characters.
const NAME_CHARS: usize = 255;

#[derive(Debug, serde::Deserialize)]
pub(crate) struct Fields {
    #[serde(default)]
    name: String,
}

/// A chunk of the file, or its end. A channel that closes without an end means a broken upload.
enum Piece {
    Bytes(Bytes),
    End,
}

/// The answer for a file that does not open.
struct Refused(StatusCode, String);

impl From<TooMuch> for Refused {
    fn from(why: TooMuch) -> Self {
        Self(StatusCode::INSUFFICIENT_STORAGE, why.to_string())
    }
}

pub(crate) async fn open(
    With(state): With<Arc<State>>,
    Query(fields): Query<Fields>,
    request: Request,
) -> Response {
    if !is_type(request.headers(), "application/octet-stream") {
        return wrong_type("application/octet-stream");
    }
    let opened = match admit(&state, request.headers()) {
        Ok(()) => read(&state, fields.name, request.into_body()).await,
        Err(refused) => {
            let mut body = request.into_body();
            drain(&mut body).await;
            Err(refused)
        }
    };
    match opened {
        Ok(number) => axum::Json(json!({ "trace": number })).into_response(),
        Err(Refused(status, why)) => (status, format!("{why}\n")).into_response(),
    }
}

/// Refuses a file whose declared size exceeds the memory limit.
fn admit(state: &State, headers: &HeaderMap) -> Result<(), Refused> {
    let length = headers.get(header::CONTENT_LENGTH);
    let length = length.and_then(|value| value.to_str().ok()?.parse::<u64>().ok());
    let limit = state.memory_limit;
    match length {
        Some(bytes) if bytes > limit => Err(Refused(
            StatusCode::PAYLOAD_TOO_LARGE,
            format!("the file has {bytes} bytes, and --memory-limit is {limit}"),
        )),
        _ => Ok(check_room(state)?),
    }
}

async fn read(state: &Arc<State>, name: String, mut body: Body) -> Result<usize, Refused> {
    let (to_reader, pieces) = mpsc::channel(WAITING);
    let reading = {
        let state = state.clone();
        let name = name.chars().take(NAME_CHARS).collect();
        tokio::task::spawn_blocking(move || consume(&state, name, pieces))
    };
    let mut taken = true;
    while let Some(frame) = body.frame().await {
        let broke_off = |_| Refused(StatusCode::BAD_REQUEST, "the file broke off".to_owned());
        let Ok(bytes) = frame.map_err(broke_off)?.into_data() else {
            continue;
        };
        taken = to_reader.send(Piece::Bytes(bytes)).await.is_ok();
        if !taken {
            drain(&mut body).await;
            break;
        }
    }
    if taken {
        // If the reader failed on the last chunk, it reports the reason below.
        drop(to_reader.send(Piece::End).await);
    }
    drop(to_reader);
    let broke_down = |_| {
        Refused(
            StatusCode::INTERNAL_SERVER_ERROR,
            "the reader broke down".to_owned(),
        )
    };
    let trace = reading.await.map_err(broke_down)??;
    make_room(state);
    let number = state.traces.add();
    state
        .traces
        .set(number, Slot::Ready(Arc::new(Engine::new(trace))));
    Ok(number)
}

/// Receives the rest of a refused file.
async fn drain(body: &mut Body) {
    let mut bytes = 0;
    while let Some(Ok(frame)) = body.frame().await {
        bytes += frame.data_ref().map_or(0, |data| data.len() as u64);
        if bytes > REFUSED_BYTES {
            return;
        }
    }
}

/// Reads the chunks into a trace, on a thread that does not belong to the server.
fn consume(
    state: &State,
    name: String,
    mut pieces: mpsc::Receiver<Piece>,
) -> Result<Trace, Refused> {
    let no_trace = |error: traceloom_formats::ReadError| {
        Refused(StatusCode::UNPROCESSABLE_ENTITY, error.to_string())
    };
    let mut builder = TraceBuilder::new();
    let mut target = Target::Trace(&mut builder);
    let mut reader = AnyReader::new(ReadOptions {
        name,
        ..state.read.clone()
    });
    let mut piece = Vec::new();
    loop {
        match pieces.blocking_recv() {
            Some(Piece::Bytes(bytes)) => piece.extend_from_slice(&bytes),
            Some(Piece::End) => break,
            None => {
                return Err(Refused(
                    StatusCode::BAD_REQUEST,
                    "the file broke off".to_owned(),
                ));
            }
        }
        if piece.len() >= PIECE_BYTES {
            reader.feed(&piece, &mut target).map_err(no_trace)?;
            piece.clear();
            check_room(state)?;
        }
    }
    reader.feed(&piece, &mut target).map_err(no_trace)?;
    drop(piece);
    reader.finish(&mut target).map_err(no_trace)?;
    let trace = (state.finish)(builder.finish());
    let trace = trace.map_err(|why| Refused(StatusCode::UNPROCESSABLE_ENTITY, why))?;
    check_room(state)?;
    Ok(trace)
}
