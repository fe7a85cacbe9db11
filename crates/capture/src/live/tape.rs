//! Stores the text of a recording, or its last seconds.

use std::collections::VecDeque;
use std::fs::File;
use std::io;
use std::sync::Arc;

use traceloom_formats::FtraceLine;

use super::spill_file::{SpillFile, cannot_store};
use super::trigger::Trigger;
use super::window::{HEADER, Window};
use crate::agent::{PartKind, Sink};
use crate::clock_markers::unique_id;
use crate::lost_lines::LostLines;

/// Size of a chunk of text, bytes. Old text is dropped in whole chunks.
const CHUNK: usize = 64 << 10;

/// The longest text that waits for the end of its line, bytes. The kernel prints at most a page at once.
const LONGEST_LINE: usize = 1 << 20;

/// An event of a tape that is reported at once.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Watched {
    /// The trigger fired: a description.
    Fired(String),
    /// The kernel lost this many events, because the recorder was too slow or the buffer too small.
    Lost(u64),
    /// The recording ended without a request: the reason.
    BrokeOff(String),
}

/// Stores the text of a recording, or its last seconds.
pub struct Tape {
    /// Length of the part to keep. `None` keeps everything.
    keep_ns: Option<i64>,
    trigger: Option<Trigger>,
    /// Receives events.
    report: Box<dyn Fn(Watched) + Send>,
    /// Shows the end of the recording.
    window: Option<Arc<Window>>,
    /// Stores the text instead of `chunks`.
    stored: Option<SpillFile>,
    chunks: VecDeque<Chunk>,
    /// The last line, if it is incomplete.
    partial_line: Vec<u8>,
    newest_ns: i64,
    lost: LostLines,
    /// The text of the mark that ends the recording. It is not stored.
    end_mark: String,
    /// Whether that mark has arrived.
    has_ended: bool,
}

#[derive(Default)]
struct Chunk {
    text: Vec<u8>,
    newest_ns: i64,
}

impl Tape {
    /// A tape that keeps the last `keep_ns` nanoseconds, or everything. It calls `report` when
    /// `trigger` fires (once), and for each loss.
    pub fn new(
        keep_ns: Option<i64>,
        trigger: Option<Trigger>,
        report: impl Fn(Watched) + Send + 'static,
    ) -> Self {
        Self {
            keep_ns,
            trigger,
            report: Box::new(report),
            window: None,
            stored: None,
            chunks: VecDeque::new(),
            partial_line: Vec::new(),
            newest_ns: i64::MIN,
            lost: LostLines::default(),
            end_mark: format!("traceloom ends {}", unique_id()),
            has_ended: false,
        }
    }

    /// Shows the end of the recording in `window`.
    #[must_use]
    pub fn shown_in(mut self, window: Arc<Window>) -> Self {
        self.window = Some(window);
        self
    }

    /// Stores the text in `file` instead of in memory. For tapes that keep everything.
    #[must_use]
    pub fn stored_in(mut self, file: File) -> Self {
        self.stored = Some(SpillFile::new(file));
        self
    }

    /// Reports that the recording ended without a request.
    pub(super) fn report_end(&self, reason: String) {
        (self.report)(Watched::BrokeOff(reason));
    }

    /// The text of the mark that ends the recording.
    pub(super) fn end_mark(&self) -> &str {
        &self.end_mark
    }

    /// Whether the mark that ends the recording has arrived.
    pub(super) fn has_ended(&self) -> bool {
        self.has_ended
    }

    /// Appends text.
    pub fn push(&mut self, bytes: &[u8]) {
        for part in bytes.split_inclusive(|&byte| byte == b'\n') {
            if self.partial_line.is_empty() && part.ends_with(b"\n") {
                self.push_line(part);
                continue;
            }
            self.partial_line.extend_from_slice(part);
            if part.ends_with(b"\n") || self.partial_line.len() > LONGEST_LINE {
                let line = std::mem::take(&mut self.partial_line);
                self.push_line(&line);
            }
        }
    }

