//! `traceloom view`, started and ended like by a user.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};

fn start(args: &[&str]) -> Child {
    Command::new(env!("CARGO_BIN_EXE_traceloom"))
        .args(["view", "--no-open"])
        .args(args)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// The first line of its output.
fn url(child: &mut Child) -> String {
    let mut line = String::new();
    let out = child.stdout.as_mut().unwrap();
    BufReader::new(out).read_line(&mut line).unwrap();
    line.trim().to_owned()
}

fn get(url: &str) -> String {
    let (host, path) = url
        .strip_prefix("http://")
        .unwrap()
        .split_once('/')
        .unwrap();
    let mut stream = TcpStream::connect(host).unwrap();
    let request = format!("GET /{path} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

fn example(name: &str) -> String {
    let folder = testkit::workspace_root().join("examples");
    folder.join(name).display().to_string()
}

#[cfg(unix)]
#[test]
fn it_prints_its_url_and_ends_with_ctrl_c() {
    let mut child = start(&[&example("app.trace"), &example("linux.ftrace")]);
    let url = url(&mut child);
    assert!(
        url.starts_with("http://127.0.0.1:") && url.contains("/?token="),
        "{url}"
    );
    assert!(get(&url).starts_with("HTTP/1.1 200 OK"));
    let pid = i32::try_from(child.id()).unwrap();
    // SAFETY: a signal to a process that this test started and has not waited for.
    assert_eq!(unsafe { libc::kill(pid, libc::SIGINT) }, 0);
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

/// Nothing is printed on standard output. Otherwise a script would open the URL of a server that
/// ends.
#[test]
fn what_does_not_open_is_refused_before_there_is_a_url() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, bytes: &[u8]| {
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        path.display().to_string()
    };
    let large = file("large.bin", &vec![7; 3 << 20]);
    let recorded = file("perf.data", &[b"PERFFILE", &[0; 100][..]].concat());
    let cases = [
        (example("README.md"), "README.md: not a trace"),
        (large, "large.bin: not a trace"),
        (recorded, "perf.data file of a perf older than Linux 3.2"),
        (file("empty.trace", b""), "the input is empty"),
        (example("none.trace"), "no such file"),
        (example(""), "is a folder; name a trace in it, such as "),
        ("https://example.com/a.trace".to_owned(), "is an address"),
    ];
    for (name, told) in cases {
        let output = start(&[&example("app.trace"), &name]).wait_with_output();
        let output = output.unwrap();
        assert_eq!(output.status.code(), Some(2), "{name}");
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(said.contains(told), "{said}");
        assert!(output.stdout.is_empty(), "{name}");
    }
}

#[test]
fn a_port_that_is_taken_is_said() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let output = start(&["--port", &port, &example("app.trace")])
        .wait_with_output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(
        said.contains(&format!("cannot listen on 127.0.0.1:{port}")),
        "{said}"
    );
}

/// Whoever sees the URL can end the server, which then ends in order: signals are handled before
/// the URL is printed.
#[test]
#[cfg(unix)]
fn ctrl_c_right_after_the_url_ends_in_order() {
    for _ in 0..10 {
        let mut child = Command::new(env!("CARGO_BIN_EXE_traceloom"))
            .args(["view", "--no-open", &example("app.trace")])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        url(&mut child);
        let pid = i32::try_from(child.id()).unwrap();
        // SAFETY: a signal to a process that this test started and has not waited for.
        assert_eq!(unsafe { libc::kill(pid, libc::SIGINT) }, 0);
        assert_eq!(child.wait().unwrap().code(), Some(0));
    }
}

/// A stand-in for `xdg-open` that writes its arguments, and the mode and contents of the file, to a
/// pipe.
#[cfg(target_os = "linux")]
#[test]
fn the_token_is_not_on_a_command_line() {
    use std::os::unix::fs::PermissionsExt;

    let folder = tempfile::tempdir().unwrap();
    let [program, pipe] = ["xdg-open", "pipe"].map(|name| folder.path().join(name));
    let script = format!(
        "#!/bin/sh\n{{ echo \"$@\"; stat -c %a \"$1\"; cat \"$1\"; }} > '{}'\n",
        pipe.display()
    );
    // Another process writes the script. A child that another test forks at that moment would
    // inherit our open file, and a program that is open for writing cannot be executed.
    let text = folder.path().join("script");
    std::fs::write(&text, script).unwrap();
    std::fs::set_permissions(&text, std::fs::Permissions::from_mode(0o755)).unwrap();
    let copied = Command::new("cp").args([&text, &program]).status();
    assert!(copied.unwrap().success());
    let name = std::ffi::CString::new(pipe.to_str().unwrap()).unwrap();
    // SAFETY: the name is a C string.
    assert_eq!(unsafe { libc::mkfifo(name.as_ptr(), 0o600) }, 0);
    let path = std::env::var("PATH").unwrap();
    let mut child = Command::new(env!("CARGO_BIN_EXE_traceloom"))
        .args(["view", &example("app.trace")])
        .env("PATH", format!("{}:{path}", folder.path().display()))
        .env("DISPLAY", ":99")
        .env("XDG_RUNTIME_DIR", folder.path())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let url = url(&mut child);
    let (_, token) = url.split_once("token=").unwrap();
    let said = std::fs::read_to_string(&pipe).unwrap();
    let mut lines = said.lines();
    let (file, mode) = (lines.next().unwrap(), lines.next().unwrap());
    assert!(!file.contains(token) && !file.contains("http"), "{file}");
    assert!(file.starts_with(folder.path().to_str().unwrap()), "{file}");
    assert_eq!(mode, "600");
    assert!(
        lines.any(|line| line.contains(&format!("url={url}"))),
        "{said}"
    );
    let pid = i32::try_from(child.id()).unwrap();
    // SAFETY: a signal to a process that this test started and has not waited for.
    assert_eq!(unsafe { libc::kill(pid, libc::SIGINT) }, 0);
    assert_eq!(child.wait().unwrap().code(), Some(0));
    assert!(!std::path::Path::new(file).exists(), "the file is removed");
}
