//! The app and the device that a trace is about.

use traceloom_trace::{ProcessId, RowId, Trace};

/// The name of the recorded app: the process with the most slices. A process with a dot in its
/// name, as a package has, is preferred.
pub fn app_name(trace: &Trace) -> Option<String> {
    let mut slices = vec![0u64; trace.processes.len()];
    let upids: Vec<ProcessId> = (0..trace.tracks.len())
        .map(|track| process_of(trace, track))
        .collect();
    for track in trace
        .slices
        .spans()
        .map(|row| trace.slices.track_id.get(row))
    {
        if let Some(upid) = upids.get(track.row()).and_then(|upid| upid.some()) {
            slices[upid.row()] += 1;
        }
    }
    let name = |row: usize| trace.strings.get(trace.processes.name.get(row));
    let named = (0..slices.len()).filter(|&row| slices[row] > 0 && !name(row).is_empty());
    let app = named.max_by_key(|&row| (name(row).contains('.'), slices[row]));
    app.map(|row| name(row).to_owned())
}

/// The process that a track belongs to, directly or through its thread.
fn process_of(trace: &Trace, track: usize) -> ProcessId {
    match trace.tracks.utid.get(track).some() {
        Some(utid) => trace.threads.upid.get(utid.row()),
        None => trace.tracks.upid.get(track),
    }
}

/// The device on which the trace was recorded, if the trace names it.
pub fn device_name(trace: &Trace) -> Option<String> {
    const NAMES: [&str; 2] = ["device", "android_device_model"];
    let mut facts = trace.metadata.rows();
    let fact = facts.find(|fact| NAMES.contains(&trace.strings.get(fact.key)))?;
    Some(trace.strings.get(fact.value).to_owned())
}
