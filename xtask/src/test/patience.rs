//! Nothing waits without end: a test program that stands still is ended, and so is the whole run where it
//! takes longer than anybody would wait for. Both count as failed.

use std::fs;
use std::process::{Child, Command, exit};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use super::Counts;

/// A clean build of everything says nothing for as long as the largest part of it takes.
const SILENCE: Duration = Duration::from_secs(12 * 60);
/// Three times what the run takes on two cores.
const WHOLE_RUN: Duration = Duration::from_secs(80 * 60);

/// Follows a cargo that runs tests, until it is dropped.
pub struct Patience {
    heard: Sender<()>,
}

impl Patience {
    /// Ends the programs that `cargo` has started each time it has said nothing for [`SILENCE`].
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

    /// It said something.
    pub fn heard(&self) {
        // There is nobody to tell once the thread is gone, which it is only after this.
        _ = self.heard.send(());
    }
}

fn end_children(parent: u32) {
    for (pid, name) in children(parent) {
        println!(
            "failed: {name} said nothing for {} s and is ended",
            SILENCE.as_secs()
        );
        // The signal of `kill` is asked for by its number: names differ.
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

/// Ends the run with its sum so far once it has taken [`WHOLE_RUN`].
pub fn end_after_all(sum: &Arc<Mutex<Counts>>) {
    let sum = Arc::clone(sum);
    thread::spawn(move || {
        thread::sleep(WHOLE_RUN);
        println!("failed: not done after {} s", WHOLE_RUN.as_secs());
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

    use super::{children, end_children};

    #[test]
    fn children_are_found_and_ended() {
        let mut child = Command::new("sleep").arg("1000").spawn().unwrap();
        let me = std::process::id();
        let is_it = |(pid, name): &(u32, String)| *pid == child.id() && name == "sleep";
        assert!(children(me).iter().any(is_it));
        // Those of the child: none, and this test's neighbours live on.
        end_children(child.id());
        assert!(child.try_wait().unwrap().is_none());
        child.kill().unwrap();
        child.wait().unwrap();
    }
}
