use std::io::Write;
use std::net::{SocketAddr, TcpStream};
use std::sync::{Arc, mpsc};
use std::time::Duration;

use axum::Router;
use axum::routing::get;

use super::traces::Slot;
use super::*;

/// Long enough for any machine, short of forever.
const PATIENCE: Duration = Duration::from_secs(60);

/// Serves `GET /` with work that reports its start, runs until it is cancelled, and reports that too.
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
    assert!(memory::make_room(&tight).is_err(), "the trace itself stays");
    assert!(matches!(tight.traces.get(0), Some(Slot::Ready(_))));
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
