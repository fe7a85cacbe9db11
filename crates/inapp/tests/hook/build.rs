//! Libraries that the machine's compiler builds for a test.

use std::ffi::{CString, c_void};
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

/// A compiler for the machine that the test was built for, which need not be the one that it is built on.
pub fn compile(compiler: &str) -> Command {
    match compiler {
        "cc" if cfg!(target_arch = "aarch64") => Command::new("aarch64-linux-gnu-gcc"),
        "c++" if cfg!(target_arch = "aarch64") => Command::new("aarch64-linux-gnu-g++"),
        "clang" if cfg!(target_arch = "aarch64") => {
            let mut clang = Command::new("clang");
            clang.arg("--target=aarch64-linux-gnu");
            clang
        }
        compiler => Command::new(compiler),
    }
}

/// A folder that goes with the test.
pub struct Workshop(PathBuf);

impl Workshop {
    pub fn new() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR"))
            .join(format!("hook-{}-{count}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        Self(folder)
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// Builds `lib{name}.so` from a file of `c/` with `cc`, `c++` or `clang`, for the machine that the test was
    /// built for; `None`, with a word, where this compiler cannot.
    pub fn library(
        &self,
        compiler: &str,
        source: &str,
        name: &str,
        flags: &[&str],
    ) -> Option<PathBuf> {
        let source = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("tests/hook/c")
            .join(source);
        let library = self.path(&format!("lib{name}.so"));
        let mut command = compile(compiler);
        command
            .args(["-shared", "-fPIC", "-O1", "-w", "-o"])
            .arg(&library)
            .arg(source)
            .args(flags);
        match command.output() {
            Ok(output) if output.status.success() => Some(library),
            Ok(output) => {
                let why = String::from_utf8_lossy(&output.stderr);
                println!(
                    "skipped: {compiler} cannot build {name}: {}",
                    why.lines().next().unwrap_or_default()
                );
                None
            }
            Err(error) => {
                println!("skipped: {compiler}: {error}");
                None
            }
        }
    }

    /// The library that has `__write_chk`, for all to see.
    pub fn fortify(&self) -> Library {
        let path = self
            .library("cc", "fortify.c", "fortify", &[])
            .expect("a C compiler");
        Library::open_with(&path, libc::RTLD_NOW | libc::RTLD_GLOBAL)
    }

    /// Where LLVM's linker is: Rust brings it along.
    pub fn lld() -> Option<String> {
        let rustc = Command::new(std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()));
        let output = { rustc }.args(["--print", "target-libdir"]).output().ok()?;
        let folder = PathBuf::from(String::from_utf8(output.stdout).ok()?.trim())
            .parent()?
            .join("bin/gcc-ld");
        folder
            .join("ld.lld")
            .is_file()
            .then(|| format!("-B{}", folder.display()))
    }
}

impl Drop for Workshop {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.0).ok();
    }
}

/// A library that this test has loaded; dropping it unloads it.
pub struct Library(*mut c_void);

impl Library {
    pub fn open(path: &Path) -> Self {
        Self::open_with(path, libc::RTLD_LAZY | libc::RTLD_LOCAL)
    }

    pub fn open_with(path: &Path, flags: i32) -> Self {
        let name = CString::new(path.as_os_str().as_bytes()).unwrap();
        // SAFETY: a library that was built for this test, or Android's.
        let handle = unsafe { libc::dlopen(name.as_ptr(), flags) };
        // SAFETY: a text of the linker's, there until the next call.
        let why = || unsafe { std::ffi::CStr::from_ptr(libc::dlerror()) };
        assert!(!handle.is_null(), "{}: {:?}", path.display(), why());
        Self(handle)
    }

    /// Address of what the library exports.
    pub fn address(&self, name: &str) -> *mut c_void {
        let name_text = CString::new(name).unwrap();
        // SAFETY: an open library and a text.
        let found = unsafe { libc::dlsym(self.0, name_text.as_ptr()) };
        assert!(!found.is_null(), "no {name}");
        found
    }

    /// A function of the library.
    ///
    /// # Safety
    ///
    /// `F` is the type of a pointer to a function as this one is.
    pub unsafe fn function<F: Copy>(&self, name: &str) -> F {
        assert_eq!(size_of::<F>(), size_of::<*mut c_void>());
        let address = self.address(name);
        // SAFETY: the caller vouches for the type.
        unsafe { std::mem::transmute_copy(&address) }
    }
}

impl Drop for Library {
    fn drop(&mut self) {
        // SAFETY: opened above, closed once.
        unsafe { libc::dlclose(self.0) };
    }
}

// SAFETY: a handle is no thread's own.
unsafe impl Send for Library {}
// SAFETY: as above.
unsafe impl Sync for Library {}
