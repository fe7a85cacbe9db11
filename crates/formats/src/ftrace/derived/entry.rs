//! A line of the table of derived slices.

use traceloom_trace::TrackType;

/// The effect of one kind of event.
#[derive(Debug)]
pub(crate) struct Entry {
    /// The name of the event.
    pub event: &'static str,
    /// Which of these events count.
    pub when: When,
    pub does: Action,
    pub on: On,
    /// The category of the slice, or empty.
    pub category: &'static str,
    /// The name of the slice, with fields in braces. For the end of a slice on a thread's own track: the start of the
    /// slice's name.
    pub name: &'static str,
    /// The arguments: a key, and the field with its value. `=` comes before a literal value. `%` comes before two
    /// fields, and the value is the first one as a percentage of the second. `@cpu` is the CPU.
    pub args: &'static [(&'static str, &'static str)],
}

/// The action of an event.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Action {
    /// Begins a slice.
    Begin,
    /// Ends the innermost slice.
    End,
    /// Ends the open slice and begins the next one.
    Next,
    /// Adds a slice without a duration.
    Moment,
    /// Adds arguments to the open slice.
    Adds,
    /// Sets a counter to the value of this field.
    Counter(&'static str),
    /// Sets a counter to the value of the first field, at the time in the second one, ns.
    CounterAt(&'static str, &'static str),
}

/// The track. Its name may have fields in braces.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum On {
    /// The thread's own slices.
    Own,
    /// The own slices of the thread with the number in this field.
    OwnOf(&'static str),
    /// A track of the machine.
    Machine(TrackType, &'static str),
    /// A track of the machine where slices may overlap. Begin and end are matched by the values of these fields, which
    /// are separated by commas.
    Lanes(TrackType, &'static str, &'static str),
    /// A track of the event's CPU.
    Cpu(TrackType, &'static str),
    /// A track of the CPU in this field.
    CpuOf(TrackType, &'static str, &'static str),
}

/// Which events count.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum When {
    Always,
    /// The field is 0 or missing.
    Zero(&'static str),
    /// The field is another number.
    NotZero(&'static str),
    Negative(&'static str),
    Positive(&'static str),
    NotPositive(&'static str),
}

impl When {
    /// Whether an event with this value of the field counts.
    pub fn counts(self, number: impl Fn(&str) -> Option<i64>) -> bool {
        let value = |field| number(field).unwrap_or(0);
        match self {
            Self::Always => true,
            Self::Zero(field) => value(field) == 0,
            Self::NotZero(field) => value(field) != 0,
            Self::Negative(field) => value(field) < 0,
            Self::Positive(field) => value(field) > 0,
            Self::NotPositive(field) => value(field) <= 0,
        }
    }
}
