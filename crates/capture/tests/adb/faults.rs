//! Faults of the server and the device give the right errors.

use std::time::Duration;

use traceloom_capture::adb::{Adb, AdbError, Address, ShellEvent};

use crate::fake::{packet, raw, server, sync};

const SOON: Duration = Duration::from_millis(50);
const LONG: Duration = Duration::from_secs(20);

#[test]
fn no_server() {
    // The port of an open connection: nothing listens there, and no other program can.
    let listener = std::net::TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let held = std::net::TcpStream::connect(listener.local_addr().unwrap()).unwrap();
    let port = held.local_addr().unwrap().port();
    let adb = Adb::at(Address {
        port,
        ..Address::default()
    });
    let error = adb.version().unwrap_err();
    assert!(matches!(error, AdbError::NoServer { .. }), "{error}");
    assert!(
        error
            .to_string()
            .starts_with("no adb server answers at 127.0.0.1:")
    );
}

#[test]
fn servers_of_other_protocols() {
    let adb = raw(|connection| connection.send(b"HTTP/1.1 400 Bad Request\r\n\r\n"));
    assert_eq!(
        adb.devices().unwrap_err().to_string(),
        "adb: host:devices-l: expected OKAY or FAIL, found HTTP"
    );
    let adb = raw(|connection| connection.send(b"OKAYzzzz"));
    assert_eq!(
        adb.version().unwrap_err().to_string(),
        "adb: host:version: expected a length of four hexadecimal digits, found zzzz"
    );
}

#[test]
fn refusals_include_the_reason() {
    let adb = raw(|connection| {
        connection.request();
        connection.fail("device unauthorized.");
    });
    assert_eq!(
        adb.device("x").run("ls", LONG).unwrap_err().to_string(),
        "adb: host-serial:x:features: device unauthorized."
    );
}

#[test]
fn a_limit_that_was_removed_has_no_effect() {
    const LIMIT: Duration = Duration::from_secs(1);
    let adb = server("shell_v2,cmd", |connection, _| {
        connection.okay();
        connection.send(&packet(1, b"out"));
        std::thread::sleep(LIMIT * 3 / 2);
        connection.send(&packet(3, &[0]));
    });
    let mut shell = adb.device("x").shell("atrace").unwrap();
    shell.limit(Some(LIMIT));
    assert_eq!(shell.next_event().unwrap(), ShellEvent::Stdout(b"out"));
    shell.limit(None);
    assert_eq!(shell.next_event().unwrap(), ShellEvent::Exit(0));
}

#[test]
fn devices_in_all_states() {
    let adb = raw(|connection| {
        connection.request();
        connection
            .okay_text("A1 device model:Pixel\nB2 unauthorized usb:1\n127.0.0.1:6555\toffline\n");
    });
    let devices = adb.devices().unwrap();
    let states: Vec<_> = devices
        .iter()
        .map(|device| (device.serial.as_str(), device.state.as_str()))
        .collect();
    assert_eq!(
        states,
        [
            ("A1", "device"),
            ("B2", "unauthorized"),
            ("127.0.0.1:6555", "offline")
        ]
    );
    assert_eq!(devices.iter().filter(|device| device.is_ready()).count(), 1);
}

#[test]
fn output_errors_and_status_are_separate() {
    let adb = server("shell_v2,cmd", |connection, service| {
        assert_eq!(service, "shell,v2,raw:atrace");
        connection.okay();
        connection.send(&packet(1, b"out"));
        connection.send(&packet(2, b"err"));
        // An unknown packet type.
        connection.send(&packet(9, b"?"));
        connection.send(&packet(1, b"put"));
        connection.send(&packet(3, &[42]));
    });
    let output = adb.device("x").run("atrace", LONG).unwrap();
    assert_eq!(
        (&output.stdout[..], &output.stderr[..], output.status),
        (&b"output"[..], &b"err"[..], 42)
    );
}

