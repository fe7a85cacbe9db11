//! Builds libraries for tests with the compiler of this machine.

use std::ffi::{CString, c_void};
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

/// A compiler for the machine that the test was built for, which may differ from this machine.
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

/// A folder that is removed at the end of the test.
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

    /// Builds `lib{name}.so` from a file of `c/` with `cc`, `c++` or `clang`, for the machine that the test was built for.
    /// If the compiler cannot, prints the reason and returns `None`.
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

    /// Loads a library that defines `__write_chk` for all libraries.
    pub fn fortify(&self) -> Library {
        let path = self
            .library("cc", "fortify.c", "fortify", &[])
            .expect("a C compiler");
        Library::open_with(&path, libc::RTLD_NOW | libc::RTLD_GLOBAL)
    }

    /// The compiler option with the folder of LLVM's linker, which is part of the Rust toolchain.
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

/// A library that the test has loaded. Dropping it unloads it.
pub struct Library(*mut c_void);

impl Library {
    pub fn open(path: &Path) -> Self {
        Self::open_with(path, libc::RTLD_LAZY | libc::RTLD_LOCAL)
    }

    pub fn open_with(path: &Path, flags: i32) -> Self {
        let name = CString::new(path.as_os_str().as_bytes()).unwrap();
        // SAFETY: the library was built for this test, or is Android's.
        let handle = unsafe { libc::dlopen(name.as_ptr(), flags) };
        // SAFETY: the linker's message is valid until the next call.
        let why = || unsafe { std::ffi::CStr::from_ptr(libc::dlerror()) };
        assert!(!handle.is_null(), "{}: {:?}", path.display(), why());
        Self(handle)
    }

    /// The address of an exported symbol.
    pub fn address(&self, name: &str) -> *mut c_void {
        let name_text = CString::new(name).unwrap();
        // SAFETY: the library is open, and the name is a C string.
        let found = unsafe { libc::dlsym(self.0, name_text.as_ptr()) };
        assert!(!found.is_null(), "no {name}");
        found
    }

    /// A function of the library.
    ///
    /// # Safety
    ///
    /// `F` must be a function pointer of the function's type.
    pub unsafe fn function<F: Copy>(&self, name: &str) -> F {
        assert_eq!(size_of::<F>(), size_of::<*mut c_void>());
        let address = self.address(name);
        // SAFETY: the caller guarantees the type.
        unsafe { std::mem::transmute_copy(&address) }
    }
}

impl Drop for Library {
    fn drop(&mut self) {
        // SAFETY: the handle is open and is closed once.
        unsafe { libc::dlclose(self.0) };
    }
}

// SAFETY: the handle is not bound to a thread.
unsafe impl Send for Library {}
// SAFETY: as above.
unsafe impl Sync for Library {}
