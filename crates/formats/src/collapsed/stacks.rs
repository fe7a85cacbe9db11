//! The tree of call paths, with the exclusive time of each.

use std::io::{self, Write};

use rustc_hash::FxHashMap;
use traceloom_trace::{NO_DURATION, NO_NUMBER, RowId, SliceId, ThreadId, Trace, TrackId};

const ROOT: u32 = 0;
const NO_NODE: u32 = u32::MAX;

struct Node {
    parent: u32,
    frame: u32,
    /// The number of frames of the thread from the root to this node.
    depth: u32,
    self_ns: i64,
}

/// Call paths without duplicates.
pub(super) struct Stacks {
    frames: Vec<String>,
    frame_ids: FxHashMap<String, u32>,
    nodes: Vec<Node>,
    children: FxHashMap<(u32, u32), u32>,
    /// Whether CPU times were requested and the trace has them.
    pub have_cpu_time: bool,
    /// The number of slices that never ended. Their time is left out.
    pub unfinished: u64,
    max_depth: u32,
}

impl Stacks {
    /// The paths of all slices of threads. The time of a slice is its CPU time where recorded,
    /// otherwise its wall time. The time of slices deeper than `max_depth` counts for their
    /// ancestor at that depth.
    ///
    /// Slices that never ended have no time, as in a profile; those inside them do.
    pub fn new(trace: &Trace, cpu_time: bool, max_depth: u32) -> Self {
        let mut stacks = Self {
            frames: Vec::new(),
            frame_ids: FxHashMap::default(),
            nodes: vec![Node {
                parent: NO_NODE,
                frame: 0,
                depth: 0,
                self_ns: 0,
            }],
            children: FxHashMap::default(),
            have_cpu_time: false,
            unfinished: 0,
            max_depth,
        };
        let tracks = stacks.roots(trace);
        let nodes = stacks.place(trace, &tracks);
        let times = Times::new(trace, cpu_time);
        stacks.have_cpu_time = times.cpu;
        for row in (0..nodes.len()).filter(|row| nodes[*row] != NO_NODE) {
            stacks.add(row, &nodes, &times);
        }
        stacks
    }

    /// Adds the time of a slice to its node, and subtracts it from the slice around it. The time of
    /// a slice that never ended is unknown, so it belongs to no node.
    fn add(&mut self, row: usize, nodes: &[u32], times: &Times<'_>) {
        let dur = times.dur(row);
        if times.is_unfinished(row) {
            self.unfinished += 1;
        } else {
            self.nodes[nodes[row] as usize].self_ns += dur;
        }
        let parent = times.trace.slices.parent_id.get(row).some();
        if let Some(parent) = parent.filter(|parent| !times.is_unfinished(parent.row())) {
            self.nodes[nodes[parent.row()] as usize].self_ns -= dur;
        }
    }

    pub fn is_empty(&self) -> bool {
        self.nodes.len() == 1
    }

    /// The node of each track's path: process, thread, and the track's name if it has one.
    fn roots(&mut self, trace: &Trace) -> Vec<u32> {
        let tracks = trace.tracks.rows().enumerate().map(|(row, track)| {
            let on_thread = track.kind.is_of_thread();
            match track.utid.some().filter(|_| on_thread) {
                Some(utid) => self.root(trace, TrackId::from_row(row), utid),
                None => NO_NODE,
            }
        });
        // Only tracks with slices make nodes.
        let mut used = vec![false; trace.tracks.len()];
        let slices = &trace.slices;
        let tracks_of = slices.spans().map(|row| slices.track_id.get(row));
        tracks_of.for_each(|track| used[track.row()] = true);
        tracks
            .zip(used)
            .map(|(node, used)| if used { node } else { NO_NODE })
            .collect()
    }

    fn root(&mut self, trace: &Trace, track: TrackId, utid: ThreadId) -> u32 {
        let mut node = ROOT;
        if let Some(upid) = trace.threads.upid.get(utid.row()).some() {
            let process = trace.processes.row(upid.row());
            node = match trace.strings.get(process.name) {
                "" if process.pid == NO_NUMBER => node,
                "" => self.child(node, &format!("process {}", process.pid)),
                name => self.child(node, name),
            };
        }
        node = self.child(node, &trace.thread_name(utid));
        match trace.strings.get(trace.tracks.name.get(track.row())) {
            "" => node,
            name => self.child(node, name),
        }
    }

    /// The node of each span.
    fn place(&mut self, trace: &Trace, tracks: &[u32]) -> Vec<u32> {
        let mut nodes = vec![NO_NODE; trace.slices.len()];
        let mut names: FxHashMap<(u32, u32), u32> = FxHashMap::default();
        let mut path = Vec::new();
        for row in trace.slices.spans() {
            // The parent usually comes earlier in the table, except where time stepped back.
            let mut above = Some(SliceId::from_row(row));
            while let Some(slice) = above.filter(|slice| nodes[slice.row()] == NO_NODE) {
                path.push(slice);
                above = trace.slices.parent_id.get(slice.row()).some();
            }
            while let Some(slice) = path.pop() {
                let row = slice.row();
                let around = match trace.slices.parent_id.get(row).some() {
                    Some(parent) => nodes[parent.row()],
                    None => tracks[trace.slices.track_id.get(row).row()],
                };
                if around == NO_NODE {
                    continue;
                }
                let depth = self.nodes[around as usize].depth;
                if depth >= self.max_depth {
                    nodes[row] = around;
                    continue;
                }
                let key = (
                    trace.slices.method_id.get(row).0,
                    trace.slices.name.get(row).0,
                );
                let frame = *names
                    .entry(key)
                    .or_insert_with(|| self.frame(&trace.slice_name(slice)));
                nodes[row] = self.child_frame(around, frame, depth + 1);
            }
        }
        nodes
    }

