//! A server in a thread, and a minimal HTTP client.

use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::thread::JoinHandle;

use traceloom_formats::{ReadOptions, read_bytes};
use traceloom_trace::Trace;
use traceloom_view::{Handle, Server, ServerOptions};

/// A running server.
pub struct Served {
    pub port: u16,
    pub token: String,
    pub handle: Handle,
    thread: Option<JoinHandle<()>>,
}

impl Served {
    pub fn start(options: ServerOptions) -> Self {
        let server = Server::bind(options).unwrap();
        let url = server.url();
        let (place, token) = url.split_once("/?token=").unwrap();
        let port = place.rsplit(':').next().unwrap().parse().unwrap();
        let handle = server.handle();
        Self {
            port,
            token: token.to_owned(),
            handle,
            thread: Some(std::thread::spawn(move || server.run().unwrap())),
        }
    }

    /// Starts a server with a trace.
    pub fn with(trace: Trace) -> Self {
        let served = Self::start(ServerOptions::default());
        served.handle.ready(trace);
        served
    }

    pub fn host(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    /// Sends a request as it is, except that `HOST` and `TOKEN` are replaced by this server's.
    pub fn raw(&self, request: &str, body: &[u8]) -> Reply {
        let mut stream = self.connect();
        // A server that refuses a request may close the connection before it has all of the body. Its answer has
        // arrived then, or is about to.
        let sent = stream.write_all(&self.filled_in(request, body));
        let mut bytes = Vec::new();
        let read = stream.read_to_end(&mut bytes);
        let ends = [ErrorKind::ConnectionReset, ErrorKind::BrokenPipe];
        let errors = [sent.err(), read.err()].into_iter().flatten();
        for error in errors {
            assert!(ends.contains(&error.kind()), "{error}");
        }
        Reply::parse(&bytes)
    }

    fn connect(&self) -> TcpStream {
        TcpStream::connect(("127.0.0.1", self.port)).unwrap()
    }

    /// The bytes of a request with this server's `HOST` and `TOKEN`.
    fn filled_in(&self, request: &str, body: &[u8]) -> Vec<u8> {
        let request = request.replace("HOST", &self.host());
        let request = request.replace("TOKEN", &self.token).replace('\n', "\r\n");
        [request.as_bytes(), body].concat()
    }

    /// As [`raw`](Self::raw), without waiting for the answer.
    pub fn begin(&self, request: &str, body: &[u8]) -> TcpStream {
        let mut stream = self.connect();
        stream.write_all(&self.filled_in(request, body)).unwrap();
        stream
    }

    pub fn get(&self, path: &str) -> Reply {
        let request = format!(
            "GET {path} HTTP/1.1\nhost: HOST\nx-traceloom-token: TOKEN\nconnection: close\n\n"
        );
        self.raw(&request, b"")
    }

    pub fn post(&self, path: &str, kind: &str, body: &[u8]) -> Reply {
        let length = body.len();
        let request = format!(
            "POST {path} HTTP/1.1\nhost: HOST\nx-traceloom-token: TOKEN\ncontent-type: {kind}\n\
             content-length: {length}\nconnection: close\n\n"
        );
        self.raw(&request, body)
    }

    pub fn ask(&self, question: &str) -> Reply {
        self.post("/api", "application/json", question.as_bytes())
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        self.handle.stop();
        let stopped = self.thread.take().map(JoinHandle::join);
        if !std::thread::panicking() {
            stopped.unwrap().unwrap();
        }
    }
}

/// An answer of the server.
#[derive(Debug)]
pub struct Reply {
    pub status: u16,
    pub head: String,
    pub body: Vec<u8>,
}

impl Reply {
    fn parse(bytes: &[u8]) -> Self {
        let end = bytes
            .windows(4)
            .position(|four| four == b"\r\n\r\n")
            .unwrap();
        let head = String::from_utf8(bytes[..end].to_vec()).unwrap();
        Self {
            status: head[9..12].parse().unwrap(),
            head,
            body: bytes[end + 4..].to_vec(),
        }
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        let lines = self.head.lines().filter_map(|line| line.split_once(": "));
        let mut found = lines.filter(|(is, _)| is.eq_ignore_ascii_case(name));
        found.next().map(|(_, value)| value)
    }

    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// The JSON part of a frame.
    pub fn json(&self) -> serde_json::Value {
        let length = u32::from_le_bytes(self.body[..4].try_into().unwrap()) as usize;
        serde_json::from_slice(&self.body[4..4 + length]).unwrap()
    }
}

/// System trace text with one slice of this name.
pub fn text_with(name: &str) -> String {
    format!(
        "# tracer: nop\n#\n a-1 [000] ...1 1.5: tracing_mark_write: B|1|{name}\n \
         a-1 [000] ...1 1.6: tracing_mark_write: E|1\n"
    )
}

pub fn trace_with(name: &str) -> Trace {
    read_bytes(text_with(name).as_bytes(), ReadOptions::default()).unwrap()
}
