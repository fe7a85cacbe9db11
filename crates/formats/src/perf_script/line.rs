//! The first line of a sample.

/// The line that `--show-round-events` prints between samples.
pub(super) const ROUND: &str = "PERF_RECORD_FINISHED_ROUND";

/// Who was sampled, when, and by which event.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Head<'a> {
    /// The name of the thread; empty if it is not printed.
    pub comm: &'a str,
    pub pid: Option<i64>,
    pub tid: i64,
    pub cpu: Option<u32>,
    /// `None` if it is not printed.
    pub ts_ns: Option<i64>,
    pub period: Option<u64>,
    /// The event; empty if it is not printed.
    pub event: &'a str,
    /// The text after the event: the fields of a tracepoint, a function, or a branch.
    pub rest: &'a str,
}

impl<'a> Head<'a> {
    /// Parses a line with a time. `None` if it is not the first line of a sample.
    pub fn read(line: &'a str) -> Option<Self> {
        let line = line.trim();
        let colons = memchr::memchr_iter(b':', line.as_bytes());
        // A thread name may contain what looks like a time, so the columns before the time must match as well.
        colons
            .filter_map(|at| Self::with_time(&line[..at], &line[at + 1..]))
            .next()
    }

    /// Parses a line without a time (`-F comm,tid,event,ip,sym`). Other text can look similar, so the line must have a
    /// name, a thread and an event.
    pub fn without_time(line: &'a str) -> Option<Self> {
        let line = line.trim();
        let colons = memchr::memmem::find_iter(line.as_bytes(), ": ");
        let inside = colons.map(|at| (&line[..at], line[at + 2..].trim_start()));
        let at_end = line.strip_suffix(':').map(|before| (before, ""));
        // A name of a thread can contain `: `, so the columns before it must fit as well.
        inside
            .chain(at_end)
            .find_map(|(before, rest)| Self::with_event(before, rest))
    }

    fn with_event(before: &'a str, rest: &'a str) -> Option<Self> {
        let event = last_word(before);
        let is_number = event.bytes().all(|byte| byte.is_ascii_digit());
        let (period, columns) = last_period(without_last_word(before));
        let head = Self::with_columns(columns)?;
        let is_name = is_short(head.comm) || !head.comm.contains(": ");
        (!head.comm.is_empty() && is_name && !is_number).then_some(Self {
            period,
            event,
            rest,
            ..head
        })
    }

    fn with_time(before: &'a str, after: &'a str) -> Option<Self> {
        let begin = time_begin(before)?;
        let ts_ns = time_ns(&before[begin..])?;
        let head = Self::with_columns(before[..begin].trim_end())?;
        let (period, after) = period(after.trim_start());
        let (event, rest) = event(after);
        Some(Self {
            ts_ns: Some(ts_ns),
            period,
            event,
            rest,
            ..head
        })
    }

    /// Reads the columns before the time, from the last to the first: time of day, flags, CPU, process and thread, name.
    fn with_columns(columns: &'a str) -> Option<Self> {
        let mut columns = without_time_of_day(columns);
        let mut cpu = None;
        if is_flags(last_word(columns)) {
            columns = without_last_word(columns);
        }
        let word = last_word(columns);
        if let Some(number) = word
            .strip_prefix('[')
            .and_then(|word| word.strip_suffix(']'))
        {
            // `[-01]` if perf does not know it.
            cpu = u32::try_from(number.parse::<i32>().ok()?).ok();
            columns = without_last_word(columns);
        }
        let word = last_word(columns);
        let (pid, tid) = match word.split_once('/') {
            Some((pid, tid)) => (Some(number(pid)?), number(tid)?),
            None => (None, number(word)?),
        };
        Some(Self {
            comm: without_last_word(columns),
            pid,
            tid,
            cpu,
            ..Self::default()
        })
    }
}

/// Whether a name is not longer than the kernel's names of threads.
fn is_short(comm: &str) -> bool {
    comm.chars().nth(15).is_none()
}

