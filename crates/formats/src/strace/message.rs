//! strace's messages about the threads that it follows.

/// A message, and the text before it. On a terminal, strace prints messages in the middle of a call's line:
/// `clone(flags=SIGCHLDstrace: Process 42 attached`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Message<'a> {
    /// The text before the message.
    pub before: &'a str,
    /// The thread.
    pub tid: i64,
    /// What happened to it.
    pub news: News,
}

/// What happened to a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum News {
    /// strace follows it.
    Attached,
    /// strace no longer follows it.
    Detached,
    /// strace has suspended or resumed it. Only old versions do this.
    Paused,
}

impl<'a> Message<'a> {
    /// Finds the message at the end of a line.
    pub fn read(line: &'a str) -> Option<Self> {
        let (line, news) = news(without_details(line))?;
        let (before, tid) = line.rsplit_once("Process ")?;
        if !tid.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        Some(Self {
            before: before.strip_suffix("strace: ").unwrap_or(before),
            tid: tid.parse().ok()?,
            news,
        })
    }
}

fn news(line: &str) -> Option<(&str, News)> {
    let ends = [
        (" attached", News::Attached),
        (" detached", News::Detached),
        (" suspended", News::Paused),
        (" resumed", News::Paused),
    ];
    let mut found = ends.iter();
    found.find_map(|(end, news)| Some((line.strip_suffix(end)?, *news)))
}

/// Removes details that some versions of strace add to messages.
fn without_details(line: &str) -> &str {
    let line = line.strip_suffix(" (waiting for parent)").unwrap_or(line);
    let line = line.strip_suffix(" - interrupt to quit").unwrap_or(line);
    let ends = [(" (parent ", " ready)"), (" with ", " threads")];
    let detail = |(begin, end): &(&str, &str)| Some(line.strip_suffix(end)?.rsplit_once(begin)?.0);
    ends.iter().find_map(detail).unwrap_or(line)
}
