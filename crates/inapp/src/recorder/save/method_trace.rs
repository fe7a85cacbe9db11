//! Writing a Traceview `.trace` with the methods.
//!
//! ```text
//! *version … *threads … *methods … *end   text, columns separated by tabs
//! "SLOW", version, 32, start in µs, …     32 bytes
//! thread, method | action, µs             a record of version 2: wall time only
//! thread, method | action, µs CPU, µs     a record of version 3: CPU time and wall time
//! ```

use std::collections::{HashMap, HashSet};
use std::io::{self, Write};

use traceloom_ring::{ClockSource, Event, Recording, What, method_parts, unnamed_method};

/// Largest id of a method: the two lowest bits of the field hold the action.
const MAX_ID: u32 = u32::MAX >> 2;

/// An entry or exit.
struct Call {
    ts_ns: i64,
    cpu_ns: Option<u64>,
    thread: usize,
    id: u32,
    is_exit: bool,
}

/// Writes all method entries, and the exits that match an entry.
pub(super) fn write(recording: &Recording<'_>, out: &mut impl Write) -> io::Result<()> {
    let calls = calls(recording);
    // Times count from the first event, in whole microseconds.
    let start_us = calls.first().map_or(0, |call| call.ts_ns.max(0) / 1_000);
    let has_cpu = calls.iter().any(|call| call.cpu_ns.is_some());
    let numbers = thread_numbers(recording);
    keys(recording, &calls, (start_us, has_cpu), &numbers, out)?;
    header(monotonic_us(recording, start_us), has_cpu, out)?;
    // CPU times count from each thread's first record.
    let mut first_cpu: HashMap<usize, u64> = HashMap::new();
    for call in &calls {
        let number = numbers.get(call.thread).copied().unwrap_or(0);
        out.write_all(&number.to_le_bytes())?;
        let action = u32::from(call.is_exit);
        out.write_all(&(call.id << 2 | action).to_le_bytes())?;
        if has_cpu {
            let cpu_ns = call.cpu_ns.unwrap_or(0);
            let first = *first_cpu.entry(call.thread).or_insert(cpu_ns);
            let since_us = cpu_ns.saturating_sub(first) / 1_000;
            out.write_all(&(since_us as u32).to_le_bytes())?;
        }
        // 32 bits wrap around after 71 minutes, which readers expect.
        let since_us = call.ts_ns / 1_000 - start_us;
        out.write_all(&(since_us as u32).to_le_bytes())?;
    }
    Ok(())
}

fn calls(recording: &Recording<'_>) -> Vec<Call> {
    let mut open: Vec<Vec<u32>> = vec![Vec::new(); recording.threads().len()];
    let mut calls = Vec::new();
    for Event {
        ts_ns,
        thread,
        what,
        ..
    } in recording.events()
    {
        let (id, cpu_ns, is_exit) = match what {
            What::Enter { id, cpu_ns } => (id, cpu_ns, false),
            What::Exit { id, cpu_ns } => (id, cpu_ns, true),
            _ => continue,
        };
        let Some(stack) = open.get_mut(thread).filter(|_| id <= MAX_ID) else {
            continue;
        };
        if is_exit {
            // The method was entered before the recording began.
            let Some(at) = stack.iter().rposition(|open| *open == id) else {
                continue;
            };
            stack.truncate(at);
        } else {
            stack.push(id);
        }
        calls.push(Call {
            ts_ns,
            cpu_ns,
            thread,
            id,
            is_exit,
        });
    }
    calls
}

/// A 16-bit number for each thread: the tid, or the virtual machine's number of a sampled thread, if all of these are
/// small enough and distinct; else consecutive numbers from 1.
fn thread_numbers(recording: &Recording<'_>) -> Vec<u16> {
    let owners = recording.threads().iter().map(|thread| thread.owner);
    let tids = owners.map(|owner| owner.sampled_number().unwrap_or(owner.tid));
    let small: Option<Vec<u16>> = tids
        .map(|tid| u16::try_from(tid).ok().filter(|tid| *tid != 0))
        .collect();
    let mut seen = HashSet::new();
    let small = small.filter(|tids| tids.iter().all(|tid| seen.insert(*tid)));
    let places = 1..=recording.threads().len();
    small.unwrap_or_else(|| places.map(|place| place as u16).collect())
}

