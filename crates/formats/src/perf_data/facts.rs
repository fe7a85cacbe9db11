//! Facts about the machine and the recording.

use traceloom_trace::{ClockKind, ClockRow, RowId, SourceId, TraceBuilder};

use super::features::{command, cpus, feature};
use super::survey::Survey;

/// The command line of the recorder.
pub(super) fn command_line(survey: &Survey<'_>) -> String {
    let commands = survey.facts.iter();
    let mut commands = commands.filter(|(number, _)| *number == feature::COMMAND);
    let words = commands.next().map(|(_, from)| command(*from));
    let words = words.unwrap_or_default();
    let words: Vec<_> = words
        .iter()
        .map(|word| String::from_utf8_lossy(word))
        .collect();
    words.join(" ")
}

/// Adds all facts to the metadata.
pub(super) fn report(survey: &Survey<'_>, out: &mut TraceBuilder) {
    for (number, from) in &survey.facts {
        let mut from = *from;
        let key = match *number {
            feature::HOSTNAME => "hostname",
            feature::OS_RELEASE => "system_release",
            feature::VERSION => "recorder_version",
            feature::ARCH => "system_machine",
            feature::CPU_DESCRIPTION => "cpu",
            feature::CPU_ID => "cpu_id",
            feature::CPUS => {
                if let Some((available, _)) = cpus(from) {
                    out.metadata("cpus", &available.to_string());
                }
                continue;
            }
            feature::MEMORY => {
                if let Some(kb) = from.u64() {
                    out.metadata("system_ram_bytes", &kb.saturating_mul(1024).to_string());
                }
                continue;
            }
            _ => continue,
        };
        fact(key, from.sized_text().unwrap_or_default(), out);
    }
    let command = command_line(survey);
    if !command.is_empty() {
        out.metadata("cmdline", &command);
    }
    for (key, value) in &survey.meta_info {
        meta(&String::from_utf8_lossy(key), value, out);
    }
}

fn fact(key: &str, value: &[u8], out: &mut TraceBuilder) {
    if !value.is_empty() {
        out.metadata(key, &String::from_utf8_lossy(value));
    }
}

/// Stores a fact of simpleperf. A fact that other formats also have gets the same name as there.
fn meta(key: &str, value: &[u8], out: &mut TraceBuilder) {
    match key {
        // Manufacturer, model and name of the product.
        "product_props" => {
            let mut parts = value.splitn(3, |byte| *byte == b':');
            fact(
                "android_device_manufacturer",
                parts.next().unwrap_or_default(),
                out,
            );
            fact("system_machine_name", parts.next().unwrap_or_default(), out);
            fact("android_product", parts.next().unwrap_or_default(), out);
        }
        "android_build_fingerprint"
        | "app_package_name"
        | "app_type"
        | "android_sdk_version"
        | "android_build_type"
        | "trace_offcpu" => fact(key, value, out),
        _ => fact(&key.replace('-', "_"), value, out),
    }
}

/// Adds sync points for the clock of the samples: one at the first sample, and one where the file gives the time of
/// day.
pub(super) fn report_clock(survey: &Survey<'_>, out: &mut TraceBuilder) {
    let Some(first) = out.first_ts() else {
        return;
    };
    let attr = survey.events.list.first().map(|event| event.attr);
    let id = attr.and_then(|attr| attr.clock_id());
    let clock = match (id, survey.meta(b"clockid")) {
        (Some(0 | 5), _) | (None, Some(b"realtime")) => Some(ClockKind::Realtime),
        (Some(1 | 6), _) | (None, Some(b"monotonic")) => Some(ClockKind::Monotonic),
        (Some(7), _) | (None, Some(b"boottime")) => Some(ClockKind::Boot),
        _ => None,
    };
    let mut point = |clock, ts, value_ns| {
        out.clock(ClockRow {
            source: SourceId::NONE,
            clock,
            ts,
            value_ns,
            precision_ns: 1,
            name: String::new(),
        });
    };
    if let Some(clock) = clock {
        point(clock, first, first);
    }
    if let Some((clock, wall_ns, clock_ns)) = survey.clock
        && id.is_some_and(|id| i64::from(id) == i64::from(clock))
        && let (Ok(ts), Ok(wall_ns)) = (i64::try_from(clock_ns), i64::try_from(wall_ns))
    {
        point(ClockKind::Realtime, ts, wall_ns);
    }
}
