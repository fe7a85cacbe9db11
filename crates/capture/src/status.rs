//! How a recording goes: what the kernel counts of it.

/// What is known of a recording while it goes on.
#[derive(Clone, Copy, PartialEq, Default, Debug)]
pub struct Status {
    /// Events that the kernel has recorded: those that were read, and those in its buffer.
    pub events: u64,
    /// Bytes of them that came, or lie in the kernel's buffer.
    pub bytes: u64,
    /// How full the buffer of the fullest CPU is: 0 to 1.
    pub fill: Option<f64>,
    /// Events that were lost: older ones that gave way, and new ones that found no room.
    pub lost: u64,
}

impl Status {
    /// Adds what `per_cpu/cpuN/stats` says of a CPU whose buffer has so many KB.
    pub(crate) fn add_cpu(&mut self, stats: &str, buffer_kb: Option<u64>) {
        let count = |name: &str| {
            let mut lines = stats.lines().filter_map(|line| line.split_once(": "));
            let found = lines.find(|(known, _)| *known == name);
            found.and_then(|(_, number)| number.trim().parse().ok())
        };
        let count = |name: &str| count(name).unwrap_or(0u64);
        self.events += count("entries") + count("read events");
        self.lost += count("overrun") + count("commit overrun") + count("dropped events");
        let bytes = count("bytes");
        self.bytes += bytes;
        if let Some(room) = buffer_kb.filter(|&kb| kb > 0) {
            let fill = (bytes as f64 / (room as f64 * 1024.0)).min(1.0);
            self.fill = Some(self.fill.map_or(fill, |fullest| fullest.max(fill)));
        }
    }

    /// Of all CPUs' `stats`, one behind the other, and the `buffer_size_kb` of all behind them.
    pub(crate) fn of_all(text: &str) -> Option<Self> {
        let (stats, size) = text.trim_end().rsplit_once('\n')?;
        let mut status = Self::default();
        let mut cpus = stats.split("entries: ").skip(1).peekable();
        cpus.peek()?;
        for rest in cpus {
            status.add_cpu(&format!("entries: {rest}"), size_kb(size));
        }
        Some(status)
    }
}

/// `4096`, or `7 (expanded: 1408)` of a buffer that was not used yet.
pub(crate) fn size_kb(text: &str) -> Option<u64> {
    text.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::Status;

    const CPU: &str = "entries: 10\noverrun: 3\ncommit overrun: 0\nbytes: 2048\n\
                       oldest event ts:  5.1\nnow ts:  6.2\ndropped events: 4\nread events: 90\n";

    #[test]
    fn cpus_are_added_up_and_the_fullest_counts() {
        let mut status = Status::default();
        status.add_cpu(CPU, Some(4));
        status.add_cpu(&CPU.replace("2048", "1024"), Some(4));
        let expected = Status {
            events: 200,
            bytes: 3072,
            fill: Some(0.5),
            lost: 14,
        };
        assert_eq!(status, expected);
        let all = format!("{CPU}{}4\n", CPU.replace("2048", "1024"));
        assert_eq!(Status::of_all(&all), Some(expected));
        assert_eq!(Status::of_all("cat: no such file\n4096\n"), None);
        assert_eq!(Status::of_all(""), None);
    }
}