    /// Adds the events in `dropped` (CPU and events) that the text does not report itself.
    pub(super) fn add_losses(&mut self, dropped: &[(u32, u64)]) {
        let lines = self.lost.missing(dropped);
        for line in lines.split_inclusive('\n') {
            self.push_line(line.as_bytes());
        }
    }

    /// Bytes of text in memory.
    pub fn len(&self) -> usize {
        self.chunks.iter().map(|chunk| chunk.text.len()).sum()
    }

    /// Whether there is no text in memory.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn push_line(&mut self, line: &[u8]) {
        if line.trim_ascii_end().ends_with(self.end_mark.as_bytes()) {
            self.has_ended = true;
            return;
        }
        let event = FtraceLine::read(line.trim_ascii_end());
        if let Some(window) = &self.window {
            window.push(line, event.as_ref().map(|event| event.ts_ns));
        }
        if let Some(event) = event {
            self.newest_ns = self.newest_ns.max(event.ts_ns);
            self.check_trigger(&event);
        } else if let Some(lost) = self.lost.push_line(line) {
            if let Some(window) = &self.window {
                window.add_lost(lost);
            }
            (self.report)(Watched::Lost(lost));
        }
        self.store(line);
    }

    fn store(&mut self, line: &[u8]) {
        if let Some(stored) = &mut self.stored {
            if let Err(error) = stored.push(line) {
                let reason = cannot_store(&error);
                self.report_end(reason);
            }
            return;
        }
        if self
            .chunks
            .back()
            .is_none_or(|chunk| chunk.text.len() >= CHUNK)
        {
            self.drop_old_chunks();
            self.chunks.push_back(Chunk::default());
        }
        if let Some(chunk) = self.chunks.back_mut() {
            chunk.text.extend_from_slice(line);
            chunk.newest_ns = self.newest_ns;
        }
    }

    fn check_trigger(&mut self, line: &FtraceLine<'_>) {
        let fired = self
            .trigger
            .as_mut()
            .and_then(|trigger| trigger.check(line));
        if let Some(description) = fired {
            self.trigger = None;
            (self.report)(Watched::Fired(description));
        }
    }

    fn drop_old_chunks(&mut self) {
        let Some(oldest) = self.oldest_to_keep() else {
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

    fn oldest_to_keep(&self) -> Option<i64> {
        Some(self.newest_ns.saturating_sub(self.keep_ns?))
    }

    /// Hands over the stored text. Lines that are too old are left out one by one, not by chunk.
    ///
    /// # Errors
    /// The errors of the file and of `sink`.
    pub fn hand_over(&mut self, name: &str, sink: &mut dyn Sink) -> io::Result<()> {
        let oldest = self.oldest_to_keep().unwrap_or(i64::MIN);
        sink.begin(PartKind::SystemTrace, name)?;
        if let Some(stored) = &mut self.stored {
            let mut is_first = true;
            return stored.read_back(stored.bytes(), |chunk| {
                if std::mem::take(&mut is_first) {
                    sink.data(HEADER)?;
                }
                sink.data(chunk)
            });
        }
        if self.chunks.is_empty() {
            return Ok(());
        }
        sink.data(HEADER)?;
        for chunk in std::mem::take(&mut self.chunks) {
            let text: Vec<u8> = chunk
                .text
                .split_inclusive(|&byte| byte == b'\n')
                .filter(|line| !is_older(line, oldest))
                .flatten()
                .copied()
                .collect();
            sink.data(&text)?;
        }
        Ok(())
    }
}

fn is_older(line: &[u8], oldest_ns: i64) -> bool {
    FtraceLine::read(line.trim_ascii_end()).is_some_and(|line| line.ts_ns < oldest_ns)
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::{Tape, Watched};
    use crate::agent::PartKind;
    use crate::live::{Trigger, Window, WindowLimits};
    use crate::test_sink::TestSink;

    fn line(ms: usize) -> String {
        format!(
            "             app-7     (    7) [000] .... {}.{:03}000: tracing_mark_write: C|7|n|{ms}\n",
            ms / 1000,
            ms % 1000
        )
    }

    #[test]
    fn the_last_seconds_are_kept_in_bounded_memory() {
        let mut tape = Tape::new(Some(2_000_000_000), None, |_| ());
        let text: String = (0..100_000).map(line).collect();
        for chunk in text.as_bytes().chunks(777) {
            tape.push(chunk);
            assert!(tape.len() < 2_200 * line(0).len() + (128 << 10));
        }
        let mut sink = TestSink::new(PartKind::SystemTrace);
        tape.hand_over("x", &mut sink).unwrap();
        let expected: String = (97_999..100_000).map(line).collect();
        let expected = format!("# tracer: nop\n#\n{expected}");
        assert!(sink.bytes == expected.as_bytes());
    }

    #[test]
    fn a_file_stores_everything_and_a_window_the_end() {
        let window = Arc::new(Window::new(WindowLimits {
            keep_ns: 1_000_000,
            max_bytes: 256 << 10,
        }));
        let mut tape = Tape::new(None, None, |_| ())
            .stored_in(tempfile::tempfile().unwrap())
            .shown_in(Arc::clone(&window));
        let text: String = (0..50_000).map(line).collect();
        for chunk in text.as_bytes().chunks(777) {
            tape.push(chunk);
        }
        tape.push(b"CPU:1 [LOST 12 EVENTS]\n");
        assert!(tape.is_empty(), "nothing is in memory");
        let stats = window.stats();
        assert_eq!((stats.events, stats.lost), (50_000, 12));
        let end = String::from_utf8(window.text(usize::MAX)).unwrap();
        assert!(end.ends_with(&(line(49_999) + "CPU:1 [LOST 12 EVENTS]\n")));
        let mut sink = TestSink::new(PartKind::SystemTrace);
        tape.hand_over("x", &mut sink).unwrap();
        let expected = format!("# tracer: nop\n#\n{text}CPU:1 [LOST 12 EVENTS]\n");
        assert!(sink.bytes == expected.as_bytes());
    }

    #[test]
    fn an_unrequested_end_is_reported() {
        let events = Arc::new(Mutex::new(Vec::new()));
        let received = Arc::clone(&events);
        let report = move |event| received.lock().unwrap().push(event);
        Tape::new(None, None, report).report_end("unplugged".to_owned());
        let expected = [Watched::BrokeOff("unplugged".to_owned())];
        assert_eq!(*events.lock().unwrap(), expected);
    }

    #[test]
    fn the_mark_of_the_end_is_not_stored() {
        let mut tape = Tape::new(None, None, |_| ());
        let end = line(2).replace("C|7|n|2", tape.end_mark());
        tape.push(line(1).as_bytes());
        assert!(!tape.has_ended());
        tape.push(end.as_bytes());
        assert!(tape.has_ended());
        assert_eq!(tape.len(), line(1).len());
    }

    #[test]
    fn text_without_ends_of_lines_is_stored_in_pieces() {
        let mut tape = Tape::new(None, None, |_| ());
        for _ in 0..48 {
            tape.push(&[b'x'; 64 << 10]);
        }
        assert!(tape.len() > 1 << 20);
        tape.push(b"\n");
        assert_eq!(tape.len(), (3 << 20) + 1);
    }

    #[test]
    fn losses_and_the_trigger_are_reported() {
        let events = Arc::new(Mutex::new(Vec::new()));
        let received = Arc::clone(&events);
        let report = move |event| received.lock().unwrap().push(event);
        let mut tape = Tape::new(None, Some(Trigger::event("tracing_*")), report);
        tape.push(b"CPU:1 [LOST 12 EVENTS]\n");
        tape.push(line(1).as_bytes());
        tape.push(line(2).as_bytes());
        let expected = [
            Watched::Lost(12),
            Watched::Fired("tracing_mark_write".to_owned()),
        ];
        assert_eq!(*events.lock().unwrap(), expected);
    }
}
