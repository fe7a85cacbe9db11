//! A synthetic system trace of a phone: a user scrolls a list that stutters. A small scheduler simulates apps, the
//! compositor, the system server and the kernel, and writes the text that ftrace would. Times and names are made up; the
//! structure is that of real recordings.

mod app;
mod cast;
mod script;
mod sim;
mod story;

use script::Signals;
use sim::Sim;
use story::LENGTH_US;

/// The trace as ftrace text. It is always the same.
pub fn jank_trace() -> String {
    let mut signals = Signals::default();
    let tasks = cast::tasks(&mut signals);
    Sim::new(tasks, signals.count()).run(LENGTH_US)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_trace_matches_its_description() {
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
        // The thread that leaves a CPU is the thread of the previous switch.
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
