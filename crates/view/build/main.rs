//! Lists the page's files for `src/assets.rs`, packs its style and script, and compiles and packs
//! the engine, which is WebAssembly.

use std::error::Error;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use flate2::Compression;
use flate2::write::GzEncoder;
use traceloom_pack::{pack_module, pack_text};

#[path = "../src/bundle.rs"]
mod bundle;
#[path = "../src/module.rs"]
mod module;
#[path = "../src/short/mod.rs"]
mod short;
#[path = "../src/tokens.rs"]
mod tokens;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

const TARGET: &str = "wasm32-unknown-unknown";
const ENGINE: &str = "traceloom-page-engine";
const UNPACKER: &str = "traceloom-unpacker";
const PROFILE: &str = "page";

/// What both are made of, from the workspace's folder on.
const SOURCES: &[&str] = &[
    "Cargo.toml",
    "Cargo.lock",
    "crates/trace/Cargo.toml",
    "crates/trace/src",
    "crates/analyze/Cargo.toml",
    "crates/analyze/src",
    "crates/columns/Cargo.toml",
    "crates/columns/src",
    "crates/engine/Cargo.toml",
    "crates/engine/src",
    "crates/pack/Cargo.toml",
    "crates/pack/src",
    "crates/pack/unpacker",
    "crates/view/wasm",
];

fn main() -> Result<()> {
    let here = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?);
    let out = PathBuf::from(env::var("OUT_DIR")?);
    println!("cargo::rerun-if-changed=build");
    println!("cargo::rerun-if-changed=web");
    println!("cargo::rerun-if-changed=src");
    let web = here.join("web");
    fs::write(out.join("assets.rs"), assets(&web)?)?;
    let (page, style) = (script(&web, "app/main")?, style(&web)?);
    let both = format!("{style}\0{page}");
    fs::write(out.join("page.pack"), pack_text(both.as_bytes())?)?;
    fs::write(out.join("page.js"), page)?;
    fs::write(out.join("page.css"), style)?;
    for (name, path) in [("first.css", "first.css"), ("live.css", "live/live.css")] {
        let style = fs::read_to_string(web.join(path))?;
        fs::write(out.join(name), short::style::short_style(&style))?;
    }
    fs::write(out.join("live.js"), script(&web, "live/live")?)?;
    fs::write(out.join("start.js"), script(&web, "source/start")?)?;
    let root = here.ancestors().nth(2).ok_or("no workspace")?;
    for source in SOURCES {
        println!("cargo::rerun-if-changed={}", root.join(source).display());
    }
    let (engine, unpacker) = if has_target()? {
        (
            pack_module(&module(ENGINE, root, &out)?)?,
            gzipped(&module(UNPACKER, root, &out)?)?,
        )
    } else {
        Default::default()
    };
    fs::write(out.join("engine.pack"), engine)?;
    fs::write(out.join("unpacker.wasm.gz"), unpacker)?;
    Ok(())
}

fn gzipped(content: &[u8]) -> Result<Vec<u8>> {
    let mut gzip = GzEncoder::new(Vec::new(), Compression::best());
    gzip.write_all(content)?;
    Ok(gzip.finish()?)
}

/// A module and all that it imports as one script, as short as it gets.
fn script(web: &Path, entry: &str) -> Result<String> {
    let find = |name: &str| fs::read_to_string(web.join(format!("{name}.js"))).ok();
    short::shortened(entry, &find)
}

/// `page.css` and what the rooms add to it, but for what only a server's page has.
fn style(web: &Path) -> Result<String> {
    let mut files = Vec::new();
    collect(web, web, &mut files)?;
    files.retain(|file| file.contains('/') && file.ends_with(".css") && file != "live/live.css");
    files.sort();
    let mut style = fs::read_to_string(web.join("page.css"))?;
    for file in files {
        style += &fs::read_to_string(web.join(file))?;
    }
    Ok(short::style::short_style(&style))
}

