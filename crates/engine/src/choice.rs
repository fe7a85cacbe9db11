//! Fields of questions that choose between a few things.

use traceloom_analyze::{GroupBy, Measure, TreeClocks};

use crate::ask::Ask;
use crate::error::{Answered, EngineError};

/// The clocks.
const CLOCKS: [Measure; Measure::COUNT] = [
    Measure::Wall,
    Measure::Cpu,
    Measure::Runnable,
    Measure::Sleeping,
    Measure::Uninterruptible,
];

/// The clocks' names, in the same order.
pub(crate) const CLOCK_NAMES: [&str; Measure::COUNT] =
    ["wall", "cpu", "runnable", "sleeping", "uninterruptible"];

const GROUPS: [GroupBy; 4] = [
    GroupBy::Method,
    GroupBy::Class,
    GroupBy::Package,
    GroupBy::Thread,
];

const GROUP_NAMES: [&str; 4] = ["method", "class", "package", "thread"];

/// The clock asked for, else the usual one. It must be one that there is.
pub(crate) fn clock(ask: &Ask, clocks: TreeClocks) -> Answered<Measure> {
    let expected = "a clock that the trace has (wall, cpu, runnable, sleeping, uninterruptible)";
    match ask
        .choice("clock", expected, &CLOCK_NAMES)?
        .map(|at| CLOCKS[at])
    {
        None => Ok(clocks.usual()),
        // Rebuilt wall times say little, but where a question insists they are there.
        Some(clock) if clocks.has(clock) || clock == Measure::Wall => Ok(clock),
        Some(clock) => Err(EngineError::Field {
            field: "clock",
            expected,
            found: clock_name(clock).to_owned(),
        }
        .into()),
    }
}

/// What rows stand for; methods where the question does not say.
pub(crate) fn by(ask: &Ask) -> Answered<GroupBy> {
    let at = ask.choice("by", "method, class, package or thread", &GROUP_NAMES)?;
    Ok(GROUPS[at.unwrap_or(0)])
}

/// What a clock is called in questions and answers.
pub(crate) fn clock_name(clock: Measure) -> &'static str {
    CLOCK_NAMES[clock as usize]
}

/// What a grouping is called.
pub(crate) fn group_name(by: GroupBy) -> &'static str {
    let at = GROUPS.iter().position(|group| *group == by);
    GROUP_NAMES[at.unwrap_or(0)]
}
