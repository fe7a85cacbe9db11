//! Compresses the table of Perfetto's messages for `src/perfetto/descriptors/mod.rs`.

use std::error::Error;
use std::io::Write;
use std::path::PathBuf;
use std::{env, fs};

use flate2::Compression;
use flate2::write::GzEncoder;

const TABLE: &str = "src/perfetto/descriptors/messages.txt";

fn main() -> Result<(), Box<dyn Error>> {
    let here = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?);
    let out = PathBuf::from(env::var("OUT_DIR")?);
    println!("cargo::rerun-if-changed={TABLE}");
    let mut gzip = GzEncoder::new(Vec::new(), Compression::best());
    gzip.write_all(&fs::read(here.join(TABLE))?)?;
    Ok(fs::write(out.join("messages.gz"), gzip.finish()?)?)
}
