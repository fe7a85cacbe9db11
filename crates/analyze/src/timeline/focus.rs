//! Finds the app that the trace is about.

use traceloom_trace::{MethodId, ProcessId, RowId, Trace};

use super::ends::Ends;

/// The app in focus.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Focus {
    /// A process.
    Process(ProcessId),
    /// Threads without a known process, as in a method trace.
    Homeless,
    /// No app.
    Nothing,
}

/// Names of slices that apps have once per frame, from Choreographer, RenderThread and Flutter.
const FRAME_NAMES: &[&str] = &["Choreographer#doFrame", "DrawFrame", "Animator::BeginFrame"];

/// Finds the app in focus: the one with the most frames. If two have the same number, it is the one whose frames took
/// longer in total. The system server draws frames, too, but is not an app. In a trace without frames, the threads of a
/// method trace are in focus, else the process with the most slices.
pub fn find(trace: &Trace, ends: &Ends) -> Focus {
    let processes = trace.processes.len();
    let mut methods = vec![0u64; processes + 1];
    let mut slices = vec![0u64; processes];
    let owners = owners(trace);
    for (track, &owner) in owners.iter().enumerate() {
        let span = ends.span(track);
        methods[owner.min(processes)] += u64::from(span.methods);
        if let Some(slices) = slices.get_mut(owner) {
            *slices += u64::from(span.slices - span.methods);
        }
    }
    let found = most(&frames(trace, &owners))
        .or_else(|| most(&methods))
        .or_else(|| most(&slices));
    match found {
        Some(at) if at < processes => Focus::Process(ProcessId::from_row(at)),
        Some(_) => Focus::Homeless,
        None => Focus::Nothing,
    }
}

/// The number of frames of each process and their time, ns; empty if no slice of the trace can be one.
fn frames(trace: &Trace, owners: &[usize]) -> Vec<(u64, i64)> {
    let is_frame = frame_strings(trace);
    if !is_frame.contains(&true) {
        return Vec::new();
    }
    let mut frames = vec![(0, 0i64); trace.processes.len()];
    for (row, name) in trace.slices.name.iter().enumerate() {
        let owner = owners[trace.slices.track_id.get(row).row()];
        if is_frame[name.0 as usize]
            && trace.slices.method_id.get(row) == MethodId::NONE
            && !trace.slices.is_instant(row)
            && let Some(frames) = frames.get_mut(owner)
        {
            frames.0 += 1;
            frames.1 = frames.1.saturating_add(trace.slices.dur.get(row).max(0));
        }
    }
    leave_out_server(trace, &mut frames);
    frames
}

/// Leaves out the frames of `system_server` if an app has some, too.
fn leave_out_server(trace: &Trace, frames: &mut [(u64, i64)]) {
    let is_server =
        |&row: &usize| trace.strings.get(trace.processes.name.get(row)) == "system_server";
    let Some(server) = (0..frames.len()).find(is_server) else {
        return;
    };
    let has_others = (0..frames.len()).any(|row| row != server && frames[row].0 > 0);
    if has_others {
        frames[server] = (0, 0);
    }
}

/// The first of the largest counts; `None` if all are zero.
fn most<T: Copy + Default + Ord>(counts: &[T]) -> Option<usize> {
    let largest = *counts.iter().max()?;
    let is_any = largest != T::default();
    is_any.then(|| counts.iter().position(|&count| count == largest))?
}

/// The process of each track; for a track without one, a number beyond all processes.
fn owners(trace: &Trace) -> Vec<usize> {
    let mut owners = Vec::new();
    for row in 0..trace.tracks.len() {
        let owner = match trace.tracks.utid.get(row).some() {
            Some(utid) => trace.threads.upid.get(utid.row()),
            None => trace.tracks.upid.get(row),
        };
        owners.push(owner.row());
    }
    owners
}

fn frame_strings(trace: &Trace) -> Vec<bool> {
    let is_frame = |text: &str| FRAME_NAMES.iter().any(|name| text.starts_with(name));
    trace
        .strings
        .iter()
        .map(|(_, text)| is_frame(text))
        .collect()
}

/// Whether this is a thread that draws. These are the most important ones after the main thread.
pub fn is_important(thread_name: &str) -> bool {
    const NAMES: &[&str] = &[
        "RenderThread",
        "GLThread",
        "UnityMain",
        "UnityGfxDevice",
        "1.ui",
        "1.raster",
        "mqt_js",
        "mqt_v_js",
        "CrRendererMain",
        "Compositor",
    ];
    NAMES.iter().any(|name| thread_name.starts_with(name))
}

/// Whether this is the name of a kernel thread. Only for threads that lead their process, as all
/// kernel threads do. In a trace without a process dump, there is no other evidence.
pub fn is_kernel_name(name: &str) -> bool {
    const STARTS: &[&str] = &[
        "kworker/",
        "ksoftirqd/",
        "migration/",
        "cpuhp/",
        "watchdog/",
        "irq/",
        "rcu_",
        "rcuop/",
        "rcuos/",
        "rcuob/",
        "rcuog/",
        "jbd2/",
        "ext4-",
        "f2fs_",
        "mmcqd/",
        "scsi_eh_",
        "scsi_tmf_",
        "dm_bufio",
        "idle_inject/",
        "sugov:",
        "kdmflush",
        "kverityd",
        "kblockd",
        "khugepaged",
        "kcompactd",
        "kdamond",
        "kdevtmpfs",
        "kauditd",
        "kswapd",
        "kthreadd",
        "khungtaskd",
        "oom_reaper",
        "writeback",
        "swapper",
        "bioset",
        "ksmd",
        "kgsl",
        "kbase_",
        "cfinteractive",
        "core_ctl",
        "xfsaild/",
        "nvme-",
        "irq_work/",
        "stop_sched",
        "loop0",
        "loop1",
        "spi_",
        "usb-storage",
    ];
    STARTS.iter().any(|start| name.starts_with(start))
}
