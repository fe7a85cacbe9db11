//! The live server, as seen from the network.

mod client;
mod live;
#[cfg(feature = "query")]
mod query;

use std::net::{Shutdown, TcpStream};
use std::sync::Arc;
use std::time::Instant;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use client::{Served, text_with, trace_with};
use sha2::{Digest, Sha256};
use traceloom_view::ServerOptions;

const META: &str = r#"{"op":"meta"}"#;
const OCTETS: &str = "application/octet-stream";

/// The status of `GET path` with these header lines.
fn status(server: &Served, path: &str, headers: &str) -> u16 {
    let request = format!("GET {path} HTTP/1.1\n{headers}connection: close\n\n");
    server.raw(&request, b"").status
}

#[test]
fn every_request_needs_the_token() {
    let server = Served::with(trace_with("draw"));
    let status =
        |path: &str, headers: &str| status(&server, path, &format!("host: HOST\n{headers}"));
    assert_eq!(status("/", ""), 403);
    assert_eq!(status("/?token=TOKEN", ""), 200);
    assert_eq!(status("/?trace=0&token=TOKEN", ""), 200);
    assert_eq!(status("/", "x-traceloom-token: TOKEN\n"), 200);
    assert_eq!(status("/?token=", ""), 403);
    assert_eq!(status("/?token=TOKEN0", ""), 403);
    assert_eq!(status(&format!("/?token={}", &server.token[1..]), ""), 403);
    assert_eq!(status("/?token=TOKEN", "x-traceloom-token: wrong\n"), 403);
    // Without the token, even a missing path is not reported as missing.
    assert_eq!(status("/nothing", ""), 403);
    assert_eq!(status("/status", ""), 403);
}

#[test]
fn each_server_has_its_own_token() {
    let servers = [(); 2].map(|()| Served::start(ServerOptions::default()));
    assert_ne!(servers[0].token, servers[1].token);
    assert!(servers[0].token.len() >= 32);
    assert_ne!(servers[0].port, servers[1].port);
}

#[test]
fn only_local_host_names_are_accepted() {
    let server = Served::with(trace_with("draw"));
    let status = |headers: &str| status(&server, "/?token=TOKEN", headers);
    let port = server.port;
    for host in ["127.0.0.1", "localhost", "LocalHost", "[::1]"] {
        assert_eq!(status(&format!("host: {host}:{port}\n")), 200, "{host}");
    }
    let strangers = [
        "evil.example",
        "127.0.0.1.evil.example",
        "127.0.0.2",
        "0.0.0.0",
        "",
    ];
    for host in strangers {
        assert_eq!(status(&format!("host: {host}:{port}\n")), 403, "{host}");
    }
    // Refuse a host without the port, which would be another server, and two hosts, which are ambiguous.
    assert_eq!(status("host: 127.0.0.1\n"), 403);
    assert_eq!(status("host: evil.example\nhost: HOST\n"), 403);
}

#[test]
fn requests_from_other_sites_are_refused() {
    let server = Served::with(trace_with("draw"));
    let status = |origin: &str| {
        status(
            &server,
            "/?token=TOKEN",
            &format!("host: HOST\norigin: {origin}\n"),
        )
    };
    assert_eq!(status("http://HOST"), 200);
    assert_eq!(status(&format!("http://localhost:{}", server.port)), 200);
    for origin in [
        "https://HOST",
        "http://evil.example",
        "null",
        "http://HOST.evil.example",
        "http://127.0.0.1:1",
    ] {
        assert_eq!(status(origin), 403, "{origin}");
    }
}