#[test]
fn output_before_the_device_was_lost_is_kept() {
    let adb = server("shell_v2", |connection, _| {
        connection.okay();
        connection.send(&packet(1, b"a trace begins"));
        // The connection ends in the middle of this packet.
        connection.send(&packet(1, b"and ends")[..7]);
    });
    let mut shell = adb.device("x").shell("atrace").unwrap();
    assert_eq!(
        shell.next_event().unwrap(),
        ShellEvent::Stdout(b"a trace begins")
    );
    let error = shell.next_event().unwrap_err();
    assert!(matches!(error, AdbError::Lost { .. }), "{error}");
}

#[test]
fn a_device_that_hangs_times_out() {
    let adb = server("shell_v2", |connection, _| {
        connection.okay();
        connection.wait();
    });
    let error = adb.device("x").run("atrace", SOON).unwrap_err();
    assert!(matches!(error, AdbError::Timeout { .. }), "{error}");
}

#[test]
fn another_thread_can_end_a_shell() {
    let adb = server("shell_v2", |connection, _| {
        connection.okay();
        connection.wait();
    });
    let mut shell = adb.device("x").shell("atrace --stream").unwrap();
    let closer = shell.closer().unwrap();
    let waiting = std::thread::spawn(move || shell.next_event().is_err());
    closer.close();
    assert!(waiting.join().unwrap());
}

#[test]
fn oversized_packets_are_refused_before_they_take_memory() {
    let adb = server("shell_v2", |connection, _| {
        connection.okay();
        connection.send(&[1, 255, 255, 255, 255]);
        connection.wait();
    });
    let error = adb.device("x").run("ls", LONG).unwrap_err();
    assert!(matches!(error, AdbError::Protocol { .. }), "{error}");
}

#[test]
fn old_devices_print_the_status() {
    let adb = server("", |connection, service| {
        assert_eq!(service, "shell:(cat x\n); echo traceloom-exit:$?");
        connection.okay();
        connection.send(b"x: No such file\r\ntraceloom-");
        connection.send(b"exit:1\r\n");
    });
    let output = adb.device("x").run("cat x", LONG).unwrap();
    assert_eq!(
        (output.error_text().as_str(), output.status),
        ("x: No such file", 1)
    );
}

#[test]
fn an_old_device_is_lost() {
    let adb = server("", |connection, _| {
        connection.okay();
        connection.send(b"half of it");
    });
    let error = adb.device("x").run("cat x", LONG).unwrap_err();
    assert!(matches!(error, AdbError::Lost { .. }), "{error}");
}

#[test]
fn files_with_version_2_of_sync() {
    let adb = server("sendrecv_v2", |connection, _| {
        connection.okay();
        assert_eq!(connection.take(8 + 2), sync(b"RCV2", 2, b"/a"));
        assert_eq!(connection.take(8), sync(b"RCV2", 0, b""));
        connection.send(&sync(b"DATA", 3, b"abc"));
        connection.send(&sync(b"DATA", 1, b"d"));
        connection.send(&sync(b"DONE", 0, b""));
        assert_eq!(connection.take(8 + 2), sync(b"SND2", 2, b"/b"));
        assert_eq!(connection.take(12), sync(b"SND2", 0o100_755, &[0; 4]));
        assert_eq!(connection.take(8 + 3), sync(b"DATA", 3, b"xyz"));
        assert_eq!(connection.take(8), sync(b"DONE", 7, b""));
        connection.send(&sync(b"OKAY", 0, b""));
    });
    let mut sync = adb.device("x").sync().unwrap();
    let mut pulled = Vec::new();
    assert_eq!(sync.pull("/a", &mut pulled).unwrap(), 4);
    assert_eq!(pulled, b"abcd");
    assert_eq!(sync.push(&mut &b"xyz"[..], "/b", 0o755, 7).unwrap(), 3);
}

#[test]
fn a_full_disk_is_reported() {
    let adb = server("", |connection, _| {
        connection.okay();
        connection.take(8);
        connection.send(&sync(b"FAIL", 23, b"No space left on device"));
        connection.wait();
    });
    let mut sync = adb.device("x").sync().unwrap();
    let much = vec![7; 1 << 20];
    let error = sync.push(&mut &much[..], "/data/x", 0o644, 0).unwrap_err();
    assert_eq!(
        error.to_string(),
        "adb: push /data/x: No space left on device"
    );
}
