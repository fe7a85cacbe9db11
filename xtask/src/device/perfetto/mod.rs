//! Perfetto's service, its recorder of the kernel, and its command `perfetto`, for this machine. Their source is a
//! clone of google/perfetto, whose `Android.bp` lists the files.

mod blueprint;
mod protos;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use anyhow::{Context, Result, ensure};

use super::source::compile;
use crate::run::{check, command, shown};
use blueprint::Blueprint;
use protos::{PLUGINS, Protos};

/// The Debian packages that the build needs.
pub const PACKAGES: &[&str] = &[
    "clang",
    "git",
    "libprotobuf-dev",
    "libprotoc-dev",
    "protobuf-compiler",
    "zlib1g-dev",
];

/// The variable with the clone.
const CLONE: &str = "TRACELOOM_PERFETTO";

/// The programs, and the library that the last two contain.
const PROGRAMS: [(&str, bool); 3] = [
    ("traced", true),
    ("traced_probes", true),
    ("perfetto", false),
];
const LIBRARY: &str = "libperfetto";

/// Sources that only compile for Android.
const ANDROID_ONLY: &str = "perfetto_cmd_android.cc";

/// Switches of the source. Libraries that the tests do not need are off.
const SWITCHES: &[(&str, u8)] = &[
    ("ANDROID_BUILD", 0),
    ("STANDALONE_BUILD", 1),
    ("VERSION_GEN", 0),
    ("ZSTD", 0),
    ("PCRE2", 0),
];
const SWITCH_FILE: &str = "perfetto_build_flags.h";

/// Fails if there is neither a clone nor an unpacked source.
pub fn has_source() -> Result<()> {
    let program = testkit::device_part("perfetto");
    let folder = program.parent().context("no folder for perfetto")?;
    if source(folder).is_dir() {
        return Ok(());
    }
    clone().map(drop)
}

/// The source tree.
fn source(folder: &Path) -> PathBuf {
    folder.join("perfetto-source/src")
}

fn clone() -> Result<String> {
    let clone = std::env::var(CLONE).ok().filter(|clone| !clone.is_empty());
    clone.with_context(|| format!("{CLONE} does not name a clone of google/perfetto"))
}

/// Builds the three programs.
pub fn build() -> Result<()> {
    let program = testkit::device_part("perfetto");
    let folder = program.parent().context("no folder for perfetto")?;
    let build = Build::new(folder)?;
    build.write_switches()?;
    for (plugin, _) in PLUGINS {
        build.link_plugin(plugin)?;
    }
    let protos = Protos::generate(&build)?;
    let library = build.objects(LIBRARY, &protos)?;
    for (name, has_library) in PROGRAMS {
        let mut objects = build.objects(name, &protos)?;
        objects.extend(library.iter().filter(|_| has_library).cloned());
        objects.sort();
        objects.dedup();
        // A temporary name until it is complete: a file of the final name counts as built.
        let whole = folder.join(format!("{name}.new"));
        build.link(&objects, &["-lz", "-lpthread", "-lrt", "-ldl"], &whole)?;
        fs::rename(whole, folder.join(name))?;
    }
    Ok(())
}

/// The folders of the build, and what `Android.bp` says.
struct Build {
    /// The source tree.
    src: PathBuf,
    /// Generated sources.
    generated: PathBuf,
    objects: PathBuf,
    blueprint: Blueprint,
}

impl Build {
    fn new(folder: &Path) -> Result<Self> {
        let work = folder.join("perfetto-source");
        let src = source(folder);
        if !src.is_dir() {
            unpack(&src)?;
        }
        let text = fs::read_to_string(src.join("Android.bp"))?;
        let generated = work.join("generated");
        fs::create_dir_all(&generated)?;
        Ok(Self {
            src,
            generated,
            objects: work.join("objects"),
            blueprint: Blueprint::parse(&text)?,
        })
    }

    /// The file that turns features on and off.
    fn write_switches(&self) -> Result<()> {
        let original = format!("include/perfetto/base/build_configs/android_tree/{SWITCH_FILE}");
        let mut text = fs::read_to_string(self.src.join(original))?;
        for (name, value) in SWITCHES {
            let define = format!("DEFINE_PERFETTO_{name}() (");
            let at = text
                .find(&define)
                .with_context(|| format!("no switch {name}"))?
                + define.len();
            text.replace_range(at..at + 1, &value.to_string());
        }
        fs::write(self.generated.join(SWITCH_FILE), text)?;
        Ok(())
    }

    fn plugin(&self, name: &str) -> PathBuf {
        self.objects.join(name)
    }

    /// Builds a plug-in of the protocol buffer compiler.
    fn link_plugin(&self, name: &str) -> Result<()> {
        let (files, _) = self.blueprint.sources(name)?;
        let objects = self.compile(&files)?;
        let libraries = ["-lprotoc", "-lprotobuf", "-lpthread"];
        self.link(&objects, &libraries, &self.plugin(name))
    }

    /// The objects of a program or library.
    fn objects(&self, name: &str, protos: &Protos) -> Result<Vec<PathBuf>> {
        let (mut files, generators) = self.blueprint.sources(name)?;
        for generator in &generators {
            files.extend(protos.sources(self, generator)?);
        }
        self.compile(&files)
    }

    fn compile(&self, files: &[String]) -> Result<Vec<PathBuf>> {
        let is_source = |file: &&String| file.ends_with(".cc") && !file.ends_with(ANDROID_ONLY);
        let files: Vec<&str> = files.iter().filter(is_source).map(String::as_str).collect();
        let object = |file: &str| self.objects.join(format!("{}.o", file.replace('/', "_")));
        // Several programs share sources.
        let missing: Vec<&str> = files
            .iter()
            .copied()
            .filter(|file| !object(file).is_file())
            .collect();
        let include = format!("-I{}", self.generated.display());
        let flags = ["-O0", "-w", "-DNDEBUG", &include, "-Iinclude", "-I."];
        compile(&self.src, &missing, &flags, &self.objects)?;
        Ok(files.into_iter().map(object).collect())
    }

    fn link(&self, objects: &[PathBuf], libraries: &[&str], to: &Path) -> Result<()> {
        let mut clang = command("clang++", &["-o"]);
        clang.arg(to).args(objects).args(libraries);
        check(clang)
    }
}

/// Unpacks the newest commit of the clone.
fn unpack(to: &Path) -> Result<()> {
    let clone = clone()?;
    let whole = to.with_extension("new");
    fs::create_dir_all(&whole)?;
    let mut archive = command("git", &["-C", &clone, "archive", "HEAD"]);
    archive.args(["Android.bp", "include", "src", "protos"]);
    let line = shown(&archive);
    let mut archive = archive.stdout(Stdio::piped()).spawn()?;
    let mut tar = command("tar", &["-x", "-C"]);
    tar.arg(&whole);
    tar.stdin(archive.stdout.take().context("no output")?);
    check(tar)?;
    ensure!(archive.wait()?.success(), "{line} failed");
    fs::rename(whole, to)?;
    Ok(())
}
