//! The recorder's statistics about its buffers: rows of `stats` under Perfetto's names.

use std::collections::BTreeMap;

use traceloom_trace::TraceBuilder;

use super::super::wire::{Field, Fields};

/// Fields of `TraceStats`.
const RECORDER: &[(u32, &str)] = &[
    (2, "producers_connected"),
    (3, "producers_seen"),
    (4, "data_sources_registered"),
    (5, "data_sources_seen"),
    (6, "tracing_sessions"),
    (7, "total_buffers"),
    (8, "chunks_discarded"),
    (9, "patches_discarded"),
    (12, "flushes_requested"),
    (13, "flushes_succeeded"),
    (14, "flushes_failed"),
];

/// Fields of `TraceStats.BufferStats`.
const BUFFER: &[(u32, &str)] = &[
    (1, "bytes_written"),
    (2, "chunks_written"),
    (3, "chunks_overwritten"),
    (4, "write_wrap_count"),
    (5, "patches_succeeded"),
    (6, "patches_failed"),
    (7, "readaheads_succeeded"),
    (8, "readaheads_failed"),
    (9, "abi_violations"),
    (10, "chunks_rewritten"),
    (11, "chunks_committed_out_of_order"),
    (12, "buffer_size"),
    (13, "bytes_overwritten"),
    (14, "bytes_read"),
    (15, "padding_bytes_written"),
    (16, "padding_bytes_cleared"),
    (17, "chunks_read"),
    (18, "chunks_discarded"),
    (19, "trace_writer_packet_loss"),
    (20, "chunks_relocated"),
];

/// Fields of `TraceStats.FilterStats`.
const FILTER: &[(u32, &str)] = &[
    (1, "filter_input_packets"),
    (2, "filter_input_bytes"),
    (3, "filter_output_bytes"),
    (4, "filter_errors"),
    (5, "filter_time_taken_ns"),
];

/// Fields of `FtraceCpuStats`. The times are in seconds.
const CPU: &[(u32, &str)] = &[
    (2, "entries"),
    (3, "overrun"),
    (4, "commit_overrun"),
    (5, "bytes"),
    (6, "oldest_event_ts"),
    (7, "now_ts"),
    (8, "dropped_events"),
    (9, "read_events"),
];

/// The name of a statistic, the CPU or buffer if it has one, and the machine.
type Key = (String, Option<i64>, i64);

/// The statistics. A later value replaces an earlier one.
#[derive(Debug, Default)]
pub(super) struct Stats(BTreeMap<Key, i64>);

impl Stats {
    pub fn set(&mut self, name: String, index: Option<i64>, machine: i64, value: i64) {
        self.0.insert((name, index, machine), value);
    }

    /// A `TraceStats`.
    pub fn recorder(&mut self, stats: &[u8], machine: i64) {
        let fields = || Fields::new(stats);
        self.all(RECORDER, fields(), "traced_", None, machine);
        let buffers = fields().filter(|field| field.number == 1);
        for (index, buffer) in (0..).zip(buffers) {
            self.all(BUFFER, buffer.fields(), "traced_buf_", Some(index), machine);
        }
        if let Some(filter) = fields().find(|field| field.number == 11) {
            self.all(FILTER, filter.fields(), "", None, machine);
            let bytes = filter.fields().filter(|field| field.number == 20);
            for (index, bytes) in (0..).zip(bytes.flat_map(Field::numbers)) {
                let name = "traced_buf_bytes_filtered_out".to_owned();
                self.set(name, Some(index), machine, bytes as i64);
            }
        }
        let outcome = fields().find(|field| field.number == 15).map(Field::uint);
        let name = match outcome {
            Some(1) => "traced_final_flush_succeeded",
            Some(2) => "traced_final_flush_failed",
            _ => return,
        };
        self.set(name.to_owned(), None, machine, 1);
    }

    /// Sets statistics from all fields of a message. Missing fields are 0.
    fn all(
        &mut self,
        names: &[(u32, &str)],
        fields: Fields<'_>,
        prefix: &str,
        index: Option<i64>,
        machine: i64,
    ) {
        for (number, name) in names {
            let field = fields.clone().filter(|field| field.number == *number);
            let value = field.last().map_or(0, Field::int);
            self.set(format!("{prefix}{name}"), index, machine, value);
        }
    }

    /// Reads a `FtraceStats`: the state of the kernel's buffers at the start or the end of the recording.
    pub fn ftrace(&mut self, stats: &[u8], machine: i64) {
        let phase = Fields::new(stats).find(|field| field.number == 1);
        let is_end = match phase.map(Field::uint) {
            Some(1) => false,
            Some(2) => true,
            _ => return,
        };
        for field in Fields::new(stats) {
            match field.number {
                2 => self.cpu(field.fields(), is_end, machine),
                10 => self.kprobes(field.fields(), is_end, machine),
                _ => {}
            }
        }
        if !is_end {
            self.setup_errors(stats, machine);
        }
        self.page_errors(stats, machine);
    }

