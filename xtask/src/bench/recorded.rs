//! Method traces of real programs, woven and recorded by the library into a buffer of the default size of
//! `Debug.startMethodTracing`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Result;

use super::calls::recording_library;
use super::data;
use super::figures::traceloom;
use super::weave::module;
use crate::run::{check, command, have};

/// The size of the buffer in bytes.
const BUFFER: &str = "8388608";

const ANT: &str = "/usr/share/ant/lib";

/// The work of ant: it unpacks its own jar, packs the classes again and computes checksums.
const BUILD: &str = "<project default='all'><target name='all'>\
    <unzip src='/usr/share/ant/lib/ant.jar' dest='made'/><zip destfile='made.zip' basedir='made'/>\
    <checksum todir='sums' algorithm='SHA'><fileset dir='made' includes='**/*.class'/></checksum>\
    </target></project>";

/// The traces of the installed programs. Records them if missing.
pub fn traces() -> Result<Vec<PathBuf>> {
    if !have("jimage") || !have("javac") {
        println!(
            "skipped: no traces of real programs, a JDK is missing (Debian package: default-jdk-headless)"
        );
        return Ok(Vec::new());
    }
    let mut traces = vec![trace("javac", javac)?];
    if Path::new(ANT).join("ant.jar").exists() {
        traces.push(trace("ant", ant)?);
    } else {
        println!("skipped: no trace of ant (Debian package: ant)");
    }
    Ok(traces)
}

/// Weaves and records a program in a separate folder. The names are written into the trace, because the
/// original dmtracedump reads no method map.
fn trace(name: &str, record: fn(&Path) -> Result<Command>) -> Result<PathBuf> {
    let root = testkit::workspace_root();
    let folder = data::folder().join("recorded").join(name);
    let path = folder.join(format!("{name}.trace"));
    if path.exists() {
        return Ok(path);
    }
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    fs::create_dir_all(&folder)?;
    recording_library(&folder.join("libtraceloom.so"))?;
    let sources = [
        root.join("crates/inapp/java"),
        root.join("xtask/src/bench/java"),
    ];
    let sources = sources.map(|path| path.display().to_string()).join(":");
    let mut compile = command(
        "javac",
        &["-nowarn", "-d", "recorder", "-sourcepath", &sources],
    );
    compile.arg(root.join("xtask/src/bench/java/traceloom/Traced.java"));
    check(within(&folder, compile))?;
    check(within(&folder, record(&folder)?))?;
    let mut names = traceloom(&["convert", "ids.trace", "--method-map", "methods.txt", "-o"]);
    names.arg(&path);
    check(within(&folder, names))?;
    Ok(path)
}

/// The JDK's compiler compiles the recorder.
fn javac(folder: &Path) -> Result<Command> {
    let mut weave = weave();
    weave.arg(module("jdk.compiler")?);
    check(within(folder, weave))?;
    let mut java = java(&["--patch-module", "jdk.compiler=woven:recorder"]);
    java.args(["-m", "jdk.compiler/traceloom.Traced", "ids.trace", BUFFER]);
    java.args(["com.sun.tools.javac.Main", "-nowarn", "-d", "compiled"]);
    let sources = testkit::workspace_root().join("crates/inapp/java");
    java.arg("-sourcepath").arg(&sources);
    java.arg(sources.join("traceloom/Recorder.java"));
    Ok(java)
}

/// Ant runs [`BUILD`].
fn ant(folder: &Path) -> Result<Command> {
    fs::write(folder.join("build.xml"), BUILD)?;
    let mut weave = weave();
    weave.args(["ant.jar", "ant-launcher.jar"].map(|jar| Path::new(ANT).join(jar)));
    check(within(folder, weave))?;
    let classes = "woven/ant.jar:woven/ant-launcher.jar:recorder";
    let mut java = java(&["-cp", classes, "traceloom.Traced", "ids.trace", BUFFER]);
    java.args(["org.apache.tools.ant.Main", "-q", "-f", "build.xml"]);
    Ok(java)
}

fn weave() -> Command {
    traceloom(&[
        "weave",
        "--call",
        "recorder",
        "--map",
        "methods.txt",
        "-o",
        "woven",
    ])
}

fn java(args: &[&str]) -> Command {
    let mut java = command("java", &["-Djava.library.path=."]);
    java.args(args);
    java
}

fn within(folder: &Path, mut command: Command) -> Command {
    command.current_dir(folder);
    command
}
