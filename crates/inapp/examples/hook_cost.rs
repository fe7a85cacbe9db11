//! Measures the cost of the hook: `cargo run --release -p traceloom-inapp --example hook_cost`. It needs a C compiler, and
//! for the marks the libcutils built by `cargo xtask device`.

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::fs::File;
use std::os::fd::AsRawFd;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use traceloom_inapp::hook::{Hook, Options};
use traceloom_inapp::platform::{Tags, TracePoints};

type Write = extern "C" fn(c_int, *const c_void, usize) -> isize;
type Begin = extern "C" fn(*const c_char);

fn main() {
    ordinary_writes();
    marks();
}

fn load(path: &Path, function: &CStr) -> *mut c_void {
    let path = CString::new(path.to_str().expect("a path")).expect("a path");
    // SAFETY: both are C strings. Loading libplain.so or Android's libcutils runs no unknown code.
    unsafe {
        libc::dlsym(
            libc::dlopen(path.as_ptr(), libc::RTLD_NOW),
            function.as_ptr(),
        )
    }
}

/// Nanoseconds per call, the best of ten rounds.
fn time(mut call: impl FnMut()) -> f64 {
    const CALLS: u32 = 100_000;
    let round = |_| {
        let begun = Instant::now();
        (0..CALLS).for_each(|_| call());
        begun.elapsed().as_nanos() as f64 / f64::from(CALLS)
    };
    (0..10).map(round).fold(f64::INFINITY, f64::min)
}

static SEEN: AtomicU64 = AtomicU64::new(0);

fn count(payload: &[u8]) {
    SEEN.fetch_add(payload.len() as u64, Ordering::Relaxed);
}

fn install(pass_on: bool) -> Hook {
    let options = Options {
        pass_on,
        ..Options::default()
    };
    Hook::install(&options, count).expect("a hook")
}

fn ordinary_writes() {
    let folder = std::env::temp_dir().join(format!("traceloom-hook-cost-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let (source, library) = (folder.join("plain.c"), folder.join("libplain.so"));
    let text = "#include <unistd.h>\nssize_t put(int f, const void* d, size_t n) { return write(f, d, n); }\n";
    std::fs::write(&source, text).expect("a source");
    let built = Command::new("cc")
        .args(["-shared", "-fPIC", "-O2", "-o"])
        .arg(&library)
        .arg(&source)
        .status();
    assert!(built.is_ok_and(|status| status.success()), "a C compiler");
    let put = load(&library, c"put");
    // SAFETY: `put` is defined above and has this type.
    let put = unsafe { std::mem::transmute::<*mut c_void, Write>(put) };
    let null = File::options()
        .write(true)
        .open("/dev/null")
        .expect("/dev/null");
    let write = || {
        put(null.as_raw_fd(), c"x".as_ptr().cast(), 1);
    };
    let without = time(write);
    let hook = install(true);
    let with = time(write);
    println!("a write to /dev/null: {without:.0} ns, hooked {with:.0} ns");
    let begun = Instant::now();
    let report = hook.refresh().expect("maps");
    let micros = begun.elapsed().as_micros();
    println!("a walk over {} libraries: {micros} µs", report.libraries);
    drop(hook);
    std::fs::remove_dir_all(folder).ok();
}

fn marks() {
    let path = testkit::device_part("libcutils.so");
    if !path.is_file() {
        println!("skipped: no {}", path.display());
        return;
    }
    let begin = load(&path, c"atrace_begin_body");
    // SAFETY: `void atrace_begin_body(const char*)`.
    let begin = unsafe { std::mem::transmute::<*mut c_void, Begin>(begin) };
    let on = TracePoints::turn_on(Tags::all()).expect("libcutils");
    let mark = || begin(c"RecyclerView onBindViewHolder".as_ptr());
    println!("a mark of libcutils to the kernel: {:.0} ns", time(mark));
    let hook = install(true);
    println!("caught, and to the kernel: {:.0} ns", time(mark));
    drop(hook);
    let hook = install(false);
    println!("caught alone: {:.0} ns", time(mark));
    drop((hook, on));
    println!(
        "{} bytes of marks were caught",
        SEEN.load(Ordering::Relaxed)
    );
}
