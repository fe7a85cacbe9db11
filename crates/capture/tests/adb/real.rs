//! The client against Debian's adb and an adbd on loopback.

use std::fs;
use std::time::Duration;

use testkit::Loopback;
use traceloom_capture::adb::{Adb, AdbError, Address, Device, ShellEvent};

const LIMIT: Duration = Duration::from_secs(20);

/// A device, and a client of its server.
struct Real {
    adb: Adb,
    loopback: Loopback,
}

impl Real {
    fn start() -> Result<Self, String> {
        let loopback = Loopback::start(None)?;
        let adb = Adb::at(Address {
            port: loopback.port(),
            ..Address::default()
        });
        Ok(Self { adb, loopback })
    }

    fn device(&self) -> Device {
        self.adb.device(self.loopback.serial())
    }

    fn path(&self, name: &str) -> String {
        self.loopback.home().join(name).display().to_string()
    }
}

/// Runs a test with a real device. If there is none, prints the reason.
fn with_device(test: impl FnOnce(&mut Real)) {
    match Real::start() {
        Ok(mut real) => test(&mut real),
        Err(why) => println!("skipped: {why}"),
    }
}

#[test]
fn shells_files_and_a_device_that_dies() {
    with_device(|real| {
        assert!(real.adb.version().unwrap() >= 40);
        shells(real);
        old_shells(real);
        files(real);
        dies(real);
    });
}

fn shells(real: &Real) {
    let device = real.device();
    assert!(device.features().unwrap().shell_v2());
    let output = device
        .run("echo out; echo err >&2; exit 42", LIMIT)
        .unwrap();
    assert_eq!(
        (&output.stdout[..], &output.stderr[..], output.status),
        (&b"out\n"[..], &b"err\n"[..], 42)
    );
    // Output of several packets arrives unchanged.
    let output = device
        .run("seq 1 100000; printf '\\000\\r\\n\\377'", LIMIT)
        .unwrap();
    let expected: String = (1..=100_000).map(|n| format!("{n}\n")).collect();
    assert_eq!(output.stdout, [expected.as_bytes(), b"\0\r\n\xff"].concat());

    let mut shell = device.shell("cat").unwrap();
    shell.limit(Some(LIMIT));
    shell.send_stdin(b"typed").unwrap();
    assert_eq!(shell.next_event().unwrap(), ShellEvent::Stdout(b"typed"));
    shell.close_stdin().unwrap();
    assert_eq!(shell.next_event().unwrap(), ShellEvent::Exit(0));

    let error = device
        .run("sleep 60", Duration::from_millis(50))
        .unwrap_err();
    assert!(matches!(error, AdbError::Timeout { .. }), "{error}");
    let error = real
        .adb
        .device("no-such-device")
        .run("ls", LIMIT)
        .unwrap_err();
    assert!(
        error.to_string().contains("'no-such-device' not found"),
        "{error}"
    );
}

/// Requests of a client without shell packets. The device then uses a terminal.
fn old_shells(real: &Real) {
    let mut stream = real
        .device()
        .open("shell:(echo a; echo b\n); echo traceloom-exit:$?")
        .unwrap();
    stream.limit(Some(LIMIT));
    let mut text = Vec::new();
    std::io::Read::read_to_end(&mut stream, &mut text).unwrap();
    let text = String::from_utf8_lossy(&text).replace("\r\n", "\n");
    assert_eq!(text, "a\nb\ntraceloom-exit:0\n");

    let mut stream = real.device().exec("printf 'a\\r\\nb\\n\\000'").unwrap();
    stream.limit(Some(LIMIT));
    let mut bytes = Vec::new();
    std::io::Read::read_to_end(&mut stream, &mut bytes).unwrap();
    assert_eq!(bytes, b"a\r\nb\n\0");
}

fn files(real: &Real) {
    let mut sync = real.device().sync().unwrap();
    let path = real.path("pushed file");
    let content: Vec<u8> = (0..300_000u32).map(|n| (n * 7 % 251) as u8).collect();
    sync.push(&mut &content[..], &path, 0o750, 1_600_000_000)
        .unwrap();
    assert!(fs::read(&path).unwrap() == content);

    let stat = sync.stat(&path).unwrap().unwrap();
    assert!(stat.is_file());
    assert_eq!((stat.size, stat.mtime), (300_000, 1_600_000_000));
    assert_eq!(sync.stat(&real.path("nothing")).unwrap(), None);

    let mut pulled = Vec::new();
    assert_eq!(sync.pull(&path, &mut pulled).unwrap(), 300_000);
    assert!(pulled == content);
    let error = sync
        .pull(&real.path("nothing"), &mut Vec::new())
        .unwrap_err();
    assert!(error.to_string().contains("No such file"), "{error}");
    // adbd closes the connection after a failure, so connect again.
    let mut sync = real.device().sync().unwrap();
    let error = sync
        .push(&mut &content[..], "/proc/nothing/here", 0o644, 0)
        .unwrap_err();
    assert!(matches!(error, AdbError::Refused { .. }), "{error}");
}

fn dies(real: &mut Real) {
    let mut shell = real.device().shell("echo begun; sleep 60").unwrap();
    shell.limit(Some(LIMIT));
    assert_eq!(shell.next_event().unwrap(), ShellEvent::Stdout(b"begun\n"));
    real.loopback.unplug();
    let error = shell.next_event().unwrap_err();
    assert!(matches!(error, AdbError::Lost { .. }), "{error}");
}
