//! The end of a recording that is shown while it goes on: its last seconds, and never more than so many bytes.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::tape::HEADER;

/// How much text is let go at a time, bytes.
const CHUNK: usize = 64 << 10;

/// What a window may hold.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WindowLimits {
    /// So much time at the end of the recording.
    pub keep_ns: i64,
    /// So many bytes of text, whatever time that is.
    pub most_bytes: usize,
}

/// How a recording goes.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct WindowStats {
    /// Events since it began.
    pub events: u64,
    /// Events that the kernel lost since then.
    pub lost: u64,
    /// Bytes of text since then.
    pub bytes: u64,
    /// The time from the oldest to the newest event that is held.
    pub held_ns: i64,
}

/// Text of the last seconds of a recording, for a reader that looks now and then while another
/// thread goes on recording.
#[derive(Debug)]
pub struct Window {
    limits: WindowLimits,
    held: Mutex<Held>,
}

#[derive(Default, Debug)]
struct Held {
    /// Full ones; a reader shares them, so that the recorder need not wait while they are read.
    full: VecDeque<Arc<Chunk>>,
    filling: Chunk,
    full_bytes: usize,
    stats: WindowStats,
}

#[derive(Default, Debug)]
struct Chunk {
    text: Vec<u8>,
    /// Its oldest and its newest event.
    times: Option<(i64, i64)>,
}

impl Window {
    /// Of nothing yet.
    pub fn new(limits: WindowLimits) -> Self {
        Self {
            limits,
            held: Mutex::default(),
        }
    }

    /// Takes the next whole line, with the time of its event if it has one.
    pub fn push(&self, line: &[u8], ts_ns: Option<i64>) {
        let mut held = self.held();
        held.stats.bytes += line.len() as u64;
        if let Some(ts) = ts_ns {
            held.stats.events += 1;
            let (oldest, newest) = held.filling.times.unwrap_or((ts, ts));
            held.filling.times = Some((oldest.min(ts), newest.max(ts)));
        }
        held.filling.text.extend_from_slice(line);
        if held.filling.text.len() >= CHUNK {
            held.close_chunk(&self.limits);
        }
    }

    /// The kernel lost so many events here.
    pub fn lost(&self, events: u64) {
        self.held().stats.lost += events;
    }

    /// How it goes.
    pub fn stats(&self) -> WindowStats {
        let held = self.held();
        let times = || held.chunks().filter_map(|chunk| chunk.times);
        let oldest = times().map(|(oldest, _)| oldest).min();
        let newest = times().map(|(_, newest)| newest).max();
        let held_ns = newest.zip(oldest).map_or(0, |(new, old)| new - old);
        WindowStats {
            held_ns,
            ..held.stats
        }
    }

    /// The newest `most_bytes` of what is held (in steps of some 64 KB), as text that the readers
    /// know; nothing where nothing came yet.
    pub fn text(&self, most_bytes: usize) -> Vec<u8> {
        let (full, filling) = {
            let held = self.held();
            let mut room = most_bytes.saturating_sub(held.filling.text.len());
            let fits = |chunk: &&Arc<Chunk>| {
                let left = room.checked_sub(chunk.text.len());
                room = left.unwrap_or(0);
                left.is_some()
            };
            let mut full: Vec<_> = held.full.iter().rev().take_while(fits).cloned().collect();
            full.reverse();
            (full, held.filling.text.clone())
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

    fn held(&self) -> MutexGuard<'_, Held> {
        // What is held is whole at any time, so what a panic left behind is as good.
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Held {
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
            // What fills next counts too.
            if !is_old && self.full_bytes + CHUNK <= limits.most_bytes {
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
    fn the_last_seconds_are_held() {
        let window = filled(
            WindowLimits {
                keep_ns: 2_000_000_000,
                most_bytes: 64 << 20,
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
    fn and_never_more_than_so_many_bytes() {
        let window = filled(
            WindowLimits {
                keep_ns: i64::MAX,
                most_bytes: 1 << 20,
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
                most_bytes: 1,
            },
            0,
        );
        window.lost(12);
        assert_eq!(window.stats().lost, 12);
        assert!(window.text(usize::MAX).is_empty());
    }
}
