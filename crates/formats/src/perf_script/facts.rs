//! The header: facts about the machine and the recording.

use traceloom_trace::TraceBuilder;

/// Adds a header line, such as `# hostname : vm`, to the metadata. The keys are the same as for `perf.data`.
pub(super) fn fact(line: &str, out: &mut TraceBuilder) {
    let Some((key, value)) = line.trim_start_matches('#').split_once(" : ") else {
        return;
    };
    let key = match key.trim() {
        "hostname" => "hostname",
        "os release" => "system_release",
        "perf version" => "recorder_version",
        "arch" => "system_machine",
        "cpudesc" => "cpu",
        "cpuid" => "cpu_id",
        "nrcpus avail" => "cpus",
        "cmdline" => "cmdline",
        "total memory" => return memory(value, out),
        _ => return,
    };
    if !value.trim().is_empty() {
        out.metadata(key, value.trim());
    }
}

/// `24684096 kB`.
fn memory(value: &str, out: &mut TraceBuilder) {
    let kb = value.trim().strip_suffix(" kB");
    if let Some(kb) = kb.and_then(|kb| kb.parse::<u64>().ok()) {
        out.metadata("system_ram_bytes", &kb.saturating_mul(1024).to_string());
    }
}
