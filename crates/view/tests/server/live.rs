//! A server that shows a running recording.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use traceloom_formats::{ReadOptions, read_bytes};
use traceloom_trace::Trace;
use traceloom_view::{LiveOptions, LiveStats, ServerOptions};

use crate::client::{Reply, Served, trace_with};

const META: &[u8] = br#"{"op":"meta"}"#;
const NOW: Duration = Duration::ZERO;

/// A server of a running recording, and the number of times that the recording was stopped.
fn recording() -> (Served, Arc<AtomicU32>) {
    let stops = Arc::new(AtomicU32::new(0));
    let counted = Arc::clone(&stops);
    let stats = LiveStats {
        events: 7,
        lost: 3,
        bytes: 100,
    };
    let server = Served::start(ServerOptions {
        live: Some(LiveOptions {
            stats: Arc::new(move || stats),
            stop: Arc::new(move || _ = counted.fetch_add(1, Ordering::SeqCst)),
        }),
        ..ServerOptions::default()
    });
    (server, stops)
}

/// A trace that begins at 2 s.
fn later() -> Trace {
    let text = " a-1 [000] ...1 2.0: tracing_mark_write: C|1|n|1\n";
    let text = format!("# tracer: nop\n#\n{text}");
    read_bytes(text.as_bytes(), ReadOptions::default()).unwrap()
}

fn meta(server: &Served, snapshot: u32) -> Reply {
    let path = format!("/api?snapshot={snapshot}");
    server.post(&path, "application/json", META)
}

fn news(server: &Served, path: &str) -> serde_json::Value {
    serde_json::from_slice(&server.get(path).body).unwrap()
}

#[test]
fn a_server_without_a_recording_has_nothing_to_stop() {
    let server = Served::with(trace_with("draw"));
    assert_eq!(server.get("/live").status, 404);
    assert_eq!(server.post("/stop", "text/plain", b"").status, 404);
    assert_eq!(meta(&server, 1).status, 410);
}

#[test]
fn only_the_servers_own_page_can_stop_a_recording() {
    let (server, stops) = recording();
    let post = |headers: &str| {
        let request =
            format!("POST /stop HTTP/1.1\n{headers}content-length: 0\nconnection: close\n\n");
        server.raw(&request, b"").status
    };
    assert_eq!(post("host: HOST\n"), 403);
    assert_eq!(post("host: HOST\nx-traceloom-token: wrong\n"), 403);
    assert_eq!(post("host: evil.example\nx-traceloom-token: TOKEN\n"), 403);
    assert_eq!(
        post("host: HOST\norigin: https://evil.example\nx-traceloom-token: TOKEN\n"),
        403
    );
    assert_eq!(server.get("/stop").status, 405);
    assert_eq!(stops.load(Ordering::SeqCst), 0);
    assert_eq!(
        post("host: HOST\norigin: http://HOST\nx-traceloom-token: TOKEN\n"),
        204
    );
    assert_eq!(stops.load(Ordering::SeqCst), 1);
}

#[test]
fn snapshots_are_made_when_a_page_wants_them() {
    let (server, _) = recording();
    assert!(server.handle.wait_until_wanted(NOW), "the first one");
    assert_eq!(news(&server, "/status")["state"], "loading");
    server.handle.show(trace_with("draw"));
    assert_eq!(news(&server, "/status")["snapshot"], 1);
    assert!(!server.handle.wait_until_wanted(NOW));
    let seen = news(&server, "/live");
    assert_eq!(seen["state"], "recording");
    assert_eq!(
        (&seen["events"], &seen["lost"], &seen["held_ns"]),
        (&7.into(), &3.into(), &100_000_000.into())
    );
    assert!(
        !server.handle.wait_until_wanted(NOW),
        "a status request does not ask for a snapshot"
    );
    news(&server, "/live?want_after=0");
    assert!(
        !server.handle.wait_until_wanted(NOW),
        "a newer snapshot exists"
    );
    news(&server, "/live?want_after=1");
    assert!(server.handle.wait_until_wanted(NOW));
}

#[test]
fn all_snapshots_use_the_time_origin_of_the_first() {
    let (server, _) = recording();
    server.handle.show(trace_with("draw"));
    server.handle.show(later());
    let (first, second) = (meta(&server, 1).json(), meta(&server, 2).json());
    assert_eq!(first["origin_ns"], "1500000000");
    assert_eq!(second["origin_ns"], "1500000000");
    assert_eq!(
        (&first["start_ns"], &first["duration_ns"]),
        (&0.0.into(), &1e8.into())
    );
    assert_eq!(second["start_ns"], 5e8);
    assert_eq!(server.ask(r#"{"op":"meta"}"#).json(), second);
    server.handle.show(trace_with("again"));
    assert_eq!(meta(&server, 1).status, 410);
    assert_eq!(meta(&server, 2).status, 200);
}

#[test]
fn the_complete_trace_replaces_the_snapshots() {
    let (server, _) = recording();
    server.handle.show(trace_with("draw"));
    server.handle.saving("Ended in the page.");
    assert!(!server.handle.is_recording());
    let saving = news(&server, "/live");
    assert_eq!(
        (&saving["state"], &saving["said"]),
        (&"saving".into(), &"Ended in the page.".into())
    );
    server.handle.recorded(later(), "Written.");
    assert_eq!(news(&server, "/live")["state"], "ended");
    let status = news(&server, "/status");
    assert_eq!(
        (&status["state"], &status["said"]),
        (&"ready".into(), &"Written.".into())
    );
    assert_eq!(meta(&server, 1).status, 410);
    assert_eq!(server.ask(r#"{"op":"meta"}"#).json()["start_ns"], 0.0);
}

#[test]
fn if_the_recording_fails_the_last_snapshot_stays() {
    let (server, _) = recording();
    server.handle.show(trace_with("draw"));
    server.handle.not_recorded("the disk is full", NOW);
    let seen = news(&server, "/live");
    assert_eq!(
        (&seen["state"], &seen["said"]),
        (&"failed".into(), &"the disk is full".into())
    );
    assert_eq!(meta(&server, 1).status, 200);
}
