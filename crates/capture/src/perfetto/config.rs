//! What Perfetto records: a `TraceConfig`.
//!
//! The numbers are those of `protos/perfetto/config` in Perfetto's repository. The device's version may be older: it
//! ignores unknown fields, data sources and events.

use std::time::Duration;

use super::events;
use super::message::Message;

/// How long a recording without a planned end may last, if nothing stops it.
const LONGEST: Duration = Duration::from_secs(24 * 3600);

/// How much longer than planned the device may record. Usually it is stopped before.
const GRACE: Duration = Duration::from_secs(15);

/// How often the service appends to the file, ms.
pub(super) const FILE_PERIOD_MS: u32 = 2500;

/// How often all recorders hand over what they have, ms.
const FLUSH_PERIOD_MS: u32 = 30_000;

/// The largest file, bytes: a forgotten recording must not fill the device's storage.
const MAX_FILE_BYTES: u64 = 4 << 30;

/// The service's buffer for events, which is emptied into the file, KB.
const EVENTS_KB: u32 = 64 << 10;

/// The service's buffer for processes and logs, so that events cannot overwrite them, KB.
const NAMES_KB: u32 = 8 << 10;

/// The kernel's buffer of each CPU, KB.
const CPU_KB: u32 = 8 << 10;

/// How often the kernel's buffers are emptied, ms.
const DRAIN_PERIOD_MS: u32 = 250;

/// Which buffer a data source writes to.
const EVENTS: u32 = 0;
const NAMES: u32 = 1;

const RING_BUFFER: (&str, u64) = ("RING_BUFFER", 1);
const LOGS: [(&str, u64); 3] = [("LID_DEFAULT", 0), ("LID_SYSTEM", 3), ("LID_CRASH", 4)];

/// What to record with Perfetto.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct PerfettoOptions {
    /// Categories of atrace.
    pub categories: Vec<String>,
    /// Further kernel events: `group/name`, or `group/*`.
    pub events: Vec<String>,
    /// Apps whose own sections are recorded: process names separated by commas.
    pub apps: Option<String>,
    /// Size of the kernel's buffer of each CPU, KB. The default is 8192.
    pub buffer_kb: Option<u32>,
    /// Planned duration. Without it, the recording ends after a day if nothing stops it.
    pub duration: Option<Duration>,
    /// Whether to record the log.
    pub logcat: bool,
    /// How often to record the memory of all processes, ms.
    pub memory_ms: Option<u32>,
}

impl PerfettoOptions {
    /// The configuration in the text format, which `perfetto --txt` reads.
    pub fn to_text(&self) -> String {
        self.message().to_text()
    }

    /// The configuration in the binary format.
    pub fn to_bytes(&self) -> Vec<u8> {
        self.message().bytes()
    }

    fn message(&self) -> Message {
        let longest = self.duration.map_or(LONGEST, |planned| planned + GRACE);
        let longest = u32::try_from(longest.as_millis()).unwrap_or(u32::MAX);
        // The duration is the first field, so that a truncated configuration has it too.
        let config = Message::new()
            .int("duration_ms", 3, longest)
            .message("buffers", 1, buffer(EVENTS_KB))
            .message("buffers", 1, buffer(NAMES_KB));
        let sources = self.sources().into_iter().map(|source| {
            // DataSource.config
            Message::new().message("config", 1, source)
        });
        sources
            .fold(config, |config, source| {
                config.message("data_sources", 2, source)
            })
            .bool("write_into_file", 8, true)
            .int("file_write_period_ms", 9, FILE_PERIOD_MS)
            .int("max_file_size_bytes", 10, MAX_FILE_BYTES)
            .int("flush_period_ms", 13, FLUSH_PERIOD_MS)
    }

    fn has(&self, category: &str) -> bool {
        self.categories.iter().any(|name| name == category)
    }

    fn sources(&self) -> Vec<Message> {
        let mut all = vec![
            source("linux.ftrace", EVENTS).message("ftrace_config", 100, self.ftrace()),
            source("linux.process_stats", NAMES).message(
                "process_stats_config",
                103,
                self.processes(),
            ),
            source("linux.system_info", NAMES),
        ];
        if self.memory_ms.is_some() {
            let config = Message::new().int("meminfo_period_ms", 1, 1000u32);
            all.push(source("linux.sys_stats", NAMES).message("sys_stats_config", 104, config));
        }
        if self.has("gfx") || self.has("view") {
            all.push(source("android.surfaceflinger.frametimeline", EVENTS));
        }
        if self.apps.is_some() {
            // Sections of apps that use Perfetto's own library.
            all.push(source("track_event", EVENTS));
        }
        if self.logcat {
            let config = LOGS.iter().fold(Message::new(), |config, log| {
                config.choice("log_ids", 1, *log)
            });
            all.push(source("android.log", NAMES).message("android_log_config", 107, config));
        }
        all
    }

    fn ftrace(&self) -> Message {
        let apps = self.apps.iter().flat_map(|apps| apps.split(','));
        let apps: Vec<_> = apps.map(str::trim).filter(|app| !app.is_empty()).collect();
        Message::new()
            .texts("ftrace_events", 1, &events::of(&self.categories))
            .texts("ftrace_events", 1, &self.events)
            .texts("atrace_categories", 2, &self.categories)
            .texts("atrace_apps", 3, &apps)
            .int("buffer_size_kb", 10, self.buffer_kb.unwrap_or(CPU_KB))
            .int("drain_period_ms", 11, DRAIN_PERIOD_MS)
            // Addresses of kernel functions, such as where a thread was blocked, become names.
            .bool("symbolize_ksyms", 13, true)
    }

    fn processes(&self) -> Message {
        let config = Message::new()
            .bool("scan_all_processes_on_start", 2, true)
            .bool("record_thread_names", 3, true);
        match self.memory_ms {
            Some(interval) => config.int("proc_stats_poll_ms", 4, interval),
            None => config,
        }
    }
}

fn buffer(size_kb: u32) -> Message {
    Message::new()
        .int("size_kb", 1, size_kb)
        .choice("fill_policy", 4, RING_BUFFER)
}

fn source(name: &str, buffer: u32) -> Message {
    let source = Message::new().text("name", 1, name);
    match buffer {
        EVENTS => source,
        buffer => source.int("target_buffer", 2, buffer),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::super::message::tests::Table;
    use super::PerfettoOptions;

    #[test]
    fn names_and_numbers_are_those_of_perfetto() {
        let options = PerfettoOptions {
            categories: ["sched", "freq", "idle", "gfx"].map(str::to_owned).to_vec(),
            events: vec!["irq/*".to_owned()],
            apps: Some("com.example.a, com.example.b".to_owned()),
            buffer_kb: Some(2048),
            duration: Some(Duration::from_secs(5)),
            logcat: true,
            memory_ms: Some(1000),
        };
        Table::read().check("TraceConfig", &options.message());
        let text = options.to_text();
        assert!(text.starts_with("duration_ms: 20000\n"), "{text}");
        assert!(text.contains("atrace_apps: \"com.example.b\"\n"), "{text}");
    }

    #[test]
    fn what_is_not_asked_for_is_not_recorded() {
        let text = PerfettoOptions::default().to_text();
        for absent in ["log_ids", "frametimeline", "sched_switch", "poll_ms"] {
            assert!(!text.contains(absent), "{text}");
        }
        assert!(text.contains("duration_ms: 86400000\n"), "{text}");
    }
}
