//! One line of a log.

use super::clock::{Stamp, Step, seconds};
use super::message::Message;

/// A line of strace.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Line<'a> {
    /// The thread. It is absent unless strace followed several (`-f`).
    pub tid: Option<i64>,
    /// The thread's name (`-Y`).
    pub comm: Option<&'a str>,
    /// When the event happened.
    pub stamp: Stamp,
    /// The time since the previous line.
    pub step: Option<Step>,
    /// The event.
    pub event: Event<'a>,
}

/// The event of a line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Event<'a> {
    /// A call that returned before another line was printed.
    Whole(Call<'a>),
    /// The first half of a call.
    Begin { name: &'a str, args: &'a str },
    /// A call that the program's own output follows in the line, because both print to the same terminal.
    Cut { name: &'a str, args: &'a str },
    /// The second half of a call.
    End(Call<'a>),
    /// The second part of a call that was interrupted again.
    EndAndBegin { name: &'a str, args: &'a str },
    /// A signal, and the information about it.
    Signal { name: &'a str, info: &'a str },
    /// The thread ended.
    Exit(&'a str),
}

/// A call that returned.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Call<'a> {
    /// The system call.
    pub name: &'a str,
    /// Its arguments as strace writes them.
    pub args: &'a str,
    /// The returned value, with the name of the error.
    pub ret: &'a str,
    /// The duration, ns (`-T`).
    pub dur: Option<i64>,
}

impl<'a> Line<'a> {
    /// Parses a line; `None` if it is not from strace, or has no time.
    pub fn read(line: &'a str) -> Option<Self> {
        let (tid, comm, rest) = start(line);
        let (time, rest) = rest.split_once(' ')?;
        let stamp = Stamp::read(time)?;
        let (step, rest) = bracketed(rest.trim_start(), "(+", ") ");
        let step = step.and_then(|step| Step::read(step.trim(), time));
        let event = event(rest)?;
        Some(Self {
            tid,
            comm,
            stamp,
            step,
            event,
        })
    }

    /// Parses a line without a time.
    pub fn read_untimed(line: &'a str) -> Option<Self> {
        let (tid, comm, rest) = start(line);
        let event = event(rest)?;
        Some(Self {
            tid,
            comm,
            stamp: Stamp::Missing,
            step: None,
            event,
        })
    }

    /// Whether it is a call, or a part of one.
    pub fn is_call(&self) -> bool {
        !matches!(self.event, Event::Signal { .. } | Event::Exit(_))
    }

    /// Whether it begins a call that has not returned, or continues one without ending it.
    pub fn has_not_returned(&self) -> bool {
        use Event::{Begin, Cut, EndAndBegin};
        matches!(self.event, Begin { .. } | Cut { .. } | EndAndBegin { .. })
    }
}

/// Whether a text is a log of strace: one of its first lines is a call.
pub(super) fn begins_log(head: &[u8]) -> bool {
    /// strace may first print messages about the processes that it attaches to.
    const LINES: usize = 16;
    let mut lines = head.split(|&byte| byte == b'\n').take(LINES);
    lines.any(|line| {
        let line = std::str::from_utf8(line).ok().and_then(Line::read);
        line.is_some_and(|line| line.is_call())
    })
}

/// The thread at the start of a line, and the rest.
fn start(line: &str) -> (Option<i64>, Option<&str>, &str) {
    // An editor may have put a byte order mark before the first line.
    let line = line.trim_start_matches('\u{feff}').trim();
    let (tid, comm, rest) = thread(line);
    // The security context of the thread (`--secontext`).
    let (_, rest) = bracketed(rest, "[", "] ");
    (tid, comm, rest)
}

/// The event at the end of a line. The number of the call (`-n`) and the address of the instruction (`-i`) may be in
/// front of it.
fn event(rest: &str) -> Option<Event<'_>> {
    let (_, rest) = bracketed(rest, "[", "] ");
    let (_, rest) = bracketed(rest, "[", "] ");
    Event::read(rest)
}

/// The thread at the start of a line, and the rest: `1234 …`, `1234<sh> …`, `[pid 1234] …`.
fn thread(line: &str) -> (Option<i64>, Option<&str>, &str) {
    let none = (None, None, line);
    let (inside, end) = match line.strip_prefix("[pid") {
        Some(inside) => (inside.trim_start(), "] "),
        None => (line, " "),
    };
    let digits = inside.bytes().take_while(u8::is_ascii_digit).count();
    // The seconds of a date have ten digits, thread numbers at most seven.
    let (1..10, Ok(tid)) = (digits, inside[..digits].parse()) else {
        return none;
    };
    let (comm, rest) = match inside[digits..].strip_prefix('<') {
        Some(named) => match named.split_once('>') {
            Some((comm, rest)) => (Some(comm), rest),
            None => return none,
        },
        None => (None, &inside[digits..]),
    };
    match rest.strip_prefix(end) {
        Some(rest) => (Some(tid), comm, rest.trim_start()),
        None => none,
    }
}

