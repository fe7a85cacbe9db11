//! The modules: every `.sql` file below this folder except the prelude.

use std::io::Read;
use std::sync::OnceLock;

use flate2::read::GzDecoder;

// `MODULES`: the name of each module, sorted, and the position of its text in the text of all modules.
include!(concat!(env!("OUT_DIR"), "/modules.rs"));

/// Every module and its text.
pub(super) fn modules() -> impl Iterator<Item = (&'static str, &'static str)> {
    let text = texts();
    let module = move |(name, place): &(&'static str, std::ops::Range<usize>)| {
        (*name, text.get(place.clone()).unwrap_or_default())
    };
    MODULES.iter().map(module)
}

/// The text of all modules. It is stored compressed, because its 400 KB would otherwise enlarge a program that is
/// copied to many places.
fn texts() -> &'static str {
    static TEXTS: OnceLock<String> = OnceLock::new();
    TEXTS.get_or_init(|| {
        let gzip: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/modules.gz"));
        let mut text = String::new();
        match GzDecoder::new(gzip).read_to_string(&mut text) {
            Ok(_) => text,
            Err(_) => String::new(),
        }
    })
}
