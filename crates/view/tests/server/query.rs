//! SQL on the live server.

use std::io::Read;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use traceloom_view::{History, QueryOptions, ServerOptions};

use crate::client::{Reply, Served, trace_with};

const JSON: &str = "application/json";
/// Runs until it is stopped.
const ENDLESS: &str =
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n";

fn post(server: &Served, path: &str, sql: &str) -> Reply {
    let body = json!({"sql": sql}).to_string();
    server.post(path, JSON, body.as_bytes())
}

fn ask(server: &Served, sql: &str) -> Value {
    let reply = post(server, "/query?trace=0", sql);
    assert_eq!(reply.status, 200, "{sql}");
    serde_json::from_slice(&reply.body).unwrap()
}

fn with(query: QueryOptions) -> Served {
    let options = ServerOptions {
        query,
        ..ServerOptions::default()
    };
    let server = Served::start(options);
    server.handle.ready(trace_with("draw"));
    server
}

#[test]
fn a_query_needs_the_token_and_the_right_type() {
    let server = Served::with(trace_with("draw"));
    for path in ["/query", "/query/complete"] {
        let head = "content-type: application/json\ncontent-length: 18\nconnection: close\n\n";
        let body = b"{\"sql\":\"SELECT 1\"}";
        let stranger = server.raw(&format!("POST {path} HTTP/1.1\nhost: HOST\n{head}"), body);
        assert_eq!(stranger.status, 403, "{path}");
        let token = "x-traceloom-token: TOKEN\n";
        let site = "origin: http://evil.example\n";
        let other = format!("POST {path} HTTP/1.1\nhost: HOST\n{token}{site}{head}");
        assert_eq!(server.raw(&other, body).status, 403, "{path}");
        let form = server.post(path, "text/plain", body);
        assert_eq!(form.status, 415, "{path}");
        assert_eq!(server.post(path, JSON, b"{}").status, 400, "{path}");
    }
    let unknown = post(&server, "/query?trace=7", "SELECT 1");
    assert_eq!(unknown.status, 404);
}

#[test]
fn rows_keep_their_values_and_sessions_their_tables() {
    let server = Served::with(trace_with("draw"));
    let answer = ask(
        &server,
        "SELECT name, dur, 1.0 AS real, NULL, 1 << 60, x'00ff' FROM slice",
    );
    assert_eq!(answer["total"], 1);
    assert_eq!(
        answer["rows"],
        json!([["draw", 100_000_000, {"t": "1.0"}, null, {"t": "1152921504606846976"}, {"b": 2}]])
    );
    assert_eq!(answer["columns"][1], "dur");
    ask(&server, "CREATE PERFETTO TABLE kept AS SELECT 7 AS seven");
    assert_eq!(ask(&server, "SELECT seven FROM kept")["rows"], json!([[7]]));
    let offered = post(&server, "/query/complete", "SELECT seven FROM kep");
    let offered: Value = serde_json::from_slice(&offered.body).unwrap();
    assert_eq!(offered, json!({"begun": 3, "names": [["kept", "table"]]}));
}

#[test]
fn errors_have_their_place() {
    let server = Served::with(trace_with("draw"));
    let answer = ask(&server, "SELECT 1;\nSELECT nonsense FROM slice");
    assert_eq!(answer["error"], "no such column: nonsense");
    assert_eq!((&answer["line"], &answer["column"]), (&json!(2), &json!(8)));
    let answer = ask(&server, "SELECT 'ä' /* not closed");
    assert_eq!(
        (&answer["line"], &answer["column"]),
        (&json!(1), &json!(12))
    );
    assert_eq!(ask(&server, " ")["error"], "there is no SQL statement yet");
}

#[test]
fn rows_beyond_the_bound_are_counted() {
    let server = Served::with(trace_with("draw"));
    let numbers = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 60000) SELECT i FROM n";
    let answer = ask(&server, numbers);
    assert_eq!(answer["total"], 60_000);
    let rows = answer["rows"].as_array().unwrap();
    assert_eq!((rows.len(), &rows[49_999]), (50_000, &json!([50_000])));
    let long =
        "SELECT printf('%.*c', 9000000, 'x') FROM (SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3)";
    let answer = ask(&server, long);
    assert_eq!(answer["total"], 3);
    assert_eq!(answer["rows"].as_array().unwrap().len(), 1);
}

#[test]
fn a_query_ends_with_its_request_and_with_its_limits() {
    let server = with(QueryOptions {
        timeout: Duration::from_secs(3600),
        ..QueryOptions::default()
    });
    let body = json!({"sql": ENDLESS}).to_string();
    let length = body.len();
    let request = format!(
        "POST /query HTTP/1.1\nhost: HOST\nx-traceloom-token: TOKEN\ncontent-type: {JSON}\ncontent-length: {length}\n\n"
    );
    // Whether it has begun or still waits: closing the connection ends it, and the next one is answered.
    drop(server.begin(&request, body.as_bytes()));
    assert_eq!(ask(&server, "SELECT 5")["rows"], json!([[5]]));

    let server = with(QueryOptions {
        timeout: Duration::from_millis(50),
        ..QueryOptions::default()
    });
    let limit = "the query was stopped after 0.05 s; --query-timeout sets the limit";
    assert_eq!(ask(&server, ENDLESS)["error"], limit);
    assert_eq!(ask(&server, "SELECT 6")["rows"], json!([[6]]));
}

#[test]
fn two_queries_wait_for_each_other() {
    let server = with(QueryOptions {
        timeout: Duration::from_millis(200),
        ..QueryOptions::default()
    });
    let body = json!({"sql": ENDLESS}).to_string();
    let length = body.len();
    let request = format!(
        "POST /query HTTP/1.1\nhost: HOST\nx-traceloom-token: TOKEN\ncontent-type: {JSON}\ncontent-length: {length}\nconnection: close\n\n"
    );
    let mut first = server.begin(&request, body.as_bytes());
    assert_eq!(ask(&server, "SELECT 5")["rows"], json!([[5]]));
    let mut answer = String::new();
    first.read_to_string(&mut answer).unwrap();
    assert!(answer.contains("was stopped after 0.2 s"), "{answer}");
}

#[derive(Default)]
struct Kept(Mutex<Vec<String>>);

impl History for Kept {
    fn list(&self) -> Vec<String> {
        self.0.lock().unwrap().clone()
    }

    fn add(&self, sql: &str) {
        self.0.lock().unwrap().push(sql.to_owned());
    }
}

#[test]
fn queries_are_remembered() {
    let server = with(QueryOptions {
        history: Some(Arc::new(Kept::default())),
        ..QueryOptions::default()
    });
    ask(&server, "SELECT 1");
    ask(&server, "nonsense");
    let history: Value = serde_json::from_slice(&server.get("/query/history").body).unwrap();
    assert_eq!(history, json!(["SELECT 1", "nonsense"]));
}
