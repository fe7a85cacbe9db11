//! The progress of a recording, from the kernel's statistics.

/// The progress of a recording.
#[derive(Clone, Copy, PartialEq, Default, Debug)]
pub struct Status {
    /// Recorded events: those already read and those in the ring buffer.
    pub events: u64,
    /// Bytes of recorded events, received or in the ring buffer.
    pub bytes: u64,
    /// How full the fullest CPU's buffer is: 0 to 1.
    pub fill: Option<f64>,
    /// Lost events: overwritten ones, and new ones that did not fit.
    pub lost: u64,
}

impl Status {
    /// Adds a CPU: the text of its `per_cpu/cpuN/stats` and the size of its buffer in KB.
    pub(crate) fn add_cpu(&mut self, stats: &str, buffer_kb: Option<u64>) {
        let count = |name: &str| {
            let mut lines = stats.lines().filter_map(|line| line.split_once(": "));
            let found = lines.find(|(key, _)| *key == name);
            found.and_then(|(_, number)| number.trim().parse().ok())
        };
        let count = |name: &str| count(name).unwrap_or(0u64);
        self.events += count("entries") + count("read events");
        self.lost += count("overrun") + count("commit overrun") + count("dropped events");
        let bytes = count("bytes");
        self.bytes += bytes;
        if let Some(kb) = buffer_kb.filter(|&kb| kb > 0) {
            let fill = (bytes as f64 / (kb as f64 * 1024.0)).min(1.0);
            self.fill = Some(self.fill.map_or(fill, |fullest| fullest.max(fill)));
        }
    }

    /// Adds another buffer of the same recording.
    #[cfg_attr(
        not(any(target_os = "linux", target_os = "android")),
        allow(dead_code, reason = "only recordings of this machine use it")
    )]
    pub(crate) fn add(&mut self, other: &Self) {
        self.events += other.events;
        self.bytes += other.bytes;
        self.lost += other.lost;
        let fills = [self.fill, other.fill].into_iter().flatten();
        self.fill = fills.reduce(f64::max);
    }

    /// Parses the `stats` of all CPUs, followed by a line with the common `buffer_size_kb`.
    pub(crate) fn parse(text: &str) -> Option<Self> {
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

/// The counts of events that the kernel's text and pages do not report.
pub(crate) const DROPPED: &[&str] = &["commit overrun", "dropped events"];

/// The counts of all lost events.
pub(crate) const LOST: &[&str] = &["overrun", "commit overrun", "dropped events"];

/// The sum of these counts for each CPU, from the same text. The shell sorts the CPUs by name.
pub(crate) fn sum_by_cpu(text: &str, wanted: &[&str]) -> Vec<(u32, u64)> {
    let cpus: Vec<&str> = text.split("entries: ").skip(1).collect();
    let mut names: Vec<String> = (0..cpus.len()).map(|cpu| cpu.to_string()).collect();
    names.sort();
    let numbers = names.iter().filter_map(|name| name.parse().ok());
    let count = |stats: &str| {
        let counts = stats.lines().filter_map(|line| line.split_once(": "));
        let counts = counts.filter(|(key, _)| wanted.contains(key));
        let numbers = counts.filter_map(|(_, number)| number.trim().parse::<u64>().ok());
        numbers.sum()
    };
    numbers.zip(cpus.into_iter().map(count)).collect()
}

/// Parses `buffer_size_kb`: `4096`, or `7 (expanded: 1408)` for a buffer that was never used.
pub(crate) fn size_kb(text: &str) -> Option<u64> {
    text.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::{DROPPED, LOST, Status, sum_by_cpu};

    const CPU: &str = "entries: 10\noverrun: 3\ncommit overrun: 0\nbytes: 2048\n\
                       oldest event ts:  5.1\nnow ts:  6.2\ndropped events: 4\nread events: 90\n";

    #[test]
    fn cpus_are_summed_and_the_fullest_counts() {
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
        assert_eq!(Status::parse(&all), Some(expected));
        assert_eq!(Status::parse("cat: no such file\n4096\n"), None);
        assert_eq!(Status::parse(""), None);
    }

    #[test]
    fn the_shell_sorts_cpus_by_name() {
        let cpu = |name: u64| CPU.replace("dropped events: 4", &format!("dropped events: {name}"));
        let text: String = [0, 1, 10, 2, 3, 4, 5, 6, 7, 8, 9].map(cpu).concat();
        let expected: Vec<(u32, u64)> = [0, 1, 10, 2, 3, 4, 5, 6, 7, 8, 9]
            .map(|cpu| (cpu, u64::from(cpu)))
            .to_vec();
        let text = text + "4\n";
        assert_eq!(sum_by_cpu(&text, DROPPED), expected);
        let with_overrun = expected.iter().map(|(cpu, dropped)| (*cpu, dropped + 3));
        assert_eq!(sum_by_cpu(&text, LOST), with_overrun.collect::<Vec<_>>());
    }
}
