//! Compiles, weaves and runs the app.

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The program under test.
pub const TRACELOOM: &str = env!("CARGO_BIN_EXE_traceloom");

/// The number of frames that each of the two threads draws. Every other one throws.
pub const FRAMES: u64 = 10;

/// A user without permission to open a trace_marker.
const NOBODY: u32 = 65534;

/// A folder with the woven app and its files.
pub struct App {
    folder: tempfile::TempDir,
}

impl App {
    /// Builds the app; prints a message and returns `None` if a tool is missing.
    pub fn build() -> Option<Self> {
        let libcutils = testkit::device_part("libcutils.so");
        let include = java_include()?;
        if !libcutils.is_file() {
            println!(
                "skipped: no {}; cargo xtask device builds it",
                libcutils.display()
            );
            return None;
        }
        let folder = tempfile::tempdir().unwrap();
        let app = Self { folder };
        std::fs::set_permissions(app.path(""), Permissions::from_mode(0o777)).unwrap();
        std::fs::copy(libcutils, app.path("libcutils.so")).unwrap();
        let library = std::env::current_exe().unwrap();
        let library = library.with_file_name("libtraceloom_inapp.so");
        std::fs::copy(library, app.path("libtraceloom.so")).expect("it is built with the test");
        app.compile(&include);
        app.weave();
        Some(app)
    }

    /// A file of the folder.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn compile(&self, include: &Path) {
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        let mut cc = Command::new("cc");
        cc.args([
            "-shared", "-fPIC", "-O1", "-Wall", "-Wextra", "-Werror", "-o",
        ]);
        cc.arg(self.path("libsection.so"));
        cc.arg(here.join("tests/in_app/section.c"));
        cc.arg("-I")
            .arg(include)
            .arg("-I")
            .arg(include.join("linux"))
            .arg("-ldl");
        succeeds(&mut cc);
        let mut javac = Command::new("javac");
        javac.args(["--release", "8", "-Xlint:-options", "-d"]);
        javac.arg(self.path("classes"));
        javac.arg("-sourcepath").arg(here.join("../inapp/java"));
        javac.args(
            ["Program", "Trace"].map(|name| here.join(format!("tests/in_app/java/{name}.java"))),
        );
        succeeds(&mut javac);
    }

    fn weave(&self) {
        let mut weave =
            self.traceloom(&["weave", "classes", "-o", "woven", "--map", "methods.txt"]);
        weave.args(["--call", "recorder", "--include", "com.example.app"]);
        weave.args(["--exclude", "com.example.app.Program.main"]);
        succeeds(&mut weave);
    }

    /// traceloom, run in the folder.
    pub fn traceloom(&self, args: &[&str]) -> Command {
        let mut command = Command::new(TRACELOOM);
        command.args(args).current_dir(self.path(""));
        command
    }

    /// Runs it to its end, without permission to see the kernel's trace. Returns its output.
    pub fn run(&self, ring: &str) -> String {
        let mut library_path = std::ffi::OsString::from("-Djava.library.path=");
        library_path.push(self.path(""));
        let mut java = Command::new("java");
        java.args([
            "-Xcheck:jni",
            // The machine's own notes come at any moment, also inside a line of the program.
            "-XX:+DisplayVMOutputToStderr",
            "-Xverify:all",
            "-XX:-UsePerfData",
            "-cp",
            "woven",
        ]);
        java.arg(library_path)
            .args(["com.example.app.Program", ring]);
        java.current_dir(self.path(""))
            .env("LIBCUTILS", self.path("libcutils.so"));
        // SAFETY: geteuid takes nothing and cannot fail.
        if unsafe { libc::geteuid() } == 0 {
            java.uid(NOBODY).gid(NOBODY);
        }
        let output = succeeds(&mut java);
        let notes = String::from_utf8_lossy(&output.stderr);
        assert!(!notes.contains("WARNING"), "a check of JNI failed: {notes}");
        String::from_utf8(output.stdout).unwrap()
    }

    /// The profile of a trace in the folder, with the names of the map.
    pub fn profile(&self, trace: &str) -> serde_json::Value {
        let mut profile = self.traceloom(&["profile", trace, "--json", "--limit", "1000"]);
        let output = succeeds(profile.args(["--method-map", "methods.txt"]));
        serde_json::from_slice(&output.stdout).unwrap()
    }
}

/// Runs a command that must succeed.
pub fn succeeds(command: &mut Command) -> Output {
    let output = command
        .output()
        .unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let (out, err) = (&output.stdout, &output.stderr);
    let said = [out, err].map(|bytes| String::from_utf8_lossy(bytes));
    assert!(output.status.success(), "{command:?}: {said:?}");
    output
}

/// The folder of `jni.h`.
fn java_include() -> Option<PathBuf> {
    let paths = std::env::var_os("PATH").unwrap_or_default();
    let javac = std::env::split_paths(&paths).map(|folder| folder.join("javac"));
    let javac = javac.filter_map(|javac| javac.canonicalize().ok());
    let include = javac.filter_map(|javac| Some(javac.parent()?.parent()?.join("include")));
    let include = include
        .into_iter()
        .find(|include| include.join("jni.h").is_file());
    if include.is_none() {
        println!("skipped: no javac with jni.h");
    }
    include
}
