//! Whatever the bytes: a trace or a clear error. Never a panic, a hang, or more memory than 64 MB
//! and 16 times the decompressed bytes.

mod bombs;
mod inputs;
mod judge;
mod workers;

use testkit::{PeakAlloc, Rng, mutate};

use inputs::Input;
use judge::{Verdict, judge};
use workers::for_each;

#[global_allocator]
static ALLOCATOR: PeakAlloc = PeakAlloc;

/// How many damaged files are tried. The seed of each is its number.
const DAMAGED: usize = 10_000;

/// Fixtures are cut after each of their bytes up to here.
const CUTS: usize = 4 << 10;

#[test]
fn every_real_trace_opens_or_is_refused_clearly() {
    let Some(files) = inputs::real_files() else {
        return;
    };
    let verdicts = for_each(files.len(), |index| {
        let file = &files[index];
        (file.name.clone(), judge(&file.name, &file.read()))
    });
    let refused = verdicts.iter().filter_map(|(name, verdict)| match verdict {
        Verdict::Refused(why) => Some(format!("{name}: {why}")),
        Verdict::Opened => None,
    });
    let refused: Vec<_> = refused.collect();
    println!(
        "{} real traces checked, {} refused",
        files.len(),
        refused.len()
    );
    println!("{}", refused.join("\n"));
}

#[test]
fn every_truncation_of_a_fixture_is_survived() {
    for fixture in inputs::fixtures() {
        let cuts = fixture.bytes.len().min(CUTS);
        for_each(cuts, |len| {
            judge(
                &format!("{} cut after {len} bytes", fixture.name),
                &fixture.bytes[..len],
            )
        });
    }
}

#[test]
fn ten_thousand_damaged_files_are_survived() {
    let originals: Vec<Input> = inputs::originals();
    let verdicts = for_each(DAMAGED, |number| {
        let mut rng = Rng::new(number as u64);
        let original = &originals[rng.index(originals.len())];
        let damaged = mutate(&inputs::window(original, &mut rng), &mut rng);
        judge(
            &format!("{} damaged with seed {number}", original.name),
            &damaged,
        )
    });
    let opened = verdicts
        .iter()
        .filter(|verdict| **verdict == Verdict::Opened)
        .count();
    println!(
        "{DAMAGED} damaged copies of {} files: {opened} open, the others are refused",
        originals.len()
    );
}

#[test]
fn compression_bombs_are_refused() {
    if traceloom_formats::FORMATS.is_empty() {
        eprintln!("skipped: no format is registered");
        return;
    }
    for (name, bomb) in bombs::bombs() {
        match judge(name, &bomb) {
            Verdict::Refused(why) => assert!(why.contains("more than"), "{name}: {why}"),
            Verdict::Opened => panic!("{name} was unpacked"),
        }
    }
}
