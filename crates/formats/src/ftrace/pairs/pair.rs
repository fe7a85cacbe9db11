//! A line of the table.

/// Two kinds of events that form one slice.
#[derive(Debug)]
pub(crate) struct Pair {
    /// Events that begin the slice. After a space: a field and its allowed values. An event with
    /// another value does not belong to this pair (`suspend_resume start=begin`, `ufshcd_command
    /// str_t=send_req|tm_send`).
    pub begins: &'static [&'static str],
    /// Events that end it.
    pub ends: &'static [&'static str],
    /// The owner of the track.
    pub on: On,
    /// The name of the track.
    pub track: &'static str,
    /// The name of the slice.
    pub name: Name,
    /// The category of the slice, or empty.
    pub category: &'static str,
    /// Fields by which begin and end are matched. `a|b` lists alternative names of one field; the
    /// first that exists is used.
    pub keys: &'static [&'static str],
    /// The effect of a second begin while a slice with the same fields is open.
    pub again: Again,
}

/// The owner of a pair's track.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum On {
    /// The thread, on a track separate from its own slices, so that a lost end does not affect
    /// them.
    Thread,
    /// The thread, among its own slices.
    Own,
    /// The CPU.
    Cpu,
    /// The machine: begin and end may happen in different threads, and slices may overlap.
    Machine,
}

/// The name of a slice.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Name {
    /// A fixed name.
    Is(&'static str),
    /// The text of the first of these fields that the begin event has.
    Of(&'static [&'static str]),
    /// The same, between two texts.
    In(&'static str, &'static [&'static str], &'static str),
    /// The name of the event that begins the slice.
    Event,
    /// `sys_` and the name of the system call.
    Syscall,
}

/// The effect of a begin while a slice of the same pair with the same fields is open.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Again {
    /// Opens another slice inside it.
    Nests,
    /// Ends the open slice first, because its end must be missing.
    Ends,
    /// Belongs to the open slice, and is kept as an event.
    Joins,
    /// Replaces the open begin. The slice is created only when its end arrives, because many
    /// recordings contain only the begins.
    Waits,
}

/// The side of a pair.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Role {
    End,
    Begin,
}

/// The name of an event in the table, and its condition.
pub(super) fn parts(event: &'static str) -> (&'static str, Option<(&'static str, &'static str)>) {
    match event.split_once(' ') {
        Some((name, condition)) => (name, condition.split_once('=')),
        None => (event, None),
    }
}
