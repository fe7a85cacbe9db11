//! Ring files that someone cuts or overwrites while they are mapped. The app must go on.

use std::ffi::c_void;
use std::fs::{File, Permissions, metadata, read_dir};
use std::os::fd::AsRawFd;
use std::os::unix::fs::{FileExt, PermissionsExt, symlink};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::ExitStatus;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use testkit::Rng;
use traceloom_inapp::recorder::*;

use crate::child::{counters, options, read, spawn};

const PAGE: usize = 4096;

/// A page of a file that was cut: any access is a fault.
fn cut_page(folder: &Path) -> *mut u8 {
    let path = folder.join("own file");
    std::fs::write(&path, [1; PAGE]).expect("written");
    let file = File::options().read(true).write(true).open(&path);
    let file = file.expect("opened");
    // SAFETY: creates a new mapping.
    let page = unsafe {
        let both = libc::PROT_READ | libc::PROT_WRITE;
        let shared = libc::MAP_SHARED;
        libc::mmap(
            std::ptr::null_mut(),
            PAGE,
            both,
            shared,
            file.as_raw_fd(),
            0,
        )
    };
    assert!(page != libc::MAP_FAILED);
    file.set_len(0).expect("cut");
    page.cast()
}

static FOREIGN: AtomicUsize = AtomicUsize::new(0);

/// The app's own handler of faults.
extern "C" fn app_handler(_: libc::c_int, info: *mut libc::siginfo_t, _: *mut c_void) {
    FOREIGN.fetch_add(1, Ordering::Relaxed);
    // SAFETY: replaces the page of `cut_page` by zeros.
    unsafe {
        let both = libc::PROT_READ | libc::PROT_WRITE;
        let zeros = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED;
        libc::mmap((*info).si_addr(), PAGE, both, zeros, -1, 0);
    }
}

fn install_app_handler() {
    // SAFETY: the handler only calls `mmap`.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = app_handler as *const () as usize;
        action.sa_flags = libc::SA_SIGINFO;
        libc::sigaction(libc::SIGBUS, &action, std::ptr::null_mut());
    }
}

/// Records on several threads until the recording has ended by itself, then goes on with another one.
pub fn cut_scenario(folder: &Path) {
    install_app_handler();
    start(&options(folder)).expect("recording starts");
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let done = &done;
            scope.spawn(move || {
                while !done.load(Ordering::Relaxed) {
                    let _section = section("work");
                    counter_id(thread, 1);
                }
            });
        }
        while is_recording() {
            std::thread::yield_now();
        }
        done.store(true, Ordering::Relaxed);
    });
    assert!(save(&folder.join("saved"), Format::Ring, None).is_err());
    assert_eq!(FOREIGN.load(Ordering::Relaxed), 0);
    let page = cut_page(folder);
    // SAFETY: the app's handler makes the access succeed.
    assert_eq!(unsafe { page.read_volatile() }, 0);
    assert_eq!(FOREIGN.load(Ordering::Relaxed), 1);
    start(&Options::new(folder.join("next.ring"))).expect("nothing is recorded any more");
    counter("next", 1);
    assert!(stop().is_some() && stop().is_none());
}

/// Waits until the child records, damages its file, and returns how the child ended.
fn damage(scenario: &str, folder: &Path, damage: impl FnOnce(&File)) -> ExitStatus {
    let mut child = spawn(scenario, folder);
    let path = folder.join("app.ring");
    while !path.exists() {
        std::thread::yield_now();
    }
    damage(&File::options().write(true).open(&path).expect("the file"));
    child.wait().expect("the child ends")
}

#[test]
fn cutting_the_file_ends_the_recording_and_not_the_app() {
    for length in [0, 8 << 10, 100 << 10] {
        let folder = tempfile::tempdir().expect("a folder");
        let status = damage("cut", folder.path(), |file| {
            file.set_len(length).expect("cut");
        });
        assert!(status.success(), "cut to {length} bytes: {status}");
        let next = counters(&read(folder.path(), "next.ring"));
        assert_eq!(next, [("next".to_owned(), 1.0)]);
    }
}

