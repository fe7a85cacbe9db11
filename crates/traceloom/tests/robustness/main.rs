//! Any input gives a trace or a clear error. There is never a panic, a hang, or a use of more
//! memory than 64 MB plus 16 times the decompressed size.

mod bombs;
mod inputs;
mod judge;
mod workers;

use testkit::{PeakAlloc, Rng, mutate};

use inputs::Input;
use judge::{Verdict, judge, summary};
use workers::for_each;

#[global_allocator]
static ALLOCATOR: PeakAlloc = PeakAlloc;

/// The number of damaged files. The seed of each is its number.
const DAMAGED: usize = 10_000;

/// Fixtures are truncated after each byte up to this position.
const CUTS: usize = 4 << 10;

/// Files of at least this size are read on several threads. Comparisons use files up to this size.
const SHARED_FROM: usize = 300 << 10;
const MOST_COMPARED: usize = 4 << 20;
const COMPARED: usize = 60;

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
fn every_fixture_opens() {
    for fixture in inputs::fixtures() {
        let verdict = judge(&fixture.name, &fixture.bytes);
        assert_eq!(verdict, Verdict::Opened, "{}", fixture.name);
    }
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
fn damage_is_read_the_same_on_any_number_of_threads() {
    let big: Vec<Input> = inputs::originals()
        .into_iter()
        .filter(|input| (SHARED_FROM..MOST_COMPARED).contains(&input.bytes.len()))
        .collect();
    let big = if big.is_empty() {
        vec![inputs::made_up(SHARED_FROM)]
    } else {
        big
    };
    let opened = for_each(COMPARED, |number| {
        let mut rng = Rng::new(number as u64);
        let original = &big[rng.index(big.len())];
        let damaged = mutate(&original.bytes, &mut rng);
        let name = format!("{} damaged with seed {number}", original.name);
        let one = summary(&damaged, 1);
        assert_eq!(
            one,
            summary(&damaged, 3),
            "{name}: one thread and three differ"
        );
        usize::from(one.is_ok())
    });
    let opened: usize = opened.iter().sum();
    println!(
        "{COMPARED} damaged copies of {} files read alike, {opened} open",
        big.len()
    );
}

#[test]
fn compression_bombs_are_refused() {
    for (name, bomb) in bombs::bombs() {
        match judge(name, &bomb) {
            Verdict::Refused(why) => assert!(why.contains("more than"), "{name}: {why}"),
            Verdict::Opened => panic!("{name} was unpacked"),
        }
    }
}
