//! Programs of one piece that are gone again before a program with libraries would have started.

use std::env::consts::ARCH;
use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result};

use super::{MOST_PUSHED_BYTES, Program, STATIC, build_static, can_compile, kept, order};

/// What a small trace needs, and no more.
const DMTRACEDUMP: Program = Program {
    name: "dmtracedump",
    package: "traceloom-dmtracedump",
    profile: "quick",
    flags: QUICK,
    most_bytes: MOST_PUSHED_BYTES,
};

/// Everything.
const TRACELOOM: Program = Program {
    name: "traceloom",
    package: "traceloom",
    profile: "quick",
    flags: QUICK,
    most_bytes: 15_000_000,
};

/// As of other static programs ([`super::ONE_PIECE`]), at an address that is known when it is linked: at a start 11,000
/// addresses need not be written into 46 pages, which takes a third as long as printing a small trace. Stack, heap and
/// mappings lie at random as ever.
const QUICK: &str = "-Clink-self-contained=yes -Clinker=rust-lld -Clink-arg=--no-rosegment \
     -Crelocation-model=static -Clink-arg=-znorelro";

/// For the linker: what of traceloom is dmtracedump, whatever of it became a function in this program and not in the
/// other, stands in one place. Were names mangled in another way, it would stand where it happens to.
const FIRST: &str = "SECTIONS { .text.first : { *(.text.main .text._ZN9traceloom4main* \
    .text._ZN9traceloom3cli13other_program* .text._ZN21traceloom_dmtracedump* .text._ZN14traceloom_heap* \
    .text._ZN8dlmalloc*) } } INSERT BEFORE .text;\n";

/// Programs of one piece for this machine.
pub struct Quick {
    /// traceloom, all of it.
    pub traceloom: PathBuf,
    /// dmtracedump alone.
    pub dmtracedump: PathBuf,
}

/// Builds the programs of one piece for this machine; `None` where Rust cannot compile them.
pub fn quick() -> Result<Option<Quick>> {
    let target = STATIC.iter().find(|target| target.starts_with(ARCH));
    let Some(target) = target.filter(|target| can_compile(target)) else {
        return Ok(None);
    };
    build(target)?;
    let of = |program: &Program| kept(target).join(program.name);
    Ok(Some(Quick {
        traceloom: of(&TRACELOOM),
        dmtracedump: of(&DMTRACEDUMP),
    }))
}

/// dmtracedump alone, and traceloom with the functions of dmtracedump next to each other: of a small trace's time
/// a tenth went into mapping the pages on which they were scattered.
pub fn build(target: &str) -> Result<()> {
    // Beside what is linked: as long as that need not be linked again, its map is true.
    let folder = testkit::workspace_root().join("target").join(target);
    let map = folder.join("dmtracedump.map");
    let mapped = [
        format!("--Map={}", map.display()),
        "--no-demangle".to_owned(),
    ];
    build_static(&DMTRACEDUMP, target, &mapped)?;
    let symbols =
        order::symbols(&fs::read_to_string(&map).with_context(|| map.display().to_string())?);
    // What says otherwise has another name, so that cargo links again.
    let name = format!("{:016x}", order::hash(&[FIRST, &symbols]));
    let [script, order] = ["ld", "order"].map(|kind| folder.join(&name).with_extension(kind));
    fs::write(&script, FIRST)?;
    fs::write(&order, symbols)?;
    let ordered = [
        format!("--symbol-ordering-file={}", order.display()),
        "--no-warn-symbol-ordering".to_owned(),
        format!("-T{}", script.display()),
    ];
    build_static(&TRACELOOM, target, &ordered)
}
