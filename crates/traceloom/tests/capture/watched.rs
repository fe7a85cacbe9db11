//! Status messages during a recording, with and without a terminal.

use std::fs::File;
use std::io::Read;
use std::os::fd::{FromRawFd, OwnedFd};
use std::process::{Command, Stdio};

use testkit::KernelTurn;

use crate::android::{on, with_device};
use crate::load::{lose, read_at_once};
use crate::work::{Ending, Running, naps, record, said, traceloom};

/// A terminal of 120 columns: the user's side and the program's side.
fn terminal() -> (File, OwnedFd) {
    let (mut ours, mut theirs) = (0, 0);
    let size = libc::winsize {
        ws_row: 24,
        ws_col: 120,
        ws_xpixel: 0,
        ws_ypixel: 0,
    };
    let (null, no_mode) = (std::ptr::null_mut(), std::ptr::null());
    // SAFETY: openpty fills two descriptors, and only then are they taken over; it reads the size.
    unsafe {
        let opened = libc::openpty(&mut ours, &mut theirs, null, no_mode, &size);
        assert_eq!(opened, 0);
        (File::from_raw_fd(ours), OwnedFd::from_raw_fd(theirs))
    }
}

/// The text on a terminal so far.
struct Screen {
    terminal: File,
    all: Vec<u8>,
}

impl Screen {
    /// Reads more. False once the terminal is closed.
    fn reads(&mut self) -> bool {
        let mut piece = [0; 4096];
        // At the end, the system returns EIO.
        let length = self.terminal.read(&mut piece).unwrap_or(0);
        self.all.extend_from_slice(&piece[..length]);
        length > 0
    }

    fn text(&self) -> String {
        String::from_utf8_lossy(&self.all).into_owned()
    }

    /// Waits until the screen shows this text, or is closed.
    fn wait_for(&mut self, text: &str) {
        while !self.text().contains(text) && self.reads() {}
    }
}

/// Runs a command with a terminal for its messages. Returns the terminal's contents.
fn on_a_terminal(command: Command) -> String {
    on_a_terminal_while(command, |_, _| ())
}

/// Waits until something is recorded.
fn wait_for_recording() {
    // The kernel's counts are cleared before the first events are counted.
    let stats = "/sys/kernel/tracing/per_cpu/cpu0/stats";
    while read_at_once(stats.as_ref()).contains("entries: 0\n") {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
}

/// Like [`on_a_terminal`], but calls `meanwhile` with the process id and the screen.
fn on_a_terminal_while(mut command: Command, meanwhile: impl FnOnce(u32, &mut Screen)) -> String {
    let (terminal, theirs) = terminal();
    command.env("TERM", "xterm").stderr(Stdio::from(theirs));
    let mut child = Ending(command.spawn().unwrap());
    // The command also holds the other side.
    drop(command);
    let all = Vec::new();
    let mut screen = Screen { terminal, all };
    meanwhile(child.0.id(), &mut screen);
    while screen.reads() {}
    let screen = screen.text();
    assert!(child.0.wait().unwrap().success(), "{screen}");
    screen
}

const LINUX: [&str; 4] = ["capture", "--target", "linux", "sched"];

#[test]
fn a_terminal_shows_how_it_goes() {
    let Some(_turn) = KernelTurn::claim() else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    for (output, more) in [("x.txt", &[][..]), ("x.dat", &[])] {
        let args = [&LINUX[..], more, &["-t", "2", "-o", output]].concat();
        let screen = on_a_terminal(traceloom(folder.path(), &args));
        for words in [
            "recording ",
            " of 2 s · ",
            " events · ",
            "B · buffer ",
            " % full",
        ] {
            assert!(screen.contains(words), "no {words:?} in {screen:?}");
        }
        assert!(screen.contains("collecting "), "{screen:?}");
        assert!(!screen.contains("LOST"), "{screen:?}");
        // The status line is removed. The last words are the same as for every recording.
        assert!(screen.trim_end().ends_with(output), "{screen:?}");
    }
}

/// Switches that fill such a buffer of a device, for longer than the interval between checks for losses.
fn busy() {
    (0..1600).for_each(|_| std::thread::sleep(std::time::Duration::from_millis(1)));
}

/// A buffer that fills immediately.
const SMALL: [&str; 2] = ["-b", "1"];

#[test]
fn losses_are_told_at_once() {
    let Some(_turn) = KernelTurn::claim() else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let args = [&LINUX[..], &SMALL, &["-t", "600", "-o", "x.txt"]].concat();
    // Clears the counts of earlier recordings.
    File::create("/sys/kernel/tracing/trace").unwrap();
    let command = traceloom(folder.path(), &args);
    let screen = on_a_terminal_while(command, |recorder, screen| {
        wait_for_recording();
        lose(recorder);
        screen.wait_for(" events were lost so far: ");
        screen.wait_for(" LOST");
        // SAFETY: kill takes numbers; the recorder is a child that was not yet waited for.
        unsafe { libc::kill(recorder as i32, libc::SIGINT) };
    });
    assert!(screen.contains(" events were lost so far: "), "{screen:?}");
    assert!(screen.contains(" LOST"), "{screen:?}");

    let args = [&LINUX[..], &SMALL, &["-o", "x.txt"]].concat();
    let mut running = Running::start(traceloom(folder.path(), &args));
    for _ in 0..3 {
        lose(running.pid());
    }
    running.wait_for("events were lost so far");
    let output = running.enter();
    let (_, stderr) = said(&output);
    let lines: Vec<_> = stderr
        .lines()
        .filter(|line| line.contains("lost"))
        .collect();
    let counts = lines
        .iter()
        .map(|line| line.split(' ').nth(1).unwrap().replace(',', ""));
    let counts: Vec<u64> = counts.map(|count| count.parse().unwrap()).collect();
    let told = &counts[..counts.len() - usize::from(stderr.contains(" in all: "))];
    let doubled = told.windows(2).all(|two| two[1] >= two[0] * 2);
    assert!(!told.is_empty() && doubled, "{stderr}");
    assert!(lines[0].starts_with("Warning: ") && lines[0].contains("lost so far: "));
    assert!(
        !stderr.contains("recording"),
        "no line for people: {stderr:?}"
    );
}

#[test]
fn a_recording_without_losses_says_nothing_of_them() {
    let Some(_turn) = KernelTurn::claim() else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let args = [&LINUX[..], &["-o", "x.txt"]].concat();
    let output = record(traceloom(folder.path(), &args), || naps(5));
    let (_, stderr) = said(&output);
    assert!(
        !stderr.contains("lost") && !stderr.contains("recording"),
        "{stderr}"
    );
}

#[test]
fn a_device_tells_what_its_kernel_counts() {
    with_device(|device, folder| {
        let args = ["capture", "-t", "2", "-o", "x.txt", "sched"];
        let screen = on_a_terminal(on(device, folder, &args));
        for words in ["recording ", " events · ", " % full", "collecting "] {
            assert!(screen.contains(words), "no {words:?} in {screen:?}");
        }
        // Nobody watches, so the device is queried after the recording.
        let args = [&["capture", "-o", "x.txt", "sched"], &SMALL[..]].concat();
        let output = record(on(device, folder, &args), busy);
        let (_, stderr) = said(&output);
        assert!(stderr.contains(" events were lost in all: "), "{stderr}");
    });
}