    /// Counts the errors at the start of the recording: errors of atrace, events that the kernel does not know or
    /// rejected, and features that another session uses.
    fn setup_errors(&mut self, stats: &[u8], machine: i64) {
        let errors = Fields::new(stats).filter(|field| matches!(field.number, 5..=7 | 13));
        let errors = errors.filter(|field| !field.bytes().is_empty()).count();
        if errors > 0 {
            let name = "ftrace_setup_errors".to_owned();
            self.set(name, None, machine, errors as i64);
        }
    }

    /// Counts the reports of pages that end with zeros. They are harmless.
    fn page_errors(&mut self, stats: &[u8], machine: i64) {
        const ZERO_DATA_LENGTH: u64 = 12;
        let errors = Fields::new(stats).filter(|field| field.number == 9);
        let errors = errors.flat_map(Field::numbers);
        let zeros = errors.filter(|error| *error == ZERO_DATA_LENGTH).count();
        if zeros > 0 {
            let name = "ftrace_abi_errors_skipped_zero_data_length".to_owned();
            *self.0.entry((name, None, machine)).or_default() += zeros as i64;
        }
    }

    /// Checks a configuration that writes the trace into a file while it records. Data that was overwritten before it
    /// was written is lost.
    pub fn long_recording(&mut self, config: &[u8], version: Option<&str>) {
        const WRITES_INTO_FILE: u32 = 8;
        const WRITE_PERIOD_MS: u32 = 9;
        const FLUSH_PERIOD_MS: u32 = 13;
        const DAY_MS: u64 = 24 * 60 * 60 * 1000;
        let value = |number| {
            let fields = Fields::new(config).filter(|field| field.number == number);
            fields.last().map_or(0, Field::uint)
        };
        if value(WRITES_INTO_FILE) == 0 {
            return;
        }
        // With a longer period, the buffers are meant to be overwritten.
        if value(WRITE_PERIOD_MS) < DAY_MS {
            self.overwritten(config);
        }
        if value(FLUSH_PERIOD_MS) == 0 && !version.is_some_and(flushes_by_itself) {
            self.set("config_write_into_file_no_flush".to_owned(), None, 0, 1);
        }
    }

    /// Adds the overwritten bytes of each buffer of a configuration.
    fn overwritten(&mut self, config: &[u8]) {
        let buffers = Fields::new(config).filter(|field| field.number == 1);
        for buffer in 0..buffers.count() as i64 {
            let name = "traced_buf_bytes_overwritten".to_owned();
            let bytes = self.0.get(&(name, Some(buffer), 0)).copied();
            if let Some(bytes) = bytes.filter(|bytes| *bytes > 0) {
                let name = "long_trace_mode_bytes_overwritten".to_owned();
                self.set(name, Some(buffer), 0, bytes);
            }
        }
    }

    fn cpu(&mut self, fields: Fields<'_>, is_end: bool, machine: i64) {
        let value = |number| {
            let field = fields.clone().filter(|field| field.number == number);
            field.last().map(Field::uint)
        };
        let cpu = Some(value(1).unwrap_or(0) as i64);
        for (number, name) in CPU {
            let bits = value(*number).unwrap_or(0);
            let is_time = name.ends_with("_ts");
            let value = if is_time {
                (f64::from_bits(bits) * 1e9) as i64
            } else {
                bits as i64
            };
            let name = format!("ftrace_cpu_{name}");
            self.at_end((name, cpu, machine), value, is_end, !is_time);
        }
    }

    /// Sets a statistic at the start or the end of the recording. At the end, also sets the difference if `rises`.
    fn at_end(&mut self, (name, index, machine): Key, value: i64, is_end: bool, rises: bool) {
        let before = (format!("{name}_begin"), index, machine);
        if !is_end {
            self.0.insert(before, value);
            return;
        }
        if let Some(before) = self.0.get(&before).filter(|_| rises) {
            let delta = value.saturating_sub(*before);
            self.set(format!("{name}_delta"), index, machine, delta);
        }
        self.set(format!("{name}_end"), index, machine, value);
    }

    fn kprobes(&mut self, fields: Fields<'_>, is_end: bool, machine: i64) {
        for (number, name) in [(1, "hits"), (2, "misses")] {
            let field = fields.clone().find(|field| field.number == number);
            let value = field.map_or(0, Field::int);
            let key = (format!("ftrace_kprobe_{name}"), None, machine);
            self.at_end(key, value, is_end, true);
        }
    }

    /// Writes the rows of `stats`.
    pub fn write(self, out: &mut TraceBuilder) {
        for ((name, index, machine), value) in self.0 {
            out.stat(&name, index, machine, value);
        }
    }
}

/// Whether a recorder of this version, such as `Perfetto v54.0`, flushes whenever it writes into the file.
fn flushes_by_itself(version: &str) -> bool {
    const FIRST: u32 = 54;
    let number = version.strip_prefix("Perfetto v").unwrap_or_default();
    let major = number.split(['.', '-']).next().unwrap_or_default();
    major.parse::<u32>().is_ok_and(|major| major >= FIRST)
}
