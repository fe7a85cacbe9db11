//! What was recorded last.

use std::collections::VecDeque;
use std::fs::File;
use std::io;
use std::sync::Arc;

use traceloom_formats::FtraceLine;

use super::spool::Spool;
use super::trigger::Trigger;
use super::window::Window;
use crate::agent::{PartKind, Sink};

/// How much text is let go at a time, bytes.
const CHUNK: usize = 64 << 10;

/// The first line of every dump: readers know the format by it, and a stream has none.
pub(super) const HEADER: &[u8] = b"# tracer: nop\n#\n";

/// What those who record want to know of a tape at once.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Watched {
    /// What was waited for is there: what it was.
    Fired(String),
    /// The kernel lost events, since the recorder was too slow or the buffer too small.
    Lost(u64),
    /// Nothing more comes, though nobody asked for the end: why.
    BrokeOff(String),
}

/// Text of a recording, of which only the last seconds are kept.
pub struct Tape {
    keep_ns: Option<i64>,
    trigger: Option<Trigger>,
    /// Hears of what cannot wait.
    tell: Box<dyn Fn(Watched) + Send>,
    /// Shows its end while it is recorded.
    window: Option<Arc<Window>>,
    /// Holds all of it, in the place of `chunks`.
    spool: Option<Spool>,
    chunks: VecDeque<Chunk>,
    /// A line whose end has not come.
    begun: Vec<u8>,
    newest_ns: i64,
}

#[derive(Default)]
struct Chunk {
    text: Vec<u8>,
    newest_ns: i64,
}

impl Tape {
    /// That keeps the last `keep_ns` nanoseconds, or everything, and `tell`s when what `trigger`
    /// waits for is there, once, and of every loss.
    pub fn new(
        keep_ns: Option<i64>,
        trigger: Option<Trigger>,
        tell: impl Fn(Watched) + Send + 'static,
    ) -> Self {
        Self {
            keep_ns,
            trigger,
            tell: Box::new(tell),
            window: None,
            spool: None,
            chunks: VecDeque::new(),
            begun: Vec::new(),
            newest_ns: i64::MIN,
        }
    }

    /// That shows its end in `window`, too.
    #[must_use]
    pub fn shown_in(mut self, window: Arc<Window>) -> Self {
        self.window = Some(window);
        self
    }

    /// That keeps what it has in `file` instead of in memory; for one that keeps everything.
    #[must_use]
    pub fn kept_in(mut self, file: File) -> Self {
        self.spool = Some(Spool::new(file));
        self
    }

    /// Nothing more comes, though nobody asked for the end.
    pub fn broke_off(&self, why: String) {
        (self.tell)(Watched::BrokeOff(why));
    }

    /// Takes what was recorded next.
    pub fn push(&mut self, bytes: &[u8]) {
        for piece in bytes.split_inclusive(|&byte| byte == b'\n') {
            if self.begun.is_empty() && piece.ends_with(b"\n") {
                self.line(piece);
                continue;
            }
            self.begun.extend_from_slice(piece);
            if piece.ends_with(b"\n") {
                let line = std::mem::take(&mut self.begun);
                self.line(&line);
            }
        }
    }

    /// The bytes that are kept in memory.
    pub fn len(&self) -> usize {
        self.chunks.iter().map(|chunk| chunk.text.len()).sum()
    }

    /// Whether nothing is kept in memory.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn line(&mut self, line: &[u8]) {
        let read = FtraceLine::read(line.trim_ascii_end());
        if let Some(window) = &self.window {
            window.push(line, read.as_ref().map(|read| read.ts_ns));
        }
        if let Some(read) = read {
            self.newest_ns = self.newest_ns.max(read.ts_ns);
            self.watch(&read);
        } else if let Some(lost) = lost(line) {
            if let Some(window) = &self.window {
                window.lost(lost);
            }
            (self.tell)(Watched::Lost(lost));
        }
        self.keep(line);
    }

    fn keep(&mut self, line: &[u8]) {
        if let Some(spool) = &mut self.spool {
            if let Err(error) = spool.push(line) {
                (self.tell)(Watched::BrokeOff(format!(
                    "what is recorded cannot be kept: {error}"
                )));
            }
            return;
        }
        if self
            .chunks
            .back()
            .is_none_or(|chunk| chunk.text.len() >= CHUNK)
        {
            self.let_go();
            self.chunks.push_back(Chunk::default());
        }
        if let Some(chunk) = self.chunks.back_mut() {
            chunk.text.extend_from_slice(line);
            chunk.newest_ns = self.newest_ns;
        }
    }

    fn watch(&mut self, line: &FtraceLine<'_>) {
        let seen = self.trigger.as_mut().and_then(|trigger| trigger.see(line));
        if let Some(what) = seen {
            self.trigger = None;
            (self.tell)(Watched::Fired(what));
        }
    }

    fn let_go(&mut self) {
        let Some(oldest) = self.oldest_kept() else {
            return;
        };
        while self
            .chunks
            .front()
            .is_some_and(|chunk| chunk.newest_ns < oldest)
        {
            self.chunks.pop_front();
        }
    }

    fn oldest_kept(&self) -> Option<i64> {
        Some(self.newest_ns.saturating_sub(self.keep_ns?))
    }

    /// Hands over what is kept, to the line.
    ///
    /// # Errors
    /// Where it cannot be kept there.
    pub fn hand_over(&mut self, name: &str, sink: &mut dyn Sink) -> io::Result<()> {
        let oldest = self.oldest_kept().unwrap_or(i64::MIN);
        sink.begin(PartKind::SystemTrace, name)?;
        if let Some(spool) = &mut self.spool {
            let mut is_first = true;
            return spool.read_back(|piece| {
                if std::mem::take(&mut is_first) {
                    sink.data(HEADER)?;
                }
                sink.data(piece)
            });
        }
        if self.chunks.is_empty() {
            return Ok(());
        }
        sink.data(HEADER)?;
        for chunk in std::mem::take(&mut self.chunks) {
            let kept: Vec<u8> = chunk
                .text
                .split_inclusive(|&byte| byte == b'\n')
                .filter(|line| is_kept(line, oldest))
                .flatten()
                .copied()
                .collect();
            sink.data(&kept)?;
        }
        Ok(())
    }
}

