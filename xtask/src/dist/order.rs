//! Which functions and constants a program has, in their order, from the map that its linker wrote.

use std::hash::{DefaultHasher, Hash, Hasher};

/// Where names begin in a line of LLD's map: behind two addresses, a size and an alignment. Sections of the program
/// stand there, those of its parts 8 and symbols 16 columns further right.
const NAMES: usize = 49;
const SYMBOLS: usize = NAMES + 16;

/// The functions and constants of `map`, a line each: what `--symbol-ordering-file` takes.
pub fn symbols(map: &str) -> String {
    let mut section = "";
    let mut symbols = Vec::new();
    for line in map.lines() {
        let name = line.get(NAMES..).unwrap_or_default();
        if !name.starts_with(' ') {
            section = name;
        } else if let Some(symbol) = line.get(SYMBOLS..)
            && [".text", ".rodata"].contains(&section)
            && !line[NAMES..SYMBOLS].contains(|c| c != ' ')
        {
            symbols.push(symbol);
        }
    }
    symbols.sort_by_key(|symbol| last_used(symbol));
    symbols.iter().flat_map(|symbol| [symbol, "\n"]).collect()
}

/// What is compiled here is used by every run. Of Rust's library, whose names are mangled in another way, most is
/// for panics.
fn last_used(symbol: &str) -> u8 {
    match symbol {
        ours if ours.contains("traceloom_dmtracedump") => 0,
        compiled if compiled.starts_with("_ZN") => 1,
        library if library.starts_with("_R") => 3,
        _ => 2,
    }
}

/// A number that tells texts from others.
pub fn hash(texts: &[&str]) -> u64 {
    let mut hasher = DefaultHasher::new();
    texts.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::symbols;

    #[test]
    fn symbols_are_told_from_sections_and_files() {
        let map = "\
             VMA              LMA     Size Align Out     In      Symbol
          203340           203340    14eda    32 .rodata
          203340           203340       a8     8         main.o:(.rodata.PAIRS)
          203340           203340        0     1                 PAIRS
          224bf0           224bf0    a9d76    16 .text
          224bf0           224bf0       1a    16         main.o:(.text.main)
          224bf0           224bf0       1a     1                 main
          224c10           224c10       10    16         a folder/main.o:(.text.next)
          224c10           224c10       10     1                 _RNvNtC3std5panic
          224c20           224c20       10     1                 _ZN21traceloom_dmtracedump3run17hE
          2ce966           2ce966        3     1 .init
          2ce966           2ce966        0     1                 _init
";
        assert_eq!(
            symbols(map),
            "_ZN21traceloom_dmtracedump3run17hE\nPAIRS\nmain\n_RNvNtC3std5panic\n"
        );
    }
}