    fn frame(&mut self, name: &str) -> u32 {
        let text = match name {
            "" => "(no name)".to_owned(),
            name => name.replace(';', ":").replace(['\n', '\r'], " "),
        };
        if let Some(&frame) = self.frame_ids.get(&text) {
            return frame;
        }
        let frame = self.frames.len() as u32;
        self.frames.push(text.clone());
        self.frame_ids.insert(text, frame);
        frame
    }

    fn child(&mut self, parent: u32, name: &str) -> u32 {
        let frame = self.frame(name);
        self.child_frame(parent, frame, 0)
    }

    fn child_frame(&mut self, parent: u32, frame: u32, depth: u32) -> u32 {
        let next = self.nodes.len() as u32;
        let node = *self.children.entry((parent, frame)).or_insert(next);
        if node == next {
            self.nodes.push(Node {
                parent,
                frame,
                depth,
                self_ns: 0,
            });
        }
        node
    }

    /// The number of bytes that [`write`](Self::write) writes.
    pub fn bytes(&self) -> u64 {
        let mut lengths: Vec<u64> = Vec::with_capacity(self.nodes.len());
        let mut sum = 0u64;
        // A node is always created after its parent.
        for node in &self.nodes {
            let above = match node.parent {
                NO_NODE | ROOT => 0,
                parent => lengths[parent as usize] + 1,
            };
            let length = match node.parent {
                NO_NODE => 0,
                _ => above + self.frames[node.frame as usize].len() as u64,
            };
            lengths.push(length);
            if let Some(digits) = node.self_ns.checked_ilog10() {
                sum = sum.saturating_add(length + u64::from(digits) + 3);
            }
        }
        sum
    }

    /// Writes the paths, sorted by name.
    pub fn write(&self, out: &mut impl Write) -> io::Result<()> {
        let mut below: Vec<Vec<u32>> = vec![Vec::new(); self.nodes.len()];
        for (node, row) in self.nodes.iter().enumerate().skip(1) {
            below[row.parent as usize].push(node as u32);
        }
        let frame_of = |node: u32| self.frames[self.nodes[node as usize].frame as usize].as_str();
        for children in &mut below {
            children.sort_unstable_by(|&a, &b| frame_of(b).cmp(frame_of(a)));
        }
        let mut waiting: Vec<(u32, usize)> = below[0].iter().map(|&node| (node, 0)).collect();
        let mut path = String::new();
        while let Some((node, length)) = waiting.pop() {
            path.truncate(length);
            if length > 0 {
                path.push(';');
            }
            path.push_str(frame_of(node));
            let self_ns = self.nodes[node as usize].self_ns;
            if self_ns > 0 {
                writeln!(out, "{path} {self_ns}")?;
            }
            waiting.extend(
                below[node as usize]
                    .iter()
                    .map(|&child| (child, path.len())),
            );
        }
        Ok(())
    }
}

/// The time of the last begin or end of a method call on each track.
fn call_ends(trace: &Trace) -> Vec<i64> {
    let slices = &trace.slices;
    let mut ends = vec![i64::MIN; trace.tracks.len()];
    for row in (0..slices.len()).filter(|&row| slices.method_id.get(row).some().is_some()) {
        let end = slices
            .ts
            .get(row)
            .saturating_add(slices.dur.get(row).max(0));
        let last = &mut ends[slices.track_id.get(row).row()];
        *last = end.max(*last);
    }
    ends
}

/// The durations of slices.
struct Times<'t> {
    trace: &'t Trace,
    cpu: bool,
    /// The last value of each track's CPU clock.
    cpu_ends: Vec<i64>,
    /// The time of the last method event of each track.
    call_ends: Vec<i64>,
}

impl<'t> Times<'t> {
    fn new(trace: &'t Trace, cpu_time: bool) -> Self {
        let slices = &trace.slices;
        let mut cpu_ends = vec![NO_DURATION; trace.tracks.len()];
        let mut cpu = false;
        for row in (0..slices.len()).filter(|_| cpu_time) {
            let start = slices.thread_ts.get(row);
            cpu |= start != NO_DURATION;
            let end = start.saturating_add(slices.thread_dur.get(row).max(0));
            let last = &mut cpu_ends[slices.track_id.get(row).row()];
            *last = end.max(*last);
        }
        Self {
            trace,
            cpu,
            cpu_ends,
            call_ends: call_ends(trace),
        }
    }

    /// Whether the slice never ended. Calls of methods end at the last event of their thread.
    fn is_unfinished(&self, row: usize) -> bool {
        let slices = &self.trace.slices;
        slices.dur.get(row) == NO_DURATION && slices.method_id.get(row).some().is_none()
    }

    /// The duration of a slice. An unfinished method call lasts until the last event of its thread;
    /// any other unfinished slice lasts until the end of the trace.
    fn dur(&self, row: usize) -> i64 {
        let slices = &self.trace.slices;
        if !self.cpu {
            let is_open_call =
                slices.dur.get(row) == NO_DURATION && slices.method_id.get(row).some().is_some();
            let end = if is_open_call {
                self.call_ends[slices.track_id.get(row).row()]
            } else {
                self.trace.slice_end(SliceId::from_row(row))
            };
            return end.saturating_sub(slices.ts.get(row));
        }
        match (slices.thread_ts.get(row), slices.thread_dur.get(row)) {
            (NO_DURATION, _) => 0,
            (start, NO_DURATION) => {
                let end = self.cpu_ends[slices.track_id.get(row).row()];
                end.saturating_sub(start).max(0)
            }
            (_, dur) => dur,
        }
    }
}
