//! A system trace of a phone on which somebody scrolls a list that stutters. Nothing in it was
//! recorded: a small scheduler plays the parts of apps, the compositor, the system and the kernel,
//! and writes what ftrace would have. Times and names are made up, the shape is that of recordings.

mod app;
mod cast;
mod script;
mod sim;

use script::Signals;
use sim::Sim;

/// How long the recording is, µs.
const LENGTH_US: u64 = 2_000_000;

/// The display's beat, µs.
const PERIOD_US: u64 = 16_667;

/// Frames of the list that have a story, by their number.
///
/// | frame | what holds it |
/// |---|---|
/// | [`INFLATE`] | rows of a new kind are inflated: the UI thread computes |
/// | [`LOCK`] | a lock that DiskCache-1 holds while it writes to disk |
/// | [`BINDER`] | a call of the system, whose thread waits for a lock of its own |
/// | [`GC`] | an allocation waits for the garbage collector |
/// | [`DISK`] | preferences are read from disk on the UI thread |
/// | about [`DEX2OAT_US`] | dex2oat takes the CPUs: the UI thread is ready and does not run |
/// | [`SHADER`] | the RenderThread compiles a shader |
const INFLATE: usize = 11;
const LOCK: usize = 22;
const BINDER: usize = 34;
const GC: usize = 45;
const DISK: usize = 56;
const SHADER: usize = 80;
const DEX2OAT_US: u64 = 1_330_000;

/// The trace as ftrace text; the same each time.
pub fn jank_trace() -> String {
    let mut signals = Signals::default();
    let tasks = cast::tasks(&mut signals);
    Sim::new(tasks, signals.count()).run(LENGTH_US)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_trace_has_what_its_description_promises() {
        let text = jank_trace();
        assert_eq!(text, jank_trace());
        for promised in [
            "|inflate",
            "|monitor contention with owner DiskCache-1",
            "binder_transaction: ",
            "|GC: Wait For Completion Alloc",
            "iowait=1",
            "comm=dex2oat64",
            "|linkProgram",
            "VSYNC-app",
            "cpu_frequency",
        ] {
            assert!(text.contains(promised), "{promised}");
        }
        // Whoever leaves a CPU is who came to it.
        let mut running: std::collections::BTreeMap<&str, &str> = Default::default();
        let mut last = "";
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            let (head, event) = line.split_once(": ").unwrap();
            let (head, time) = head.rsplit_once(' ').unwrap();
            assert!(time >= last, "{line}");
            last = time;
            let Some(switch) = event.strip_prefix("sched_switch: ") else {
                continue;
            };
            let cpu = head.split(['[', ']']).nth(1).unwrap();
            let pid = |key: &str| switch.split(key).nth(1).unwrap().split(' ').next().unwrap();
            let came = running.insert(cpu, pid("next_pid="));
            assert!(came.is_none_or(|came| came == pid("prev_pid=")), "{line}");
        }
        assert_eq!(running.len(), sim::CPUS);
    }
}
