//! Compresses the standard library for `src/stdlib/modules.rs`.

use std::error::Error;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

use flate2::Compression;
use flate2::write::GzEncoder;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

fn main() -> Result<()> {
    let folder = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?).join("src/stdlib");
    let out = PathBuf::from(env::var("OUT_DIR")?);
    println!("cargo::rerun-if-changed=src/stdlib");
    let (list, text) = modules(&folder)?;
    fs::write(out.join("modules.rs"), list)?;
    let mut gzip = GzEncoder::new(Vec::new(), Compression::best());
    gzip.write_all(text.as_bytes())?;
    Ok(fs::write(out.join("modules.gz"), gzip.finish()?)?)
}

/// `MODULES`: the name of each module, and the position of its text in the text of all modules. Also returns that text.
fn modules(folder: &Path) -> Result<(String, String)> {
    let mut files = Vec::new();
    collect(folder, "", &mut files)?;
    files.sort();
    let mut list = "const MODULES: &[(&str, std::ops::Range<usize>)] = &[\n".to_owned();
    let mut text = String::new();
    for (name, path) in files {
        let start = text.len();
        text += &fs::read_to_string(path)?;
        writeln!(list, "    ({name:?}, {start}..{}),", text.len())?;
    }
    list += "];\n";
    Ok((list, text))
}

/// Adds the modules of a folder: `android/slices.sql` is `android.slices`. The prelude is not a module.
fn collect(folder: &Path, prefix: &str, files: &mut Vec<(String, PathBuf)>) -> Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let stem = path.file_stem().and_then(|stem| stem.to_str());
        let name = format!("{prefix}{}", stem.ok_or("a file name is not UTF-8")?);
        if path.is_dir() {
            collect(&path, &format!("{name}."), files)?;
        } else if path.extension().is_some_and(|it| it == "sql") && name != "prelude" {
            files.push((name, path));
        }
    }
    Ok(())
}
