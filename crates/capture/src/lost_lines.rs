//! Lost events that a text reports: lines like `CPU:1 [LOST 12 EVENTS]`. The kernel writes them for
//! overwritten events only; those that it dropped because a buffer was full are added here.

use std::collections::BTreeMap;
use std::fmt::Write;

/// Longer than any such line.
const MAX_LINE: usize = 64;

/// The lost events that a text has reported so far.
#[derive(Debug, Default)]
pub(crate) struct LostLines {
    reported: BTreeMap<u32, u64>,
    /// The start of the last line, if it is incomplete.
    partial: Vec<u8>,
}

impl LostLines {
    /// Takes the next part of the text.
    pub fn push(&mut self, text: &[u8]) {
        for part in text.split_inclusive(|&byte| byte == b'\n') {
            let room = MAX_LINE.saturating_sub(self.partial.len());
            self.partial
                .extend_from_slice(&part[..part.len().min(room)]);
            if part.ends_with(b"\n") {
                let line = std::mem::take(&mut self.partial);
                self.push_line(&line);
            }
        }
    }

    /// Takes a line. Returns the number of lost events in it.
    pub fn push_line(&mut self, line: &[u8]) -> Option<u64> {
        let (cpu, events) = parse(line)?;
        let reported = self.reported.entry(cpu).or_default();
        // Programs can write such lines, with any number.
        *reported = reported.saturating_add(events);
        Some(events)
    }

    /// Lines for the events in `dropped` (CPU and events) that were not reported yet. The caller passes
    /// them to [`push`](Self::push) like all text.
    pub fn missing(&self, dropped: &[(u32, u64)]) -> String {
        let mut lines = String::new();
        for (cpu, dropped) in dropped {
            let new = dropped.saturating_sub(self.reported.get(cpu).copied().unwrap_or(0));
            if new > 0 {
                // Writing to a string cannot fail.
                _ = writeln!(lines, "CPU:{cpu} [LOST {new} EVENTS]");
            }
        }
        lines
    }
}

fn parse(line: &[u8]) -> Option<(u32, u64)> {
    let line = std::str::from_utf8(line.strip_prefix(b"CPU:")?).ok()?;
    let (cpu, rest) = line.split_once(" [LOST ")?;
    Some((cpu.parse().ok()?, rest.split(' ').next()?.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::LostLines;

    #[test]
    fn what_the_text_does_not_say_is_added() {
        let text = b"app-7 [000] 1.5: x: CPU:1 [LOST 9 EVENTS]\nCPU:1 [LOST 12 EVENTS]\n\
                     CPU:1 [LOST 3 EVENTS]\nCPU:12 [LOST 1 EVENTS]\nCPU:2 [LOST EVENTS]\n";
        for size in [1, 7, 1000] {
            let mut lines = LostLines::default();
            text.chunks(size).for_each(|chunk| lines.push(chunk));
            let missing = lines.missing(&[(0, 4), (1, 20), (12, 1)]);
            assert_eq!(missing, "CPU:0 [LOST 4 EVENTS]\nCPU:1 [LOST 5 EVENTS]\n");
            lines.push(missing.as_bytes());
            assert_eq!(lines.missing(&[(0, 4), (1, 20), (12, 1)]), "");
        }
    }

    #[test]
    fn any_number_of_events_may_be_lost() {
        let mut lines = LostLines::default();
        let text = format!("CPU:1 [LOST {} EVENTS]\n", u64::MAX);
        lines.push(text.as_bytes());
        lines.push(text.as_bytes());
        assert_eq!(lines.missing(&[(1, u64::MAX)]), "");
    }
}
