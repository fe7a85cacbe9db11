//! Fields of questions that choose between a few things.

use traceloom_analyze::{GroupBy, Measure, TreeClocks};

use crate::ask::Ask;
use crate::error::EngineError;

/// The clocks and their names.
pub(crate) const CLOCKS: [(Measure, &str); Measure::COUNT] = [
    (Measure::Wall, "wall"),
    (Measure::Cpu, "cpu"),
    (Measure::Runnable, "runnable"),
    (Measure::Sleeping, "sleeping"),
    (Measure::Uninterruptible, "uninterruptible"),
];

const GROUPS: [(GroupBy, &str); 4] = [
    (GroupBy::Method, "method"),
    (GroupBy::Class, "class"),
    (GroupBy::Package, "package"),
    (GroupBy::Thread, "thread"),
];

/// The clock asked for, else the usual one. It must be one that there is.
pub(crate) fn clock(ask: &Ask, clocks: TreeClocks) -> Result<Measure, EngineError> {
    let expected = "a clock that the trace has (wall, cpu, runnable, sleeping, uninterruptible)";
    match choice(ask, "clock", expected, &CLOCKS)? {
        None => Ok(clocks.usual()),
        // Rebuilt wall times say little, but where a question insists they are there.
        Some(clock) if clocks.has(clock) || clock == Measure::Wall => Ok(clock),
        Some(clock) => Err(EngineError::Field {
            field: "clock",
            expected,
            found: clock_name(clock).to_owned(),
        }),
    }
}

/// What rows stand for; methods where the question does not say.
pub(crate) fn by(ask: &Ask) -> Result<GroupBy, EngineError> {
    let expected = "method, class, package or thread";
    Ok(choice(ask, "by", expected, &GROUPS)?.unwrap_or(GroupBy::Method))
}

/// The value of a field that names one of a few things; `None` where it is missing.
pub(crate) fn choice<T: Copy>(
    ask: &Ask,
    field: &'static str,
    expected: &'static str,
    known: &[(T, &str)],
) -> Result<Option<T>, EngineError> {
    let Some(text) = ask.maybe(field, |ask, field| ask.text(field).map(str::to_owned))? else {
        return Ok(None);
    };
    match known.iter().find(|(_, name)| *name == text) {
        Some((value, _)) => Ok(Some(*value)),
        None => Err(EngineError::Field {
            field,
            expected,
            found: format!("\"{text}\""),
        }),
    }
}

/// What a clock is called in questions and answers.
pub(crate) fn clock_name(clock: Measure) -> &'static str {
    CLOCKS[clock as usize].1
}

/// What a grouping is called.
pub(crate) fn group_name(by: GroupBy) -> &'static str {
    let found = GROUPS.iter().find(|(group, _)| *group == by);
    found.map_or("method", |(_, name)| name)
}

/// A count that may be missing.
pub(crate) fn limit(ask: &Ask, field: &'static str, usual: u32) -> Result<usize, EngineError> {
    Ok(ask.maybe(field, Ask::u32)?.unwrap_or(usual) as usize)
}