#[test]
fn the_policy_allows_only_the_pages_own_code() {
    let server = Served::with(trace_with("draw"));
    let page = server.get("/");
    let policy = page.header("content-security-policy").unwrap();
    let text = page.text();
    let hashes = |start: &str, end: &str| {
        let elements = text.split(start).skip(1);
        let contents = elements.map(|element| element.split_once(end).unwrap().0);
        let hash = |content| format!("'sha256-{}'", STANDARD.encode(Sha256::digest(content)));
        contents.map(hash).collect::<Vec<_>>().join(" ")
    };
    let script = hashes("<script type=\"module\">", "</script>");
    let styles = hashes("<style>", "</style>");
    assert_eq!(
        (
            script.matches("sha256").count(),
            styles.matches("sha256").count()
        ),
        (1, 2)
    );
    for rule in [
        "default-src 'none'; ",
        &format!("script-src {script}; "),
        &format!("style-src {styles}; "),
        "connect-src 'self'; ",
        "frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
    ] {
        assert!(policy.contains(rule), "{rule} not in {policy}");
    }
    // Other answers have a strict policy too.
    for reply in [server.get("/nothing"), server.ask(META)] {
        assert!(
            reply
                .header("content-security-policy")
                .unwrap()
                .starts_with("default-src 'none'")
        );
    }
    for (name, value) in [
        ("x-content-type-options", "nosniff"),
        ("referrer-policy", "no-referrer"),
        ("cross-origin-opener-policy", "same-origin"),
        ("cross-origin-resource-policy", "same-origin"),
        ("cache-control", "no-store"),
    ] {
        assert_eq!(page.header(name), Some(value), "{name}");
    }
}

#[test]
fn text_of_a_trace_is_never_html() {
    let name = "</script><img src=x onerror=hostile()>";
    let server = Served::with(trace_with(name));
    assert!(!server.get("/").text().contains("hostile"));
    let answer = server.ask(META);
    assert_eq!(answer.header("content-type"), Some(OCTETS));
    let opened = server.post(
        &format!("/open?name={}", "%3Cb%3E%22"),
        OCTETS,
        b"\x00\x01 not a trace",
    );
    assert_eq!(
        opened.header("content-type"),
        Some("text/plain; charset=utf-8")
    );
}

#[test]
fn malformed_questions_are_refused() {
    let server = Served::with(trace_with("draw"));
    assert_eq!(server.ask(META).json()["counts"]["slices"], 1);
    assert!(
        server.ask("[]").json()["error"]
            .as_str()
            .unwrap()
            .contains("not a JSON object")
    );
    assert_eq!(
        server.post("/api", "text/plain", META.as_bytes()).status,
        415
    );
    assert_eq!(
        server
            .post("/api?trace=7", "application/json", META.as_bytes())
            .status,
        404
    );
    assert_eq!(server.ask(&" ".repeat((1 << 20) + 1)).status, 413);
    assert_eq!(server.get("/nothing").status, 404);
    assert_eq!(server.get("/api").status, 405);
    assert_eq!(server.post("/", "application/json", b"{}").status, 405);
}