/// `ASSETS`: each style sheet and document of the page by its path below `web/`.
fn assets(web: &Path) -> Result<String> {
    let mut files = Vec::new();
    collect(web, web, &mut files)?;
    files.sort();
    let mut list = "static ASSETS: &[(&str, &str)] = &[\n".to_owned();
    for file in files {
        let path = web.join(&file);
        writeln!(list, "    ({file:?}, include_str!({path:?})),")?;
    }
    list += "];\n";
    Ok(list)
}

fn collect(web: &Path, folder: &Path, files: &mut Vec<String>) -> Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let ending = path.extension().and_then(|ending| ending.to_str());
        if path.is_dir() {
            collect(web, &path, files)?;
        } else if matches!(ending, Some("css" | "html")) {
            let below = path.strip_prefix(web)?.to_str();
            files.push(below.ok_or("a name that is not UTF-8")?.replace('\\', "/"));
        }
    }
    Ok(())
}

/// A package as WebAssembly.
fn module(package: &str, root: &Path, out: &Path) -> Result<Vec<u8>> {
    let target_dir = out.join("engine");
    let mut cargo = Command::new(env::var_os("CARGO").ok_or("no cargo")?);
    cargo
        .current_dir(root)
        .args(["build", "--quiet", "--locked", "--package", package])
        .args(["--profile", PROFILE, "--target", TARGET, "--target-dir"])
        .arg(&target_dir);
    clean(&mut cargo, root);
    let output = cargo.output()?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        return Err(format!("{package} does not compile for {TARGET}:\n{said}").into());
    }
    let name = format!("{}.wasm", package.replace('-', "_"));
    Ok(fs::read(target_dir.join(TARGET).join(PROFILE).join(name))?)
}

/// Whether this toolchain can compile for the browser. The program is whole without it but for
/// reports, and those say what is missing.
fn has_target() -> Result<bool> {
    let rustc = env::var_os("RUSTC").ok_or("no rustc")?;
    let asked = ["--print", "target-libdir", "--target", TARGET];
    let folder = Command::new(rustc).args(asked).output()?.stdout;
    let folder = String::from_utf8(folder)?;
    let folder = Path::new(folder.trim());
    if !folder.is_dir() {
        // A path that is not there runs this again with every build, until it is.
        println!("cargo::rerun-if-changed={}", folder.display());
        println!(
            "cargo::warning=reports cannot be written by this build: `rustup target add {TARGET}`, then build again"
        );
    }
    Ok(folder.is_dir())
}

/// What the outer build set for itself must not reach the inner one: flags for another target,
/// clippy in the compiler's place. Its jobs are counted together with the outer ones.
fn clean(cargo: &mut Command, root: &Path) {
    let ours = [
        "CARGO",
        "CARGO_HOME",
        "CARGO_MAKEFLAGS",
        "CARGO_INCREMENTAL",
    ];
    let inherited = |name: &str| {
        ours.contains(&name)
            || ["CARGO_NET", "CARGO_HTTP", "CARGO_REGISTR", "CARGO_SOURCE"]
                .iter()
                .any(|start| name.starts_with(start))
    };
    for (name, _) in env::vars_os() {
        let name = name.to_string_lossy();
        if name.starts_with("CARGO") && !inherited(&name) {
            cargo.env_remove(&*name);
        }
    }
    for name in ["RUSTFLAGS", "RUSTC_WORKSPACE_WRAPPER", "CLIPPY_ARGS"] {
        cargo.env_remove(name);
    }
    // Places of panics would tell where this was built, and make each machine's report differ.
    let mut flags = vec![format!("--remap-path-prefix={}=", root.display())];
    if let Some(home) = cargo_home() {
        flags.push(format!("--remap-path-prefix={}=cargo", home.display()));
    }
    cargo.env("CARGO_ENCODED_RUSTFLAGS", flags.join("\x1f"));
}

fn cargo_home() -> Option<PathBuf> {
    let home = || Some(PathBuf::from(env::var_os("HOME")?).join(".cargo"));
    env::var_os("CARGO_HOME").map(PathBuf::from).or_else(home)
}