fn is_kept(line: &[u8], oldest_ns: i64) -> bool {
    FtraceLine::read(line.trim_ascii_end()).is_none_or(|line| line.ts_ns >= oldest_ns)
}

/// `CPU:1 [LOST 12 EVENTS]`
fn lost(line: &[u8]) -> Option<u64> {
    let line = std::str::from_utf8(line).ok()?;
    let (_, rest) = line.strip_prefix("CPU:")?.split_once(" [LOST ")?;
    rest.split(' ').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::{Tape, Watched};
    use crate::agent::{PartKind, Sink};
    use crate::live::{Trigger, Window, WindowLimits};

    #[derive(Default)]
    struct Kept(String);

    impl Sink for Kept {
        fn begin(&mut self, _: PartKind, _: &str) -> std::io::Result<()> {
            Ok(())
        }

        fn data(&mut self, bytes: &[u8]) -> std::io::Result<()> {
            self.0 += std::str::from_utf8(bytes).unwrap();
            Ok(())
        }
    }

    fn line(ms: usize) -> String {
        format!(
            "             app-7     (    7) [000] .... {}.{:03}000: tracing_mark_write: C|7|n|{ms}\n",
            ms / 1000,
            ms % 1000
        )
    }

    #[test]
    fn the_last_seconds_are_kept_and_the_memory_with_them() {
        let mut tape = Tape::new(Some(2_000_000_000), None, |_| ());
        let text: String = (0..100_000).map(line).collect();
        for piece in text.as_bytes().chunks(777) {
            tape.push(piece);
            assert!(tape.len() < 2_200 * line(0).len() + (128 << 10));
        }
        let mut kept = Kept::default();
        tape.hand_over("x", &mut kept).unwrap();
        let expected: String = (97_999..100_000).map(line).collect();
        assert!(kept.0 == format!("# tracer: nop\n#\n{expected}"));
    }

    #[test]
    fn a_file_holds_all_and_a_window_the_end() {
        let window = Arc::new(Window::new(WindowLimits {
            keep_ns: 1_000_000,
            most_bytes: 256 << 10,
        }));
        let mut tape = Tape::new(None, None, |_| ())
            .kept_in(tempfile::tempfile().unwrap())
            .shown_in(Arc::clone(&window));
        let text: String = (0..50_000).map(line).collect();
        for piece in text.as_bytes().chunks(777) {
            tape.push(piece);
        }
        tape.push(b"CPU:1 [LOST 12 EVENTS]\n");
        assert!(tape.is_empty(), "nothing of it is in memory");
        let stats = window.stats();
        assert_eq!((stats.events, stats.lost), (50_000, 12));
        let end = String::from_utf8(window.text(usize::MAX)).unwrap();
        assert!(end.ends_with(&(line(49_999) + "CPU:1 [LOST 12 EVENTS]\n")));
        let mut kept = Kept::default();
        tape.hand_over("x", &mut kept).unwrap();
        assert!(kept.0 == format!("# tracer: nop\n#\n{text}CPU:1 [LOST 12 EVENTS]\n"));
    }

    #[test]
    fn an_end_that_nobody_asked_for_is_told() {
        let told = Arc::new(Mutex::new(Vec::new()));
        let hears = Arc::clone(&told);
        let tell = move |what| hears.lock().unwrap().push(what);
        Tape::new(None, None, tell).broke_off("unplugged".to_owned());
        let expected = [Watched::BrokeOff("unplugged".to_owned())];
        assert_eq!(*told.lock().unwrap(), expected);
    }

    #[test]
    fn what_cannot_wait_is_told_once() {
        let told = Arc::new(Mutex::new(Vec::new()));
        let hears = Arc::clone(&told);
        let tell = move |what| hears.lock().unwrap().push(what);
        let mut tape = Tape::new(None, Some(Trigger::event("tracing_*")), tell);
        tape.push(b"CPU:1 [LOST 12 EVENTS]\n");
        tape.push(line(1).as_bytes());
        tape.push(line(2).as_bytes());
        let expected = [
            Watched::Lost(12),
            Watched::Fired("tracing_mark_write".to_owned()),
        ];
        assert_eq!(*told.lock().unwrap(), expected);
    }
}
