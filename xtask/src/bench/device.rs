//! Text from a device: an adb server in this process serves it as fast as it is read, so that only
//! traceloom's side is measured.

use std::fs::File;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::thread;

use anyhow::Result;

use super::child::median;
use super::data::{file, folder};
use super::figures::{seconds, traceloom};
use super::options::Options;
use super::report::Report;

/// The size of adbd's packets.
const PACKET: usize = 64 << 10;
/// The promised speed: MB/s of text on one core.
const PROMISED: u32 = 200;

/// `traceloom capture` from the connection to the file. The text is parsed as it arrives.
pub fn hand_over(options: Options, report: &mut Report) -> Result<()> {
    report.table(
        "Text from a device, from adb's packets to the file, read on the way",
        &[
            "transfer and output",
            "MB of text",
            "s of CPU",
            "MB/s of CPU",
        ],
    );
    let size = options.size(400_000_000);
    let (plain, packed) = (file("ftrace", size)?, file("ftrace-zlib", size)?);
    let text = std::fs::metadata(&plain)?.len();
    for (title, path, output) in [
        ("uncompressed, `.txt`", &plain, "device.txt"),
        ("compressed (`-z`), `.txt`", &packed, "device.txt"),
    ] {
        let port = serve(path)?;
        let cost = median(options.repeats(), || {
            let mut command = traceloom(&["capture", "-t", "1", "-o", output, "sched"]);
            command.current_dir(folder());
            command.env("ANDROID_ADB_SERVER_PORT", port.to_string());
            command
        })?;
        let rate = text as f64 / 1e6 / seconds(cost.cpu);
        report.row(&[
            title.to_owned(),
            format!("{:.0}", text as f64 / 1e6),
            format!("{:.2}", seconds(cost.cpu)),
            format!("{rate:.0}"),
        ]);
    }
    let limit = median(options.repeats(), || {
        // traceloom also writes a new file and renames it at the end.
        let out = plain.with_extension("copy");
        let mut shell = Command::new("sh");
        shell.args(["-c", "cat \"$0\" > \"$1.new\" && mv \"$1.new\" \"$1\""]);
        shell.arg(&plain).arg(out);
        shell
    })?;
    report.row(&[
        "limit: cat into a new file".to_owned(),
        format!("{:.0}", text as f64 / 1e6),
        format!("{:.2}", seconds(limit.cpu)),
        format!("{:.0}", text as f64 / 1e6 / seconds(limit.cpu)),
    ]);
    report.line(&format!("\nThe promised speed is {PROMISED} MB/s."));
    Ok(())
}

/// Starts a server with one device whose recording is the content of a file. Returns its port. It ends with the program.
fn serve(path: &Path) -> Result<u16> {
    let trace: Arc<Path> = PathBuf::from(path).into();
    let listener = TcpListener::bind(("127.0.0.1", 0))?;
    let port = listener.local_addr()?.port();
    thread::spawn(move || {
        for connection in listener.incoming().flatten() {
            let trace = Arc::clone(&trace);
            // Ignore errors: a client may disconnect before the end.
            thread::spawn(move || _ = answer(connection, &trace));
        }
    });
    Ok(port)
}

fn answer(mut connection: TcpStream, trace: &Path) -> Result<()> {
    loop {
        let request = request(&mut connection)?;
        let text = match request.as_str() {
            "host:devices-l" => "bench device\n",
            request if request.ends_with(":features") => "shell_v2",
            request if request.starts_with("host:transport:") => {
                connection.write_all(b"OKAY")?;
                continue;
            }
            command => return run(&mut connection, command, trace),
        };
        return Ok(write!(connection, "OKAY{:04x}{text}", text.len())?);
    }
}

/// Reads a request: its length as four hexadecimal digits, then its text.
fn request(connection: &mut TcpStream) -> Result<String> {
    let mut length = [0; 4];
    connection.read_exact(&mut length)?;
    let length = usize::from_str_radix(std::str::from_utf8(&length)?, 16)?;
    let mut request = vec![0; length];
    connection.read_exact(&mut request)?;
    Ok(String::from_utf8(request)?)
}

/// Answers a command for the device.
fn run(connection: &mut TcpStream, command: &str, trace: &Path) -> Result<()> {
    connection.write_all(b"OKAY")?;
    let said = if command.contains("getprop") {
        "34\n"
    } else if command.contains("--list_categories") {
        "  sched - CPU Scheduling\n"
    } else {
        ""
    };
    packet(connection, 1, said.as_bytes())?;
    if command.contains("--async_stop") {
        packet(connection, 1, b"TRACE:\n")?;
        let (mut file, mut piece) = (File::open(trace)?, vec![0; PACKET]);
        loop {
            match file.read(&mut piece)? {
                0 => break,
                length => packet(connection, 1, &piece[..length])?,
            }
        }
    }
    packet(connection, 3, &[0])
}

/// Sends a packet of the shell protocol: id 1 is standard output, 3 the exit status.
fn packet(connection: &mut TcpStream, id: u8, bytes: &[u8]) -> Result<()> {
    connection.write_all(&[id])?;
    connection.write_all(&(bytes.len() as u32).to_le_bytes())?;
    Ok(connection.write_all(bytes)?)
}