fn last_word(columns: &str) -> &str {
    columns
        .rsplit(char::is_whitespace)
        .next()
        .unwrap_or_default()
}

fn without_last_word(columns: &str) -> &str {
    let rest = columns.len() - last_word(columns).len();
    columns[..rest].trim_end()
}

/// `-F +tod`: `2026-11-28 02:01:17.070398`, or `disabled` if the recording does not have it.
fn without_time_of_day(columns: &str) -> &str {
    let has_form = |word: &str, form: &str| {
        let fits = |(byte, form)| byte == form || form == b'0' && u8::is_ascii_digit(&byte);
        word.len() == form.len() && word.bytes().zip(form.bytes()).all(fits)
    };
    let (time, before) = (last_word(columns), without_last_word(columns));
    if time == "disabled" {
        return before;
    }
    let is_time = has_form(time, "00:00:00.000000") || has_form(time, "00:00:00.000000000");
    if is_time && has_form(last_word(before), "0000-00-00") {
        return without_last_word(before);
    }
    columns
}

/// `-F +misc`: the mode of the CPU, as `K`, `U`, `H`, `GK`, `GU`, or another letter for other records.
fn is_flags(word: &str) -> bool {
    (1..=3).contains(&word.len()) && word.bytes().all(|byte| b"KUHGMECSFPED".contains(&byte))
}

/// The start of the time at the end of a text: the position after the last space. A line may have many colons, so the
/// search ends at the first byte that cannot belong to a time.
fn time_begin(before: &str) -> Option<usize> {
    let is_time = |byte: &u8| byte.is_ascii_digit() || *byte == b'.';
    let time = before.bytes().rev().take_while(|byte| is_time(byte));
    let begin = before.len() - time.count();
    before[..begin]
        .ends_with(char::is_whitespace)
        .then_some(begin)
}

/// Parses the number of a process or thread. perf prints -1 for an unknown one.
fn number(word: &str) -> Option<i64> {
    let number: i32 = word.parse().ok()?;
    (number >= -1 && !word.starts_with('+')).then_some(number.into())
}

/// Parses `12.345678` or, with `--ns`, `12.345678901` to ns.
fn time_ns(time: &str) -> Option<i64> {
    let (seconds, fraction) = time.split_once('.')?;
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if !is_number(seconds) || !is_number(fraction) {
        return None;
    }
    let unit = match fraction.len() {
        6 => 1_000,
        9 => 1,
        _ => return None,
    };
    let seconds: i64 = seconds.parse().ok()?;
    let fraction: i64 = fraction.parse().ok()?;
    seconds
        .checked_mul(1_000_000_000)?
        .checked_add(fraction * unit)
}

/// Splits off the period, if there is one.
fn period(text: &str) -> (Option<u64>, &str) {
    let (word, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    match word.parse() {
        Ok(period) => (Some(period), rest.trim_start()),
        Err(_) => (None, text),
    }
}

/// Splits the period off the end of the columns, where it follows the thread or the CPU.
fn last_period(columns: &str) -> (Option<u64>, &str) {
    let before = without_last_word(columns);
    let follows =
        last_word(before).starts_with(|first: char| first == '[' || first.is_ascii_digit());
    match last_word(columns).parse() {
        Ok(period) if follows => (Some(period), before),
        _ => (None, columns),
    }
}

/// Splits `sched:sched_switch: prev_comm=…` or `cycles:u:` into the event and the rest of the line.
fn event(text: &str) -> (&str, &str) {
    let (event, rest) = match text.split_once(": ") {
        Some((event, rest)) => (event, rest.trim()),
        None => match text.strip_suffix(':') {
            Some(event) => (event, ""),
            None => ("", text),
        },
    };
    // The name of a record (`PERF_RECORD_MMAP2`) may be followed by more than one word.
    if event.contains(char::is_whitespace) || text.starts_with("PERF_RECORD_") {
        return ("", text);
    }
    (event, rest)
}
