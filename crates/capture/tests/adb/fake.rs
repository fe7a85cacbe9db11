//! A simulated adb server in this process, for faults that the real one does not produce.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::thread;

use traceloom_capture::adb::{Adb, Address};

/// A connection of the client, as the server sees it.
pub struct Connection(TcpStream);

impl Connection {
    /// Receives the next request: a length of four hexadecimal digits, then that many bytes.
    pub fn request(&mut self) -> String {
        let length = self.take(4);
        let length = u32::from_str_radix(&String::from_utf8_lossy(&length), 16).unwrap_or(0);
        String::from_utf8_lossy(&self.take(length as usize)).into_owned()
    }

    /// Receives the next bytes, or fewer if the client disconnects.
    pub fn take(&mut self, length: usize) -> Vec<u8> {
        let mut bytes = Vec::new();
        _ = (&mut self.0).take(length as u64).read_to_end(&mut bytes);
        bytes
    }

    /// Sends bytes. It does not matter if the client has disconnected.
    pub fn send(&mut self, bytes: &[u8]) {
        _ = self.0.write_all(bytes);
    }

    pub fn okay(&mut self) {
        self.send(b"OKAY");
    }

    pub fn fail(&mut self, reason: &str) {
        self.send(format!("FAIL{:04x}{reason}", reason.len()).as_bytes());
    }

    pub fn okay_text(&mut self, text: &str) {
        self.send(format!("OKAY{:04x}{text}", text.len()).as_bytes());
    }

    /// Sends nothing more, and waits until the client disconnects. Closing a connection with unread
    /// data would reset it, and data already sent might be lost.
    fn end(&mut self) {
        _ = self.0.shutdown(Shutdown::Write);
        self.wait();
    }

    /// Waits until the client disconnects.
    pub fn wait(&mut self) {
        _ = self.0.read_to_end(&mut Vec::new());
    }
}

/// Starts a server that answers requests for the server itself, and passes those for the device to `serve`. Its threads
/// end with the test.
pub fn server(features: &'static str, serve: fn(&mut Connection, &str)) -> Adb {
    raw(move |connection| {
        let request = connection.request();
        if request.ends_with(":features") {
            connection.okay_text(features);
        } else if request.starts_with("host:transport:") {
            connection.okay();
            let service = connection.request();
            serve(connection, &service);
        } else {
            connection.fail(&format!("unknown host service '{request}'"));
        }
    })
}

/// Starts a server that passes every connection to `serve`.
pub fn raw(serve: impl Fn(&mut Connection) + Send + Sync + Copy + 'static) -> Adb {
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let port = listener.local_addr().unwrap().port();
    thread::spawn(move || {
        for connection in listener.incoming().flatten() {
            thread::spawn(move || {
                let mut connection = Connection(connection);
                serve(&mut connection);
                connection.end();
            });
        }
    });
    Adb::at(Address {
        port,
        ..Address::default()
    })
}

/// A packet of the shell protocol.
pub fn packet(id: u8, bytes: &[u8]) -> Vec<u8> {
    let mut packet = vec![id];
    packet.extend_from_slice(&(bytes.len() as u32).to_le_bytes());
    packet.extend_from_slice(bytes);
    packet
}

/// A packet of the sync service.
pub fn sync(id: &[u8; 4], number: u32, bytes: &[u8]) -> Vec<u8> {
    let mut packet = id.to_vec();
    packet.extend_from_slice(&number.to_le_bytes());
    packet.extend_from_slice(bytes);
    packet
}