#[test]
fn questions_wait_until_the_trace_is_read() {
    let server = Served::start(ServerOptions::default());
    server.handle.progress(5, 10);
    assert_eq!(
        server.get("/status").text(),
        r#"{"done":5,"state":"loading","total":10}"#
    );
    let early = std::thread::scope(|scope| {
        let early = scope.spawn(|| server.ask(META));
        server.handle.ready(trace_with("draw"));
        early.join().unwrap()
    });
    assert_eq!(early.json()["counts"]["slices"], 1);
    assert_eq!(server.get("/status").text(), r#"{"state":"ready"}"#);
    // Late progress has no effect.
    server.handle.progress(6, 10);
    assert_eq!(server.get("/status").text(), r#"{"state":"ready"}"#);
}

#[test]
fn the_answer_is_the_reason_why_the_trace_was_not_read() {
    let server = Served::start(ServerOptions::default());
    server.handle.failed("x.trace: no trace");
    assert_eq!(server.ask(META).json()["error"], "x.trace: no trace");
    assert!(server.get("/status").text().contains("x.trace: no trace"));
}

#[test]
fn a_dropped_file_opens_as_another_trace() {
    let server = Served::with(trace_with("first"));
    let text = text_with("dropped").repeat(3);
    let opened = server.post("/open?name=a%20%3Cb%3E.ftrace", OCTETS, text.as_bytes());
    assert_eq!(
        (opened.status, opened.text().as_str()),
        (200, r#"{"trace":1}"#)
    );
    let ask = |path: &str| {
        server
            .post(path, "application/json", META.as_bytes())
            .json()
    };
    assert_eq!(ask("/api?trace=1")["sources"][0]["name"], "a <b>.ftrace");
    assert_eq!(ask("/api?trace=1")["counts"]["slices"], 3);
    assert_eq!(ask("/api")["counts"]["slices"], 1);
}

#[test]
fn other_files_are_refused_with_the_reason() {
    let server = Served::with(trace_with("first"));
    let refused = server.post("/open?name=x", OCTETS, &[0x7f; 100_000]);
    assert_eq!(refused.status, 422, "{}", refused.text());
    assert!(refused.text().contains("not a trace"), "{}", refused.text());
    assert_eq!(server.post("/open?name=x", OCTETS, b"").status, 422);
    assert_eq!(server.post("/open?name=x", "text/plain", b"x").status, 415);
    assert_eq!(
        server
            .post("/api?trace=1", "application/json", META.as_bytes())
            .status,
        404
    );
}

#[test]
fn the_memory_limit_holds() {
    let server = Served::start(ServerOptions {
        memory_limit: 1000,
        ..ServerOptions::default()
    });
    server.handle.ready(trace_with("first"));
    let refused = server.post("/open?name=x", OCTETS, &[b' '; 2000]);
    assert_eq!(refused.status, 413);
    assert_eq!(
        refused.text(),
        "the file has 2000 bytes, and --memory-limit is 1000\n"
    );
    let refused = server.post("/open?name=x", OCTETS, text_with("a").as_bytes());
    assert_eq!(refused.status, 507, "{}", refused.text());
    assert_eq!(server.ask(META).json()["counts"]["slices"], 1);
}

#[test]
fn an_incomplete_upload_leaves_nothing_behind() {
    let server = Served::with(trace_with("first"));
    let request = "POST /open?name=x HTTP/1.1\nhost: HOST\nx-traceloom-token: TOKEN\n\
                   content-type: application/octet-stream\ncontent-length: 1000000\n\n";
    drop(server.begin(request, text_with("a").as_bytes()));
    // The next file still gets the first number.
    let opened = server.post("/open?name=y", OCTETS, text_with("b").as_bytes());
    assert_eq!(opened.text(), r#"{"trace":1}"#);
}

#[test]
fn many_clients_can_ask_at_once() {
    let server = Arc::new(Served::with(trace_with("draw")));
    let ask = |_| {
        let server = server.clone();
        std::thread::spawn(move || server.ask(META).json()["counts"]["slices"].clone())
    };
    let asked: Vec<_> = (0..40).map(ask).collect();
    assert!(asked.into_iter().all(|thread| thread.join().unwrap() == 1));
}

#[test]
fn invalid_and_incomplete_requests_do_no_harm() {
    let server = Served::with(trace_with("draw"));
    let half = server.begin("POST /api HTTP/1.1\nhost: HOST\n", b"");
    half.shutdown(Shutdown::Write).unwrap();
    drop(server.begin("\0\0\x16\x03\x01 GET", &[0xff; 4096]));
    let refused = server.raw("nonsense\n\n", b"");
    assert_eq!(refused.status, 400);
    assert_eq!(server.ask(META).status, 200);
}

#[test]
fn the_server_stops_on_request() {
    let server = Served::with(trace_with("draw"));
    let port = server.port;
    // An open connection or an unanswered query must not delay the stop.
    let waiting = Served::start(ServerOptions::default());
    let idle = waiting.begin("POST /api HTTP/1.1\nhost: HOST\nx-traceloom-token: TOKEN\ncontent-type: application/json\ncontent-length: 2\n\n", b"{}");
    let begun = Instant::now();
    drop(server);
    drop(waiting);
    assert!(begun.elapsed().as_secs() < 60);
    assert!(TcpStream::connect(("127.0.0.1", port)).is_err());
    drop(idle);
}
