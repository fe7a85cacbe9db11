//! The inputs, complete and in parts.

use testkit::{Corpus, CorpusFile, READ_CATEGORIES, Rng, SampleKind, samples, workspace_root};

/// Bytes with a name for messages.
pub struct Input {
    pub name: String,
    pub bytes: Vec<u8>,
}

/// Only a part of this size is damaged and read from larger files.
const WINDOW: usize = 96 << 10;

/// The size of the head that is kept before the part, so that the format is still recognised.
const HEAD: usize = 2 << 10;

/// The real traces. Without a corpus, none, and a message on stderr.
pub fn real_files() -> Option<Vec<CorpusFile>> {
    Corpus::find().map(|corpus| corpus.files(READ_CATEGORIES))
}

/// The repository's own traces.
pub fn fixtures() -> Vec<Input> {
    // A rules file is not a trace, and no format recognises it.
    let traces = samples()
        .into_iter()
        .filter(|sample| sample.kind != SampleKind::Rules);
    let made = traces.map(|sample| Input {
        name: sample.name.to_owned(),
        bytes: sample.bytes,
    });
    made.chain(examples()).collect()
}

fn examples() -> Vec<Input> {
    let entries = std::fs::read_dir(workspace_root().join("examples")).unwrap();
    let paths = entries.flatten().map(|entry| entry.path());
    let traces = paths.filter(|path| path.extension().is_some_and(|ending| ending != "md"));
    let mut inputs: Vec<_> = traces
        .map(|path| Input {
            name: path.file_name().unwrap().to_string_lossy().into_owned(),
            bytes: std::fs::read(&path).unwrap(),
        })
        .collect();
    inputs.sort_by(|a, b| a.name.cmp(&b.name));
    inputs
}

/// A generated system trace of about `bytes` bytes.
pub fn made_up(bytes: usize) -> Input {
    Input {
        name: "a made-up system trace".to_owned(),
        bytes: testkit::ftrace_text(bytes, 3),
    }
}

/// The inputs to be damaged: real files if present, and the repository's own.
pub fn originals() -> Vec<Input> {
    let real = real_files()
        .unwrap_or_default()
        .into_iter()
        .map(|file| Input {
            bytes: file.read(),
            name: file.name,
        });
    real.chain(fixtures()).collect()
}

/// The whole input if it is small, otherwise its head and a part. The part of a page is taken from
/// its trace, which comes after a megabyte of viewer code.
pub fn window(input: &Input, rng: &mut Rng) -> Vec<u8> {
    let bytes = &input.bytes;
    if bytes.len() <= HEAD + WINDOW {
        return bytes.clone();
    }
    let first = trace_in_page(bytes).unwrap_or(HEAD);
    let last = bytes.len().saturating_sub(WINDOW).max(first);
    let from = if rng.chance(50) {
        first
    } else {
        first + rng.index(last - first + 1)
    };
    let to = bytes.len().min(from + WINDOW);
    [&bytes[..HEAD], &bytes[from..to]].concat()
}

fn trace_in_page(bytes: &[u8]) -> Option<usize> {
    const MARKS: [&[u8]; 2] = [b"<!-- BEGIN TRACE -->", b"  var linuxPerfData = \"\\"];
    let is_page = bytes.starts_with(b"<");
    let find = |mark: &&[u8]| bytes.windows(mark.len()).position(|window| window == *mark);
    MARKS.iter().filter(|_| is_page).find_map(find)
}
