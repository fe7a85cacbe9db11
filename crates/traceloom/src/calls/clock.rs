//! `--clock`: the clock by which calls are measured.

use anyhow::{Result, bail};
use traceloom_analyze::{CallTree, Measure};

/// A clock.
#[derive(clap::ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum Clock {
    /// Time on a CPU
    Cpu,
    /// Real time
    Wall,
}

/// Chooses a clock that all trees have: the requested one, otherwise preferably the default clock
/// of the first tree.
///
/// # Errors
/// If a tree lacks the requested clock, or no clock is common to all.
pub(crate) fn choose_clock(asked: Option<Clock>, trees: &[&CallTree]) -> Result<Measure> {
    let all_have = |measure| trees.iter().all(|tree| tree.clocks.has(measure));
    let (asked, word) = match asked {
        Some(Clock::Cpu) => (Measure::Cpu, "cpu"),
        Some(Clock::Wall) => (Measure::Wall, "wall"),
        None => return usual_clock(trees, all_have),
    };
    if !all_have(asked) {
        bail!("--clock {word}: at least one trace lacks this clock");
    }
    Ok(asked)
}

fn usual_clock(trees: &[&CallTree], all_have: impl Fn(Measure) -> bool) -> Result<Measure> {
    let first = trees
        .first()
        .map_or(Measure::Wall, |tree| tree.clocks.usual());
    let usual = [first, Measure::Wall, Measure::Cpu];
    match usual.into_iter().find(|&clock| all_have(clock)) {
        Some(clock) => Ok(clock),
        None => bail!(
            "the traces have no clock in common: some were recorded with wall time only, some with CPU time only"
        ),
    }
}