/// The state of a program in C: no handler. Rust's own swallows signals that are sent.
fn remove_handler() {
    // SAFETY: the call takes no pointers.
    unsafe { libc::signal(libc::SIGBUS, libc::SIG_DFL) };
}

/// A fault that has nothing to do with the recording, in a program without a handler.
pub fn foreign_scenario(folder: &Path) {
    remove_handler();
    start(&options(folder)).expect("recording starts");
    let page = cut_page(folder);
    // SAFETY: the access never returns.
    unsafe { page.read_volatile() };
}

/// The same as a signal that is sent.
pub fn sent_scenario(folder: &Path) {
    remove_handler();
    start(&options(folder)).expect("recording starts");
    // SAFETY: the call takes no pointers.
    unsafe { libc::raise(libc::SIGBUS) };
}

#[test]
fn foreign_faults_have_their_usual_effect() {
    for scenario in ["foreign-fault", "sent-fault"] {
        let folder = tempfile::tempdir().expect("a folder");
        let status = spawn(scenario, folder.path()).wait().expect("it ends");
        assert_eq!(status.signal(), Some(libc::SIGBUS), "{scenario}");
    }
}

/// Records while the parent writes random bytes over the file.
pub fn overwritten_scenario(folder: &Path) {
    let options = Options {
        bytes: 64 << 10,
        chunk_bytes: 1 << 10,
        ..options(folder)
    };
    start(&options).expect("recording starts");
    while !folder.join("done").exists() {
        std::thread::scope(|scope| {
            for thread in 0..4 {
                scope.spawn(move || (0..10_000).for_each(|value| counter_id(thread, value)));
            }
        });
        name_id(1, "a name");
        save(&folder.join("saved"), Format::Ring, None).expect("it can be saved");
    }
    stop();
}

#[test]
fn overwriting_the_file_does_not_hurt_the_app() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut rng = Rng::new(7);
    let status = damage("overwritten", folder.path(), |file| {
        for _ in 0..300 {
            let bytes: Vec<u8> = (0..PAGE).map(|_| rng.below(256) as u8).collect();
            let at = rng.below(35) * PAGE as u64;
            file.write_all_at(&bytes, at).expect("written");
        }
        File::create(folder.path().join("done")).expect("created");
    });
    assert!(status.success(), "{status}");
}

/// Starts that must fail, and the mode of the file.
pub fn file_scenario(folder: &Path) {
    std::fs::write(folder.join("precious"), "precious").expect("written");
    symlink("precious", folder.join("link")).expect("linked");
    std::fs::create_dir(folder.join("folder")).expect("created");
    let refused = |options: &Options| {
        let error = start(options).expect_err("it must fail");
        assert_eq!(error.kind(), std::io::ErrorKind::InvalidInput, "{error}");
    };
    refused(&Options::new(folder.join("link")));
    refused(&Options::new(folder.join("folder")));
    let huge = Options {
        bytes: 99_999_999_999_999,
        ..options(folder)
    };
    refused(&huge);
    // The largest file that this process may write is smaller than the ring.
    let limit = libc::rlimit {
        rlim_cur: 1 << 20,
        rlim_max: libc::RLIM_INFINITY,
    };
    // SAFETY: the struct is a local variable.
    unsafe {
        libc::signal(libc::SIGXFSZ, libc::SIG_IGN);
        libc::setrlimit(libc::RLIMIT_FSIZE, &limit);
    }
    start(&options(folder)).expect_err("it must fail");
    let names = read_dir(folder).expect("the folder");
    let mut names: Vec<_> = names
        .map(|entry| entry.expect("an entry").file_name())
        .collect();
    names.sort();
    assert_eq!(names, ["folder", "link", "precious"]);
    assert_eq!(
        std::fs::read(folder.join("precious")).expect("read"),
        b"precious"
    );
    let small = Options {
        bytes: 100 << 10,
        ..options(folder)
    };
    start(&small).expect("recording starts");
    let mode = metadata(&small.path).expect("the file").permissions();
    assert_eq!(mode.mode() & 0o777, Permissions::from_mode(0o600).mode());
    stop();
}

#[test]
fn a_failed_start_leaves_no_file_and_the_file_is_private() {
    crate::child::run("file");
}