/// Splits off what an option prints in brackets before a call, such as `[ 257]`. Returns it and the rest.
fn bracketed<'a>(text: &'a str, open: &str, close: &str) -> (Option<&'a str>, &'a str) {
    match text
        .strip_prefix(open)
        .and_then(|inside| inside.split_once(close))
    {
        Some((inside, rest)) => (Some(inside), rest.trim_start()),
        None => (None, text),
    }
}

impl<'a> Call<'a> {
    /// Parses the text after a call's name, or the rest of that text if a message split the line.
    pub fn returned(name: &'a str, rest: &'a str) -> Option<Self> {
        let (args, ret) = returned(rest)?;
        let (ret, dur) = duration(ret);
        Some(Self {
            name,
            args,
            ret,
            dur,
        })
    }
}

impl<'a> Event<'a> {
    /// The number of the thread whose `execve` ended the main thread.
    pub fn superseding(&self) -> Option<i64> {
        let Self::Exit(how) = self else {
            return None;
        };
        let tid = how.strip_prefix("superseded by execve in pid ")?;
        tid.parse().ok()
    }

    fn read(text: &'a str) -> Option<Self> {
        if let Some(signal) = text.strip_prefix("--- ") {
            let signal = signal.strip_suffix(" ---")?;
            let (name, info) = signal.split_once(' ').unwrap_or((signal, ""));
            return Some(Self::Signal { name, info });
        }
        if let Some(exit) = text.strip_prefix("+++ ") {
            return Some(Self::Exit(exit.strip_suffix(" +++")?));
        }
        match text.strip_prefix("<... ") {
            Some(text) => {
                let (name, rest) = text.split_once(" resumed>")?;
                Self::call(name, rest.trim_start(), true)
            }
            None => {
                let (name, rest) = text.split_once('(')?;
                Self::call(name, rest, false)
            }
        }
    }

    /// Parses the text after a call's name.
    fn call(name: &'a str, rest: &'a str, resumed: bool) -> Option<Self> {
        let is_name = |byte: u8| byte.is_ascii_alphanumeric() || b"_?".contains(&byte);
        if name.is_empty() || !name.bytes().all(is_name) {
            return None;
        }
        if let Some(args) = unfinished(rest) {
            return Some(if resumed {
                Self::EndAndBegin { name, args }
            } else {
                Self::Begin { name, args }
            });
        }
        Self::returned(name, rest, resumed)
    }

    /// Parses the text after the name of a call that has returned.
    fn returned(name: &'a str, rest: &'a str, resumed: bool) -> Option<Self> {
        match Call::returned(name, rest) {
            Some(call) if resumed => Some(Self::End(call)),
            Some(mut call) => {
                if name == "write" {
                    call.args = written(call.args).unwrap_or(call.args);
                }
                Some(Self::Whole(call))
            }
            None if resumed || name != "write" => None,
            None => Some(Self::Cut {
                name,
                args: written(rest)?,
            }),
        }
    }
}

/// The arguments of a call that has not returned.
fn unfinished(rest: &str) -> Option<&str> {
    let ends = ["<unfinished ...>", "<detached ...>"];
    let args = ends.iter().find_map(|end| rest.strip_suffix(end));
    // With `-ff`, an `execve` by a thread other than the main thread continues in the main thread's file.
    let moved = || rest.strip_suffix(" ...>")?.rsplit_once("<pid changed to ");
    let args = args.or_else(|| moved().map(|(args, _)| args));
    let args = args.or_else(|| Some(Message::read(rest)?.before))?;
    Some(args.trim_end().trim_end_matches(','))
}

/// The arguments of a `write` without the output that follows: `1, "hello\n", 6hello`.
fn written(rest: &str) -> Option<&str> {
    let begin = rest.find(", \"")? + 3;
    let mut is_escaped = false;
    let end = rest[begin..].find(|letter| {
        let ends = letter == '"' && !is_escaped;
        is_escaped = letter == '\\' && !is_escaped;
        ends
    })?;
    let after = &rest[begin + end + 1..];
    let length = after.trim_start_matches("...").strip_prefix(", ")?;
    let output = length.trim_start_matches(|letter: char| letter.is_ascii_digit());
    (output.len() < length.len()).then(|| &rest[..rest.len() - output.len()])
}

/// Splits `3, "…", 8) = 8` into the arguments and the result. It splits at the last `) =`, because a text in the
/// arguments may contain `) =` too.
fn returned(rest: &str) -> Option<(&str, &str)> {
    let mut at = rest.len();
    while let Some(close) = rest[..at].rfind(')') {
        if let Some(ret) = rest[close + 1..].trim_start().strip_prefix('=') {
            return Some((rest[..close].trim(), ret.trim()));
        }
        at = close;
    }
    // A resumed call without further arguments.
    Some(("", rest.strip_prefix('=')?.trim()))
}

/// Separates the duration from a result: `3 <0.000042>`.
fn duration(ret: &str) -> (&str, Option<i64>) {
    let found = ret.strip_suffix('>').and_then(|ret| ret.rsplit_once('<'));
    match found.and_then(|(ret, dur)| Some((ret.trim_end(), seconds(dur)?))) {
        Some((ret, dur)) => (ret, Some(dur)),
        None => (ret, None),
    }
}
