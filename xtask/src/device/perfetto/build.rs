//! The folders of a build of Perfetto, and its compilers.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use super::blueprint::Blueprint;
use crate::device::source::compile;
use crate::run::{check, command};

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

/// The folders of the build, and the content of `Android.bp`.
pub struct Build {
    /// The source tree.
    pub src: PathBuf,
    /// Generated sources.
    pub generated: PathBuf,
    pub objects: PathBuf,
    pub blueprint: Blueprint,
}

impl Build {
    /// A build of this source tree. Its results go to the folder `work`.
    pub fn new(src: PathBuf, work: &Path) -> Result<Self> {
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
    pub fn write_switches(&self) -> Result<()> {
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

    /// The path of a plug-in.
    pub fn plugin(&self, name: &str) -> PathBuf {
        self.objects.join(name)
    }

    /// Builds a plug-in of the protocol buffer compiler.
    pub fn link_plugin(&self, name: &str) -> Result<()> {
        let (files, _) = self.blueprint.sources(name)?;
        let objects = self.compile(&files)?;
        let libraries = ["-lprotoc", "-lprotobuf", "-lpthread"];
        self.link(&objects, &libraries, &self.plugin(name))
    }

    /// Compiles sources that have no object yet; several programs share some. Returns all objects.
    pub fn compile(&self, files: &[String]) -> Result<Vec<PathBuf>> {
        let is_source = |file: &&String| file.ends_with(".cc") && !file.ends_with(ANDROID_ONLY);
        let files: Vec<&str> = files.iter().filter(is_source).map(String::as_str).collect();
        let object = |file: &str| self.objects.join(format!("{}.o", file.replace('/', "_")));
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

    /// Links a program.
    pub fn link(&self, objects: &[PathBuf], libraries: &[&str], to: &Path) -> Result<()> {
        let mut clang = command("clang++", &["-o"]);
        clang.arg(to).args(objects).args(libraries);
        check(clang)
    }
}
