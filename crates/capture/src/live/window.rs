//! The end of a running recording: its last seconds, limited in bytes.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The first lines of ftrace text, by which readers detect the format. Streams do not have them.
pub(super) const HEADER: &[u8] = b"# tracer: nop\n#\n";

/// Size of a chunk of text, bytes. Old text is dropped in whole chunks.
const CHUNK: usize = 64 << 10;

/// Limits of a window.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WindowLimits {
    /// Length of the window, ns.
    pub keep_ns: i64,
    /// Most text or pages in the window, bytes.
    pub max_bytes: usize,
}

/// Statistics of a recording and its window.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct WindowStats {
    /// Recorded events.
    pub events: u64,
    /// Events that the kernel lost.
    pub lost: u64,
    /// Bytes of recorded text or pages.
    pub bytes: u64,
    /// Time from the oldest to the newest event in the window, ns.
    pub held_ns: i64,
}

/// The end of a running recording, for a reader in another thread.
pub trait Recent: Send + Sync {
    /// The current statistics.
    fn stats(&self) -> WindowStats;

    /// The newest part of about `max_bytes`, in a form that readers accept. Empty if nothing was
    /// recorded yet.
    fn newest(&self, max_bytes: usize) -> Vec<u8>;
}

impl Recent for Window {
    fn stats(&self) -> WindowStats {
        Window::stats(self)
    }

    fn newest(&self, max_bytes: usize) -> Vec<u8> {
        self.text(max_bytes)
    }
}

/// The text of the last seconds of a recording.
#[derive(Debug)]
pub struct Window {
    limits: WindowLimits,
    text: Mutex<Text>,
}

#[derive(Default, Debug)]
struct Text {
    /// Full chunks. They are shared with the reader, so that the recorder does not wait for it.
    full: VecDeque<Arc<Chunk>>,
    filling: Chunk,
    full_bytes: usize,
    stats: WindowStats,
}

#[derive(Default, Debug)]
struct Chunk {
    text: Vec<u8>,
    /// Times of the oldest and the newest event, ns.
    times: Option<(i64, i64)>,
}

impl Window {
    /// An empty window.
    pub fn new(limits: WindowLimits) -> Self {
        Self {
            limits,
            text: Mutex::default(),
        }
    }

    /// Appends a line, with the time of its event if it has one.
    pub fn push(&self, line: &[u8], ts_ns: Option<i64>) {
        let mut text = self.lock();
        text.stats.bytes += line.len() as u64;
        if let Some(ts) = ts_ns {
            text.stats.events += 1;
            let (oldest, newest) = text.filling.times.unwrap_or((ts, ts));
            text.filling.times = Some((oldest.min(ts), newest.max(ts)));
        }
        text.filling.text.extend_from_slice(line);
        if text.filling.text.len() >= CHUNK {
            text.close_chunk(&self.limits);
        }
    }

    /// Counts events that the kernel lost.
    pub(super) fn add_lost(&self, events: u64) {
        let lost = &mut self.lock().stats.lost;
        *lost = lost.saturating_add(events);
    }

    /// The current statistics.
    pub fn stats(&self) -> WindowStats {
        let state = self.lock();
        let times = || state.chunks().filter_map(|chunk| chunk.times);
        let oldest = times().map(|(oldest, _)| oldest).min();
        let newest = times().map(|(_, newest)| newest).max();
        let held_ns = newest.zip(oldest).map_or(0, |(new, old)| new - old);
        WindowStats {
            held_ns,
            ..state.stats
        }
    }

    /// The last `max_bytes` of text at most, cut at steps of about 64 KB, with the header that readers need. Empty if
    /// nothing was recorded yet.
    pub fn text(&self, max_bytes: usize) -> Vec<u8> {
        let (full, filling) = {
            let state = self.lock();
            let mut room = max_bytes.saturating_sub(state.filling.text.len());
            let fits = |chunk: &&Arc<Chunk>| {
                let left = room.checked_sub(chunk.text.len());
                room = left.unwrap_or(0);
                left.is_some()
            };
            let mut full: Vec<_> = state.full.iter().rev().take_while(fits).cloned().collect();
            full.reverse();
            (full, state.filling.text.clone())
        };
        let bytes = full.iter().map(|chunk| chunk.text.len()).sum::<usize>() + filling.len();
        let mut text = Vec::with_capacity(HEADER.len() + bytes);
        if bytes > 0 {
            text.extend_from_slice(HEADER);
        }
        full.iter()
            .for_each(|chunk| text.extend_from_slice(&chunk.text));
        text.extend_from_slice(&filling);
        text
    }

    fn lock(&self) -> MutexGuard<'_, Text> {
        // The text is consistent at any time, even after a panic of the other thread.
        self.text.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Text {
    fn chunks(&self) -> impl Iterator<Item = &Chunk> {
        let full = self.full.iter().map(|chunk| &**chunk);
        full.chain(std::iter::once(&self.filling))
    }

    fn close_chunk(&mut self, limits: &WindowLimits) {
        let chunk = std::mem::take(&mut self.filling);
        self.full_bytes += chunk.text.len();
        self.full.push_back(Arc::new(chunk));
        let newest = self.chunks().filter_map(|chunk| Some(chunk.times?.1)).max();
        let oldest = newest.map_or(i64::MIN, |newest| newest.saturating_sub(limits.keep_ns));
        while let Some(first) = self.full.front() {
            let is_old = first.times.is_none_or(|(_, newest)| newest < oldest);
            // The chunk that is filled next counts too.
            if !is_old && self.full_bytes + CHUNK <= limits.max_bytes {
                break;
            }
            self.full_bytes -= first.text.len();
            self.full.pop_front();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Window, WindowLimits};

    fn line(ms: i64) -> String {
        format!("app-7 (7) [000] .... {ms}: tracing_mark_write: C|7|n|{ms}\n")
    }

    fn filled(limits: WindowLimits, lines: i64) -> Window {
        let window = Window::new(limits);
        for ms in 0..lines {
            window.push(line(ms).as_bytes(), Some(ms * 1_000_000));
        }
        window
    }

    #[test]
    fn the_last_seconds_are_kept() {
        let window = filled(
            WindowLimits {
                keep_ns: 2_000_000_000,
                max_bytes: 64 << 20,
            },
            100_000,
        );
        let stats = window.stats();
        assert_eq!((stats.events, stats.lost), (100_000, 0));
        assert!((2_000_000_000..6_000_000_000).contains(&stats.held_ns));
        let text = String::from_utf8(window.text(usize::MAX)).unwrap();
        assert!(text.starts_with("# tracer: nop\n#\napp-7 "));
        assert!(text.ends_with(&line(99_999)) && text.contains(&line(98_000)));
        assert!(!text.contains(&line(90_000)));
    }

    #[test]
    fn the_size_is_limited() {
        let window = filled(
            WindowLimits {
                keep_ns: i64::MAX,
                max_bytes: 1 << 20,
            },
            100_000,
        );
        let text = window.text(usize::MAX);
        assert!((900 << 10..1 << 20).contains(&text.len()), "{}", text.len());
        assert!(text.ends_with(line(99_999).as_bytes()));
        let less = window.text(200 << 10);
        assert!((100 << 10..200 << 10).contains(&less.len()));
        assert!(less.ends_with(line(99_999).as_bytes()));
    }

    #[test]
    fn a_window_without_events_has_no_text() {
        let window = filled(
            WindowLimits {
                keep_ns: 1,
                max_bytes: 1,
            },
            0,
        );
        window.add_lost(12);
        assert_eq!(window.stats().lost, 12);
        assert!(window.text(usize::MAX).is_empty());
    }
}
