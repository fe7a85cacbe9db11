//! `POST /query` runs SQL, `POST /query/complete` completes names, and `GET /query/history` lists earlier queries.

use std::sync::Arc;
use std::time::Instant;

use axum::Json;
use axum::body::to_bytes;
use axum::extract::{Query, Request, State as With};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::sync::OwnedMutexGuard;
use traceloom_engine::Engine;
use traceloom_query::{NameKind, Stop, advice};

use super::api::{Fields, engine, is_type, recording, wrong_type};
use super::recording::Recording;
use super::state::State;
use crate::query::{NAME, Opened, QueryOptions, Rows, SERVER_ROOM, failure};

/// The size limit of a query.
const QUERY_BYTES: usize = 1 << 20;
/// The maximum number of names offered.
const OFFERED: usize = 100;
/// The maximum number of queries sent from the history.
const REMEMBERED: usize = 200;

/// A query, or the text before the cursor.
#[derive(Deserialize)]
struct Asked {
    sql: String,
}

type Turn = OwnedMutexGuard<Option<Opened>>;

pub(crate) async fn run(
    With(state): With<Arc<State>>,
    Query(fields): Query<Fields>,
    request: Request,
) -> Response {
    let (sql, engine) = match asked(&state, &fields, request).await {
        Ok(asked) => asked,
        Err(refused) => return refused,
    };
    if let Some(history) = &state.query.history {
        history.add(&sql);
    }
    let origin = engine.origin_ns();
    let options = state.query.clone();
    let answer = with_session(&state, engine, move |opened| {
        let begun = Instant::now();
        opened.names = None;
        let mut rows = Rows::with_room(SERVER_ROOM);
        let ran = opened.session.run(NAME, &sql, &[], &mut rows);
        let mut answer = match ran {
            Ok(_) => with_notes(rows.finish(), &sql),
            Err(error) => failure(&error, &options),
        };
        answer["ms"] = json!(begun.elapsed().as_millis() as u64);
        answer["origin_ns"] = json!(origin.to_string());
        answer
    });
    answer.await
}

/// The answer, with advice on SQL that finds less than its author expects.
fn with_notes(mut answer: Value, sql: &str) -> Value {
    answer["notes"] = json!(advice(sql));
    answer
}

pub(crate) async fn complete(
    With(state): With<Arc<State>>,
    Query(fields): Query<Fields>,
    request: Request,
) -> Response {
    let (typed, engine) = match asked(&state, &fields, request).await {
        Ok(asked) => asked,
        Err(refused) => return refused,
    };
    let answer = with_session(&state, engine, move |opened| {
        let names = opened.names();
        let (start, names) = names.complete(&typed);
        let kind = |kind| match kind {
            NameKind::Column => "column",
            NameKind::Table => "table",
            NameKind::Function => "function",
            NameKind::Module => "module",
        };
        let offered = names.iter().take(OFFERED);
        let offered: Vec<Value> = offered.map(|(of, name)| json!([name, kind(*of)])).collect();
        // The page counts in UTF-16.
        let begun = typed[start..].encode_utf16().count();
        json!({"begun": begun, "names": offered})
    });
    answer.await
}

pub(crate) async fn history(With(state): With<Arc<State>>) -> Response {
    let history = state.query.history.clone();
    let list = tokio::task::spawn_blocking(move || history.map(|history| history.list()));
    let mut list = list.await.ok().flatten().unwrap_or_default();
    let first = list.len().saturating_sub(REMEMBERED);
    Json(list.split_off(first)).into_response()
}

/// The SQL of a request, and the engine of its trace.
async fn asked(
    state: &State,
    fields: &Fields,
    request: Request,
) -> Result<(String, Arc<Engine>), Response> {
    if !is_type(request.headers(), "application/json") {
        return Err(wrong_type("application/json"));
    }
    let too_long = (StatusCode::PAYLOAD_TOO_LARGE, "a query has at most 1 MB\n");
    let body = to_bytes(request.into_body(), QUERY_BYTES).await;
    let body = body.map_err(|_| too_long.into_response())?;
    let wrong = (StatusCode::BAD_REQUEST, "expected {\"sql\": \"…\"}\n");
    let asked: Asked = serde_json::from_slice(&body).map_err(|_| wrong.into_response())?;
    let engine = engine(state, fields).await?;
    if recording(state, fields)
        .and_then(Recording::newest)
        .is_some()
    {
        let why = "queries are answered when the recording has ended\n";
        return Err((StatusCode::CONFLICT, why).into_response());
    }
    Ok((asked.sql, engine))
}

/// Does work with the session of a trace, on another thread. If the request is dropped, the running
/// query is stopped.
async fn with_session(
    state: &State,
    engine: Arc<Engine>,
    job: impl FnOnce(&mut Opened) -> Value + Send + 'static,
) -> Response {
    let turn = state.sessions.of(&engine).lock_owned().await;
    let broke = || (StatusCode::INTERNAL_SERVER_ERROR, "the query broke down\n").into_response();
    let options = state.query.clone();
    let opened = tokio::task::spawn_blocking(move || open(turn, &engine, &options));
    let (mut turn, stop) = match opened.await {
        Ok(Ok(opened)) => opened,
        Ok(Err(error)) => return Json(error).into_response(),
        Err(_) => return broke(),
    };
    stop.allow();
    let guard = StopOnDrop(Some(stop));
    let done = tokio::task::spawn_blocking(move || {
        let answer = turn.as_mut().map(job);
        (answer, turn)
    });
    let Ok((Some(answer), turn)) = done.await else {
        return broke();
    };
    // Otherwise dropping this guard would stop the next query.
    guard.disarm();
    drop(turn);
    Json(answer).into_response()
}

/// Opens the session, if it is not open yet.
fn open(mut turn: Turn, engine: &Engine, options: &QueryOptions) -> Result<(Turn, Stop), Value> {
    let opened = match turn.take() {
        Some(opened) => opened,
        None => Opened::new(engine, options.limits()).map_err(|error| failure(&error, options))?,
    };
    let stop = opened.stop();
    *turn = Some(opened);
    Ok((turn, stop))
}

/// Stops the query when the request is dropped.
struct StopOnDrop(Option<Stop>);

impl StopOnDrop {
    fn disarm(mut self) {
        self.0 = None;
    }
}

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        if let Some(stop) = &self.0 {
            stop.stop();
        }
    }
}
