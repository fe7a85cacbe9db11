//! The inputs of the bench, and programs that show the machine's limit for them.

use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, bail};
use flate2::Compression;
use flate2::write::ZlibEncoder;
use testkit::{
    CallShape, busy_dat, call_trace, ftrace_text, perfetto_kernel, perfetto_tracks, storage_text,
    wide_call_trace,
};

use crate::run::{check, target_folder};

/// Number of methods in the traces: about the number that one screen of an app calls.
const METHODS: u32 = 2_000;
/// Numbers of threads: of a system server, and of an app.
const MANY_THREADS: u16 = 200;
const APP_THREADS: u16 = 20;

/// The folder of all data, which is kept for the next run.
pub fn folder() -> PathBuf {
    target_folder().join("bench-data")
}

/// The file with the data called `name`, of `size` records or events (or bytes of text). Generates it
/// if missing.
pub fn file(name: &str, size: usize) -> Result<PathBuf> {
    let path = folder().join(format!("{name}-{size}"));
    if !path.exists() {
        let unfinished = path.with_extension("part");
        let mut make = this_program(&["make", name, &size.to_string()]);
        make.arg(&unfinished);
        check(make)?;
        fs::rename(unfinished, &path)?;
    }
    Ok(path)
}

/// The command that starts this program again, for a part of the bench.
pub fn this_program(args: &[&str]) -> Command {
    let program = std::env::current_exe().expect("a running program has a path");
    let mut command = Command::new(program);
    command.arg("bench-child").args(args);
    command
}

/// The calls of the data `name` as a file for speedscope.
pub fn speedscope(name: &str, size: usize) -> Result<PathBuf> {
    let from = file(name, size)?;
    let path = from.with_file_name(format!("{name}-{size}.speedscope.json"));
    if !path.exists() {
        let unfinished = path.with_extension("part");
        let mut write = this_program(&["speedscope"]);
        write.arg(from).arg(&unfinished);
        check(write)?;
        fs::rename(unfinished, &path)?;
    }
    Ok(path)
}

/// Generates the data `name`.
pub fn make(name: &str, size: usize, path: &str) -> Result<()> {
    const SEED: u64 = 20_111;
    let bytes = match name {
        "repeating" => call_trace(CallShape::Repeating, size, METHODS, SEED),
        "all-new" => call_trace(CallShape::AllNew, size, METHODS, SEED),
        "random" => call_trace(CallShape::Random, size, METHODS, SEED),
        "wide" => wide_call_trace(CallShape::Repeating, size, METHODS, MANY_THREADS, SEED),
        "app" => wide_call_trace(CallShape::Repeating, size, METHODS, APP_THREADS, SEED),
        "ftrace" => ftrace_text(size, SEED),
        "ftrace-zlib" => zlib(&ftrace_text(size, SEED))?,
        "storage" => storage_text(size, SEED),
        "dat" => busy_dat(size, SEED),
        "perfetto-sched" => perfetto_kernel(size, SEED),
        "perfetto-tracks" => perfetto_tracks(size, SEED),
        _ => bail!("no data called {name}"),
    };
    Ok(fs::write(path, bytes)?)
}

/// Compresses like `atrace -z`.
fn zlib(text: &[u8]) -> Result<Vec<u8>> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(text)?;
    Ok(encoder.finish()?)
}

/// Counts newlines as fast as possible: the minimum work of any reader of these bytes.
pub fn scan_newlines(path: &str) -> Result<()> {
    let mut newlines = 0;
    each_block(path, |block| {
        newlines += memchr::memchr_iter(b'\n', block).count()
    })?;
    println!("{newlines}");
    Ok(())
}

/// Copies every byte once: the minimum work of a reader that stores as much as it reads.
pub fn copy(path: &str) -> Result<()> {
    let mut kept = vec![0u8; fs::metadata(path)?.len() as usize];
    let mut at = 0;
    each_block(path, |block| {
        kept[at..at + block.len()].copy_from_slice(block);
        at += block.len();
    })?;
    println!("{at}");
    Ok(())
}

fn each_block(path: &str, mut see: impl FnMut(&[u8])) -> Result<()> {
    let mut file = File::open(path).with_context(|| path.to_owned())?;
    let mut block = vec![0u8; 256 << 10];
    loop {
        match file.read(&mut block)? {
            0 => return Ok(()),
            len => see(&block[..len]),
        }
    }
}
