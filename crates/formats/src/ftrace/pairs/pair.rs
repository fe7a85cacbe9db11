//! What a line of the table says.

/// Two kinds of events that make one slice.
#[derive(Debug)]
pub(crate) struct Pair {
    /// Events that begin the slice. Behind a space: a field and its values, without which the event
    /// is none of this pair (`suspend_resume start=begin`, `ufshcd_command str_t=send_req|tm_send`).
    pub begins: &'static [&'static str],
    /// Events that end it.
    pub ends: &'static [&'static str],
    /// What the track belongs to.
    pub on: On,
    /// The name of the track.
    pub track: &'static str,
    /// The name of the slice.
    pub name: Name,
    /// Fields in which begin and end agree. `a|b` is the first of several names for the same.
    pub keys: &'static [&'static str],
    /// What a begin does while a slice with the same fields is open.
    pub again: Again,
}

/// What the track of a pair belongs to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum On {
    /// The thread, on a track beside its own slices: a lost end does not affect them.
    Thread,
    /// The thread's own slices.
    Own,
    /// The CPU.
    Cpu,
    /// The machine: begin and end may happen in different threads, and slices may overlap.
    Machine,
}

/// What a slice is called.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Name {
    /// A fixed name.
    Is(&'static str),
    /// The text of the first of these fields that the begin has.
    Of(&'static [&'static str]),
    /// The name of the event that begins it.
    Event,
    /// `sys_` and the name of the system call.
    Syscall,
}

/// What a begin does while a slice of the same pair with the same fields is open.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Again {
    /// Opens another slice inside it.
    Nests,
    /// Ends the open slice first, because its own end is missing.
    Ends,
    /// Belongs to the open slice, and is kept as an event.
    Joins,
    /// Replaces the open begin. The slice is made when its end arrives, because many recordings have
    /// only the begins.
    Waits,
}
