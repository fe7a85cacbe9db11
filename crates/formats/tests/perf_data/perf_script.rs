//! `perf script` must find the same samples: their times, threads, CPUs and stacks.

use std::collections::HashMap;
use std::path::Path;
use std::process::{Command, Stdio};

use traceloom_formats::{ReadOptions, read_bytes};

use super::real_files;
use super::tables::{self, Frame, Sample};

/// Files for which perf has a reason to give a different result.
const OTHERS: &[(&str, &str)] = &[(
    "perf_with_add_counter.data",
    "perf makes a sample of each counter of a group; ours has the values of all",
)];

/// A sample as perf prints it.
#[derive(Clone, Debug, Default)]
pub struct Printed {
    pub ts: i64,
    pub pid: i64,
    pub tid: i64,
    pub cpu: Option<i64>,
    /// Addresses in memory for kernel frames, and in the file for user frames.
    pub stack: Vec<u64>,
}

#[test]
fn perf_finds_the_same_samples() {
    if !has_perf() {
        return;
    }
    let (mut compared, mut unread) = (0, Vec::new());
    for file in real_files() {
        let Ok(trace) = read_bytes(&file.read(), ReadOptions::default()) else {
            continue;
        };
        if let Some((_, why)) = OTHERS.iter().find(|(name, _)| file.name.ends_with(name)) {
            eprintln!("{}: {why}", file.name);
            continue;
        }
        let ours = tables::samples(&trace);
        let printed = perf_script(&file.path);
        if printed.is_empty() && !ours.is_empty() {
            unread.push(file.name);
            continue;
        }
        compare(&file.name, &ours, &printed);
        compared += 1;
    }
    println!("{compared} files give the same as perf, which cannot read {unread:?}");
}

/// Whether perf is installed. Prints a message if it is not.
pub fn has_perf() -> bool {
    let version = Command::new("perf").arg("--version").output();
    let is_installed = version.is_ok_and(|output| output.status.success());
    if !is_installed {
        eprintln!("skipped: perf is not installed");
    }
    is_installed
}

fn compare(name: &str, ours: &[Sample], printed: &[Printed]) {
    assert_eq!(ours.len(), printed.len(), "{name}: number of samples");
    let mut of_perf: HashMap<_, Vec<&Printed>> = HashMap::new();
    for sample in printed.iter().rev() {
        of_perf
            .entry((sample.ts, sample.tid))
            .or_default()
            .push(sample);
    }
    for sample in ours {
        let same = of_perf.get_mut(&(sample.ts, sample.tid));
        let same = same.and_then(Vec::pop);
        let Some(same) = same else {
            panic!("{name}: perf has no sample like {sample:x?}");
        };
        assert_eq!(sample.cpu, same.cpu.or(sample.cpu), "{name}: {sample:x?}");
        assert_eq!(sample.pid, same.pid.max(0), "{name}: {sample:x?}");
        let is_same = sample.stack.len() >= same.stack.len()
            && sample
                .stack
                .iter()
                .zip(&same.stack)
                .enumerate()
                .all(is_same_frame);
        assert!(is_same, "{name}: {sample:x?}\nperf: {same:x?}");
    }
}

/// Compares frames. Our addresses are those of calls; perf prints return addresses, except for the innermost function.
fn is_same_frame((depth, (frame, address)): (usize, (&Frame, &u64))) -> bool {
    let ours = [frame.address, frame.rel_pc];
    let is_return = |ours: &u64| depth > 0 && ours.wrapping_add(1) == *address;
    ours.contains(address) || ours.iter().any(is_return)
}

/// The samples of a file. Not all files have all fields.
fn perf_script(path: &Path) -> Vec<Printed> {
    const FIELDS: [&str; 4] = [
        "pid,tid,cpu,time,event,ip",
        "pid,tid,time,event,ip",
        "pid,tid,cpu,time,event",
        "pid,tid,time,event",
    ];
    let outputs = FIELDS.iter().map(|fields| {
        let output = Command::new("perf")
            .args(["script", "--ns", "--no-itrace", "-F", fields, "-i"])
            .arg(path)
            .stderr(Stdio::null())
            .output()
            .unwrap();
        parse(&String::from_utf8_lossy(&output.stdout))
    });
    outputs
        .into_iter()
        .find(|samples| !samples.is_empty())
        .unwrap_or_default()
}

/// One line per sample, and one per function of its stack unless there is only one.
pub fn parse(text: &str) -> Vec<Printed> {
    let mut samples: Vec<Printed> = Vec::new();
    for line in text.lines() {
        if let Some(sample) = sample(line) {
            samples.push(sample);
        } else if let Ok(address) = u64::from_str_radix(line.trim(), 16)
            && let Some(sample) = samples.last_mut()
        {
            sample.stack.push(address);
        }
    }
    samples
}

/// `  100/101  [003]  12.345678901:  cycles:  ffff0010`
fn sample(line: &str) -> Option<Printed> {
    let mut words = line.split_ascii_whitespace().peekable();
    let (pid, tid) = words.next()?.split_once('/')?;
    let cpu = words.next_if(|word| word.starts_with('['));
    let cpu = cpu.and_then(|cpu| cpu.trim_matches(['[', ']']).parse().ok());
    let cpu = cpu.filter(|cpu| *cpu >= 0);
    let (seconds, ns) = words.next()?.strip_suffix(':')?.split_once('.')?;
    let address = words
        .last()
        .and_then(|word| u64::from_str_radix(word, 16).ok());
    Some(Printed {
        ts: seconds.parse::<i64>().ok()? * 1_000_000_000 + ns.parse::<i64>().ok()?,
        pid: pid.parse().ok()?,
        tid: tid.parse().ok()?,
        cpu,
        stack: address.into_iter().collect(),
    })
}
