use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::{Arc, mpsc};
use std::time::Duration;

use axum::Router;
use axum::routing::get;

use super::traces::Slot;
use super::*;

/// A time limit that is long enough for any machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// Serves `GET /` with work that reports its start, runs until it is cancelled, and then reports
/// that.
fn serve_endless_work(
    runtime: &tokio::runtime::Runtime,
) -> (SocketAddr, mpsc::Receiver<&'static str>) {
    let (say, said) = mpsc::channel();
    let job = move || {
        let say = say.clone();
        async move {
            let work = api::work(move |cancel| {
                say.send("begun").unwrap();
                while !cancel.is_raised() {
                    std::thread::yield_now();
                }
                say.send("cancelled").unwrap();
            });
            assert!(work.await.is_some());
        }
    };
    let listener = runtime
        .block_on(tokio::net::TcpListener::bind("127.0.0.1:0"))
        .unwrap();
    let address = listener.local_addr().unwrap();
    let app = Router::new().route("/", get(job));
    runtime.spawn(axum::serve(listener, app).into_future());
    (address, said)
}

#[test]
fn scopes_make_room_before_traces() {
    let state = |memory_limit| {
        let options = ServerOptions {
            memory_limit,
            ..ServerOptions::default()
        };
        Server::bind(options).unwrap().handle.state
    };
    let mut builder = traceloom_trace::TraceBuilder::new();
    builder.begin_source("input", "test");
    let utid = builder.thread(1);
    let (track, name) = (builder.thread_track(utid), builder.intern(b"work"));
    let begin = traceloom_trace::SliceBegin::named(0, name);
    builder.whole_slice(track, begin, 100);
    let engine = Arc::new(traceloom_engine::Engine::new(builder.finish()));
    let ask = |from: u32| {
        let question = format!(r#"{{"op": "profile", "from": {from}, "to": 100}}"#);
        let answer = engine.answer(question.as_bytes(), &traceloom_engine::Cancel::default());
        assert!(String::from_utf8_lossy(&answer).contains("work"));
    };
    let roomy = state(u64::MAX);
    roomy.traces.set(0, Slot::Ready(Arc::clone(&engine)));
    (0..4).for_each(ask);
    memory::trim(&roomy);
    assert!(engine.forget_oldest_scope(), "there is room for all");
    let tight = state(1);
    tight.traces.set(0, Slot::Ready(Arc::clone(&engine)));
    (0..4).for_each(ask);
    memory::trim(&tight);
    assert!(!engine.forget_oldest_scope(), "all but the newest are gone");
    ask(2);
    assert!(memory::check_room(&tight).is_err());
    memory::make_room(&tight);
    let is_open = |number| matches!(tight.traces.get(number), Some(Slot::Ready(_)));
    assert!(is_open(0), "the trace itself stays");
    let dropped = tight.traces.add();
    assert!(!roomy.traces.has_others() && tight.traces.has_others());
    tight.traces.set(dropped, Slot::Ready(Arc::clone(&engine)));
    assert!(memory::check_room(&tight).is_err());
    assert!(is_open(dropped), "what may not fit closes nothing");
    memory::make_room(&tight);
    assert!(
        is_open(0) && !is_open(dropped),
        "what fits closes the oldest"
    );
}

/// A server that allows at most 8 connections, and this time for the head of a request.
fn serve_few(runtime: &tokio::runtime::Runtime, head: Duration) -> (SocketAddr, Arc<state::State>) {
    let server = Server::bind(ServerOptions::default()).unwrap();
    let limits = connections::Limits { most: 8, head };
    let state = Arc::clone(&server.handle.state);
    let (listener, app) = (server.listener, serve::router(Arc::clone(&state)));
    let address = listener.local_addr().unwrap();
    let stop = server.handle.stop.clone();
    runtime.spawn(async move {
        let listener = tokio::net::TcpListener::from_std(listener).unwrap();
        connections::serve(listener, app, limits, stop.subscribe()).await;
    });
    (address, state)
}

fn runtime() -> tokio::runtime::Runtime {
    let mut runtime = tokio::runtime::Builder::new_multi_thread();
    runtime.worker_threads(2).enable_all().build().unwrap()
}

/// Requests `/status` with the token on an open connection. Returns the status line.
fn ask_status(connection: &mut TcpStream, state: &state::State) -> String {
    let request = format!(
        "GET /status?token={} HTTP/1.1\r\nhost: 127.0.0.1:{}\r\n\r\n",
        state.token.text(),
        state.port
    );
    connection.write_all(request.as_bytes()).unwrap();
    let mut answer = [0; 12];
    connection.read_exact(&mut answer).unwrap();
    String::from_utf8(answer.to_vec()).unwrap()
}

#[test]
fn half_open_requests_keep_nobody_out() {
    let runtime = runtime();
    let (address, state) = serve_few(&runtime, PATIENCE);
    let mut page = TcpStream::connect(address).unwrap();
    assert_eq!(ask_status(&mut page, &state), "HTTP/1.1 200");
    let half_open: Vec<TcpStream> = (0..300)
        .map(|_| {
            let mut stream = TcpStream::connect(address).unwrap();
            // The server may already have closed it for the next connection.
            drop(stream.write_all(b"GET /status HTTP/1.1\r\nho"));
            stream
        })
        .collect();
    let mut newest = TcpStream::connect(address).unwrap();
    assert_eq!(ask_status(&mut newest, &state), "HTTP/1.1 200");
    drop(half_open);
    runtime.shutdown_background();
}

#[test]
fn who_does_not_finish_a_request_is_hung_up_on() {
    let runtime = runtime();
    let (address, _state) = serve_few(&runtime, Duration::from_millis(500));
    let mut half = TcpStream::connect(address).unwrap();
    half.set_read_timeout(Some(PATIENCE)).unwrap();
    // The answer is 408, or the connection ends without an answer. If this thread is slow, the
    // connection ends before the write.
    let sent = half.write_all(b"GET /status HTTP/1.1\r\nhost: ");
    let mut answer = Vec::new();
    let read = half.read_to_end(&mut answer);
    let ends = [ErrorKind::ConnectionReset, ErrorKind::BrokenPipe];
    let mut errors = [sent.err(), read.err()].into_iter().flatten();
    assert!(errors.all(|error| ends.contains(&error.kind())));
    runtime.shutdown_background();
}

#[test]
fn who_hangs_up_stops_the_work() {
    let runtime = tokio::runtime::Builder::new_multi_thread();
    let runtime = { runtime }.worker_threads(2).enable_all().build().unwrap();
    let (address, said) = serve_endless_work(&runtime);
    let mut page = TcpStream::connect(address).unwrap();
    page.write_all(b"GET / HTTP/1.1\r\nhost: x\r\n\r\n")
        .unwrap();
    assert_eq!(said.recv_timeout(PATIENCE), Ok("begun"));
    drop(page);
    assert_eq!(said.recv_timeout(PATIENCE), Ok("cancelled"));
    runtime.shutdown_background();
}
