//! Time limits: a test program that hangs is killed, and so is the whole run if it takes far too long.
//! Both count as failures.

use std::fs;
use std::process::{Child, Command, exit};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use super::outcome::Counts;

/// The longest time without output of tests.
const SILENCE: Duration = Duration::from_secs(12 * 60);
/// Three times as long as a run takes on two cores.
const WHOLE_RUN: Duration = Duration::from_secs(80 * 60);

/// Watches a cargo that runs tests, until dropped.
pub struct SilenceLimit {
    heard: Sender<()>,
}

impl SilenceLimit {
    /// Kills the programs that `cargo` has started if it prints nothing for [`SILENCE`].
    pub fn with(cargo: &Child) -> Self {
        let cargo = cargo.id();
        let (heard, news) = channel();
        thread::spawn(move || {
            loop {
                match news.recv_timeout(SILENCE) {
                    Ok(()) => (),
                    Err(RecvTimeoutError::Timeout) => end_children(cargo),
                    Err(RecvTimeoutError::Disconnected) => return,
                }
            }
        });
        Self { heard }
    }

    /// Restarts the time limit, because cargo has printed something.
    pub fn restart(&self) {
        // The thread ends only after this is dropped.
        _ = self.heard.send(());
    }
}

fn end_children(parent: u32) {
    for (pid, name) in children(parent) {
        println!(
            "failed: {name} printed nothing for {} s and is killed",
            SILENCE.as_secs()
        );
        // The signal is given by number, because versions of kill differ in the names.
        _ = Command::new("kill").args(["-9", &pid.to_string()]).status();
    }
}

/// The processes whose parent is `parent`, and their names: `pid (name) state ppid …`, proc(5).
fn children(parent: u32) -> Vec<(u32, String)> {
    let Ok(processes) = fs::read_dir("/proc") else {
        return Vec::new();
    };
    let of_parent = |stat: String| {
        let (pid, rest) = stat.split_once(" (")?;
        let (name, rest) = rest.rsplit_once(") ")?;
        let ppid: u32 = rest.split(' ').nth(1)?.parse().ok()?;
        (ppid == parent).then_some((pid.parse().ok()?, name.to_owned()))
    };
    processes
        .filter_map(|entry| fs::read_to_string(entry.ok()?.path().join("stat")).ok())
        .filter_map(of_parent)
        .collect()
}

/// Ends the run after [`WHOLE_RUN`], with its sum so far.
pub fn end_after_all(sum: &Arc<Mutex<Counts>>) {
    let sum = Arc::clone(sum);
    thread::spawn(move || {
        thread::sleep(WHOLE_RUN);
        println!("failed: not finished after {} s", WHOLE_RUN.as_secs());
        let Ok(sum) = sum.lock() else { exit(1) };
        let mut sum = *sum;
        sum.failed += 1;
        println!("\n{sum}");
        exit(1)
    });
}

#[cfg(test)]
mod tests {
    use std::process::Command;
    use std::time::{Duration, Instant};

    use super::{children, end_children};

    #[test]
    fn children_are_found_and_ended() {
        let mut child = Command::new("sleep").arg("1000").spawn().unwrap();
        let me = std::process::id();
        let is_it = |(pid, name): &(u32, String)| *pid == child.id() && name == "sleep";
        // The child gets the name of its program a moment after the parent continues.
        let until = Instant::now() + Duration::from_secs(60);
        while !children(me).iter().any(is_it) {
            assert!(Instant::now() < until, "{:?}", children(me));
        }
        // The child has no children of its own, and children of other tests must survive.
        end_children(child.id());
        assert!(child.try_wait().unwrap().is_none());
        child.kill().unwrap();
        child.wait().unwrap();
    }
}