fn keys(
    recording: &Recording<'_>,
    calls: &[Call],
    (start_us, has_cpu): (i64, bool),
    numbers: &[u16],
    out: &mut impl Write,
) -> io::Result<()> {
    let lost = recording.header.losses;
    let overflow = [lost.full, lost.nested, lost.threads] != [0; 3];
    let version = if has_cpu { 3 } else { 2 };
    let clock = if has_cpu { "dual" } else { "wall" };
    let elapsed = calls.last().map_or(0, |call| call.ts_ns / 1_000 - start_us);
    write!(
        out,
        "*version\n{version}\ndata-file-overflow={overflow}\nclock={clock}\nelapsed-time-usec={elapsed}\n\
         num-method-calls={}\nclock-call-overhead-nsec=0\nvm=art\npid={}\n",
        calls.len(),
        recording.header.pid
    )?;
    // Readers ignore keys that they do not know.
    if recording.header.sample_ns > 0 {
        let (us, samples) = (recording.header.sample_ns / 1_000, recording.header.samples);
        write!(out, "sampling-interval-usec={us}\nnum-samples={samples}\n")?;
    }
    out.write_all(b"*threads\n")?;
    for (thread, number) in recording.threads().iter().zip(numbers) {
        let name = thread.name.as_deref().unwrap_or(thread.owner.name());
        writeln!(out, "{number}\t{}", field(name))?;
    }
    out.write_all(b"*methods\n")?;
    methods(recording, calls, out)?;
    out.write_all(b"*end\n")
}

/// Writes a line for each method that is called.
fn methods(recording: &Recording<'_>, calls: &[Call], out: &mut impl Write) -> io::Result<()> {
    let names: HashMap<u32, &[u8]> = recording.names().collect();
    let sources: HashMap<u32, (&[u8], Option<u32>)> = recording.sources().collect();
    let mut seen = HashSet::new();
    for call in calls.iter().filter(|call| seen.insert(call.id)) {
        let name = names.get(&call.id).map(|name| field(name));
        let name = name.unwrap_or_else(|| unnamed_method(call.id));
        let (class, method, signature) = method_parts(&name);
        write!(out, "{:#x}\t{class}\t{method}\t{signature}\t", call.id << 2)?;
        if let Some((file, line)) = sources.get(&call.id) {
            // Without a line number, dmtracedump would parse the file name as part of the signature.
            let line = line.map_or(-1, i64::from);
            write!(out, "{}\t{line}", field(file))?;
        }
        out.write_all(b"\n")?;
    }
    Ok(())
}

/// Text without characters that would end the column.
fn field(text: &[u8]) -> String {
    String::from_utf8_lossy(text).replace(['\t', '\n', '\r', '\0'], " ")
}

/// The start on `CLOCK_MONOTONIC`, as the header requires, microseconds.
fn monotonic_us(recording: &Recording<'_>, start_us: i64) -> u64 {
    let (header, start) = (&recording.header, recording.header.start);
    let ahead_ns = match header.clock {
        ClockSource::Monotonic => 0,
        // A damaged file may have any times.
        _ => (start.boot_ns as i64).wrapping_sub(start.mono_ns as i64),
    };
    (start_us - ahead_ns / 1_000).max(0) as u64
}

fn header(start_us: u64, has_cpu: bool, out: &mut impl Write) -> io::Result<()> {
    let mut header = [0; 32];
    let (version, record_bytes) = if has_cpu { (3u16, 14u16) } else { (2, 10) };
    header[..4].copy_from_slice(b"SLOW");
    header[4..6].copy_from_slice(&version.to_le_bytes());
    header[6..8].copy_from_slice(&32u16.to_le_bytes());
    header[8..16].copy_from_slice(&start_us.to_le_bytes());
    if has_cpu {
        header[16..18].copy_from_slice(&record_bytes.to_le_bytes());
    }
    out.write_all(&header)
}
