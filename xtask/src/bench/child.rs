//! Runs programs and measures their cost.

use std::fs::File;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};

use super::data::folder;
use crate::run::shown;

/// The cost of a run.
#[derive(Clone, Copy, Debug, Default)]
pub struct Cost {
    /// Time from start to exit.
    pub wall: Duration,
    /// User and system time of all its threads.
    pub cpu: Duration,
    /// Peak resident memory including mapped pages, bytes.
    pub peak_bytes: u64,
}

/// Runs the command `times` times after one run that warms the caches. Returns the medians. Output goes
/// to a file.
pub fn median(times: usize, make: impl Fn() -> Command) -> Result<Cost> {
    once(make())?;
    let costs: Vec<Cost> = (0..times).map(|_| once(make())).collect::<Result<_>>()?;
    Ok(median_of(&costs))
}

/// Runs two commands alternately, `times` times each after one run that warms the caches, so that other
/// load on the machine affects both. Returns the medians.
pub fn paired(
    times: usize,
    one: impl Fn() -> Command,
    other: impl Fn() -> Command,
) -> Result<(Cost, Cost)> {
    let turns = turns(times, [&|| once(one()), &|| once(other())])?;
    let [one, other] = medians(&turns);
    Ok((one, other))
}

/// Runs all commands one after the other, `times` times after one turn that warms the caches. Returns the costs of each
/// turn. Each turn starts with a different command, because the caches and the free memory depend on the run before.
pub fn turns<const N: usize>(
    times: usize,
    runs: [&dyn Fn() -> Result<Cost>; N],
) -> Result<Vec<[Cost; N]>> {
    let turn = |number: usize| -> Result<[Cost; N]> {
        let mut costs = [Cost::default(); N];
        for place in 0..N {
            let run = (number + place) % N;
            costs[run] = runs[run]()?;
        }
        Ok(costs)
    };
    turn(0)?;
    (0..times).map(turn).collect()
}

/// The medians of each run over all turns.
pub fn medians<const N: usize>(turns: &[[Cost; N]]) -> [Cost; N] {
    std::array::from_fn(|run| median_of(&turns.iter().map(|turn| turn[run]).collect::<Vec<_>>()))
}

/// Runs both commands at the same time. Peak memory is that of the larger one.
pub fn at_once(commands: [Command; 2]) -> Result<Cost> {
    let begun = Instant::now();
    let [one, other] = commands.map(|command| std::thread::spawn(|| once(command)));
    let join = |thread: std::thread::JoinHandle<_>| {
        thread
            .join()
            .unwrap_or_else(|_| anyhow::bail!("a run failed"))
    };
    let (one, other): (Cost, Cost) = (join(one)?, join(other)?);
    Ok(Cost {
        wall: begun.elapsed(),
        cpu: one.cpu + other.cpu,
        peak_bytes: one.peak_bytes.max(other.peak_bytes),
    })
}

fn median_of(costs: &[Cost]) -> Cost {
    fn middle<T: Ord + Copy>(values: impl Iterator<Item = T>) -> T {
        let mut values: Vec<T> = values.collect();
        values.sort_unstable();
        values[values.len() / 2]
    }
    Cost {
        wall: middle(costs.iter().map(|cost| cost.wall)),
        cpu: middle(costs.iter().map(|cost| cost.cpu)),
        peak_bytes: middle(costs.iter().map(|cost| cost.peak_bytes)),
    }
}

/// Runs the command once.
pub fn once(mut command: Command) -> Result<Cost> {
    let line = shown(&command);
    let out = File::create(output_path())?;
    command
        .stdin(Stdio::null())
        .stdout(out)
        .stderr(Stdio::null())
        // Set by cargo. The loader would search these folders first for every library.
        .env_remove("LD_LIBRARY_PATH");
    let begun = Instant::now();
    let child = command
        .spawn()
        .with_context(|| format!("cannot start {line}"))?;
    let (status, usage) = wait(child.id())?;
    let wall = begun.elapsed();
    ensure!(
        libc::WIFEXITED(status) && libc::WEXITSTATUS(status) == 0,
        "{line} failed"
    );
    Ok(Cost {
        wall,
        cpu: cpu_of(&usage),
        peak_bytes: usage.ru_maxrss as u64 * 1024,
    })
}

fn cpu_of(usage: &libc::rusage) -> Duration {
    let time = |time: libc::timeval| {
        Duration::from_secs(time.tv_sec as u64) + Duration::from_micros(time.tv_usec as u64)
    };
    time(usage.ru_utime) + time(usage.ru_stime)
}

/// Waits until a child ends. Returns the CPU time of all its threads and children.
pub fn cost_of(pid: u32) -> Result<Duration> {
    wait(pid).map(|(_, usage)| cpu_of(&usage))
}

/// The output of the measured programs. Each run truncates it.
pub fn output_path() -> PathBuf {
    folder().join("output")
}

fn wait(pid: u32) -> Result<(i32, libc::rusage)> {
    let mut status = 0;
    // SAFETY: all zeros are a valid rusage.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: both pointers are valid for writes, and the child has not been waited for.
    let waited = unsafe { libc::wait4(pid as i32, &mut status, 0, &mut usage) };
    ensure!(waited == pid as i32, "{}", std::io::Error::last_os_error());
    Ok((status, usage))
}
