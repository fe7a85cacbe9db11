//! Embeds the page's files for `src/web.rs`, and makes the engine of reports for `src/engine.rs`.

use std::error::Error;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

mod engine;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

fn main() -> Result<()> {
    let here = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?);
    let out = PathBuf::from(env::var("OUT_DIR")?);
    println!("cargo::rerun-if-changed=build");
    println!("cargo::rerun-if-changed=web");
    let (list, text) = files(&here.join("web"))?;
    fs::write(out.join("files.rs"), list)?;
    fs::write(out.join("page.gz"), engine::gzip(text.as_bytes())?)?;
    fs::write(out.join("engine.wasm.gz"), engine::gzipped(&here, &out)?)?;
    Ok(())
}

/// The `FILES` table and the text of all files. The table has the path of each file and its range
/// in that text.
fn files(web: &Path) -> Result<(String, String)> {
    let mut paths = Vec::new();
    collect(web, web, &mut paths)?;
    paths.sort();
    let mut list = "static FILES: &[(&str, std::ops::Range<usize>)] = &[\n".to_owned();
    let mut text = String::new();
    for path in paths {
        let start = text.len();
        text += &fs::read_to_string(web.join(&path))?;
        writeln!(list, "    ({path:?}, {start}..{}),", text.len())?;
    }
    list += "];\n";
    Ok((list, text))
}

fn collect(web: &Path, folder: &Path, paths: &mut Vec<String>) -> Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let extension = path.extension().and_then(|extension| extension.to_str());
        if path.is_dir() {
            collect(web, &path, paths)?;
        } else if matches!(extension, Some("css" | "html" | "js")) {
            let below = path.strip_prefix(web)?.to_str();
            paths.push(below.ok_or("a file name is not UTF-8")?.replace('\\', "/"));
        }
    }
    Ok(())
}
