//! Finds mistakes in the configuration of a recording that explain missing or wrong data.

use traceloom_trace::{ArgValue, NO_TIME, TraceBuilder};

use super::super::wire::{Field, Fields};

/// The last value of a field.
fn value<'a>(fields: &Fields<'a>, number: u32) -> Option<Field<'a>> {
    fields.clone().filter(|field| field.number == number).last()
}

fn number(fields: &Fields<'_>, field: u32) -> Option<u64> {
    value(fields, field).map(Field::uint)
}

fn texts<'a>(fields: &Fields<'a>, number: u32) -> impl Iterator<Item = &'a [u8]> {
    let fields = fields.clone();
    fields
        .filter(move |field| field.number == number)
        .map(Field::bytes)
}

/// A row of `__intrinsic_trace_diagnostics`: what is wrong, and how to fix it.
struct Mistake {
    key: &'static str,
    name: &'static str,
    description: String,
    advice: &'static str,
}

/// Looks for mistakes in a `TraceConfig`. `is_user_build` means that the device runs a user build.
pub(super) fn look(config: &[u8], is_user_build: bool, out: &mut TraceBuilder) {
    let config = Fields::new(config);
    let mut found = Vec::new();
    let sources = config.clone().filter(|field| field.number == 2);
    for source in sources {
        for source in source.fields().filter(|field| field.number == 1) {
            data_source(&config, &source.fields(), is_user_build, &mut found);
        }
    }
    for mistake in found {
        let [key, name, description, advice] = [
            mistake.key,
            mistake.name,
            &mistake.description,
            mistake.advice,
        ]
        .map(|text| ArgValue::Text(out.intern(text.as_bytes())));
        let cells = [
            ("key", key),
            ("title", name),
            ("description", description),
            ("remediation", advice),
        ];
        out.record(NO_TIME, "__intrinsic_trace_diagnostics", &cells);
    }
}

fn data_source(
    config: &Fields<'_>,
    source: &Fields<'_>,
    is_user_build: bool,
    found: &mut Vec<Mistake>,
) {
    for ftrace in source.clone().filter(|field| field.number == 100) {
        ftrace_buffer(&ftrace.fields(), found);
        ftrace_events(&ftrace.fields(), found);
    }
    let name = value(source, 1).map_or(&b""[..], Field::bytes);
    if matches!(name, b"linux.ftrace" | b"track_event") && goes_into_discard(config, source) {
        found.push(discard_buffer());
    }
    if name == b"android.display.video" && is_user_build {
        found.push(no_video());
    }
    heap_interval(source, found);
}

fn discard_buffer() -> Mistake {
    Mistake {
        key: "discard_buffer_for_streaming",
        name: "A buffer that stops when it is full",
        description: "events go into a buffer with the policy DISCARD, which keeps nothing once it is full, while \
                      the recording is written into a file"
            .to_owned(),
        advice: "use the policy RING_BUFFER",
    }
}

fn no_video() -> Mistake {
    Mistake {
        key: "display_video_not_enabled",
        name: "No video of the display",
        description: "builds for users record no video unless debug.tracing_video_allowed is set"
            .to_owned(),
        advice: "adb shell setprop debug.tracing_video_allowed true, again after each boot",
    }
}

/// Whether a data source writes into a `DISCARD` buffer although the recording is periodically written to a file.
fn goes_into_discard(config: &Fields<'_>, source: &Fields<'_>) -> bool {
    const DISCARD: u64 = 2;
    // A period this long means that the recording is only written at its end.
    const WEEK_MS: u64 = 604_800_000;
    let is_streaming = number(config, 8) == Some(1) && number(config, 9).unwrap_or(0) < WEEK_MS;
    let target = number(source, 2).unwrap_or(0);
    let mut buffers = config.clone().filter(|field| field.number == 1);
    let buffer = usize::try_from(target)
        .ok()
        .and_then(|target| buffers.nth(target));
    is_streaming && buffer.is_some_and(|buffer| number(&buffer.fields(), 4) == Some(DISCARD))
}

fn ftrace_buffer(ftrace: &Fields<'_>, found: &mut Vec<Mistake>) {
    let kb = number(ftrace, 10).filter(|kb| *kb > 0);
    let period_ms = number(ftrace, 11);
    if let Some(kb) = kb.filter(|kb| *kb < 1024) {
        found.push(Mistake {
            key: "tiny_ftrace_buffer",
            name: "A small buffer of the kernel",
            description: format!("the kernel's buffer has {kb} KB, so bursts of events are lost"),
            advice: "leave out buffer_size_kb",
        });
    }
    if let (Some(kb), Some(period_ms @ 1..)) = (kb, period_ms)
        && kb.saturating_mul(1000) < period_ms.saturating_mul(5 * 1024)
    {
        found.push(Mistake {
            key: "low_ftrace_drain_bandwidth",
            name: "The kernel's buffer is read too rarely",
            description: format!("{kb} KB read every {period_ms} ms are less than 5 MB/s"),
            advice: "leave out buffer_size_kb and drain_period_ms",
        });
    }
    if let Some(ms) = period_ms.filter(|ms| !(100..=60_000).contains(ms)) {
        found.push(Mistake {
            key: "extreme_ftrace_drain_period",
            name: "An unusual drain_period_ms",
            description: format!("the kernel's buffer is read every {ms} ms"),
            advice: "leave out drain_period_ms, or use 100 to 60000",
        });
    }
}

fn ftrace_events(ftrace: &Fields<'_>, found: &mut Vec<Mistake>) {
    let has = |names: &[&str]| {
        texts(ftrace, 1).any(|event| names.iter().any(|name| name.as_bytes() == event))
    };
    let has_syscalls = has(&["raw_syscalls/sys_enter", "raw_syscalls/sys_exit"]);
    if has_syscalls && texts(ftrace, 18).next().is_none() {
        found.push(Mistake {
            key: "syscalls_without_filter",
            name: "All system calls are recorded",
            description: "raw_syscalls is on without syscall_events".to_owned(),
            advice: "list the calls of interest in syscall_events",
        });
    }
    if number(ftrace, 13) == Some(1) {
        return;
    }
    let advice = "set symbolize_ksyms: true";
    if number(ftrace, 19) == Some(1) {
        found.push(Mistake {
            key: "function_graph_requires_symbolize_ksyms",
            name: "Functions without names",
            description: "the function graph has addresses only".to_owned(),
            advice,
        });
    }
    if has(&[
        "workqueue/workqueue_execute_start",
        "sched/sched_blocked_reason",
    ]) {
        found.push(Mistake {
            key: "events_require_symbolize_ksyms",
            name: "Events without names of functions",
            description: "events name functions of the kernel by their address".to_owned(),
            advice,
        });
    }
}

fn heap_interval(source: &Fields<'_>, found: &mut Vec<Mistake>) {
    let heap = value(source, 105).map(Field::fields);
    let bytes = heap.and_then(|heap| number(&heap, 1));
    if let Some(bytes) = bytes.filter(|bytes| (1..100 * 1024).contains(bytes)) {
        found.push(Mistake {
            key: "heapprofd_sampling_interval_too_low",
            name: "Allocations are sampled too often",
            description: format!(
                "a sample every {bytes} bytes slows the program down and is hardly more exact"
            ),
            advice: "use a sampling_interval_bytes of 100 KB or more",
        });
    }
}
