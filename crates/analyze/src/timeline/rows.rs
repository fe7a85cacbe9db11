//! The rows of the timeline, and the row of each thread, track, process and CPU.

use traceloom_trace::{NO_NUMBER, NO_TIME, ProcessId, RowId, SourceId, ThreadId, Trace, TrackId};

use super::joined::Joined;

/// No row.
pub const NO_ROW: u32 = u32::MAX;

/// The kind of a row. The numbers are those in the columns of the page.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum RowKind {
    /// A heading over the rows below it.
    Group = 0,
    /// A process.
    Process = 1,
    /// A thread: its states and its slices.
    Thread = 2,
    /// The runs on a CPU.
    Cpu = 3,
    /// A counter.
    Counter = 4,
    /// An async or named track: its slices, with overlapping ones on separate levels.
    Track = 5,
    /// Frames of an app.
    Frames = 6,
    /// The interrupts of a CPU, as slices.
    Interrupts = 7,
    /// A track with instants only.
    Instants = 8,
    /// The lines of a log.
    Log = 9,
}

/// Flags of a row.
pub mod row_flags {
    /// The main thread of a process.
    pub const MAIN: u8 = 1;
    /// The row has no activity in the trace.
    pub const IDLE: u8 = 2;
    /// The row has thread states.
    pub const STATES: u8 = 4;
    /// An important thread, such as RenderThread.
    pub const IMPORTANT: u8 = 8;
    /// The row belongs to the app in focus.
    pub const FOCUS: u8 = 16;
    /// The row has events without a table of their own, or samples of a profiler.
    pub const EVENTS: u8 = 32;
}

/// A row of the timeline.
#[derive(Clone, PartialEq, Debug)]
pub struct TimelineRow {
    /// Its kind.
    pub kind: RowKind,
    /// The row it is under, [`NO_ROW`] at the top.
    pub parent: u32,
    /// Its name.
    pub name: String,
    /// A note that distinguishes it from rows of the same name: numbers, source, unit.
    pub note: String,
    /// The number of levels of slices. A process has one for each thread in its summary.
    pub levels: u32,
    /// Its thread.
    pub utid: ThreadId,
    /// Its process.
    pub upid: ProcessId,
    /// Its track, or the first one of several.
    pub track: TrackId,
    /// Its CPU, [`u32::MAX`] if it has none.
    pub cpu: u32,
    /// The input it came from.
    pub source: SourceId,
    /// Time in slices or on a CPU, ns.
    pub busy_ns: i64,
    /// The times of its first and last event, ns; [`NO_TIME`] if it has none.
    pub extent: (i64, i64),
    /// Smallest and largest value of a counter, NaN for other rows.
    pub extremes: (f64, f64),
    /// See [`row_flags`].
    pub flags: u8,
}

impl TimelineRow {
    /// Creates an empty row.
    pub fn new(kind: RowKind, name: String) -> Self {
        Self {
            kind,
            parent: NO_ROW,
            name,
            note: String::new(),
            levels: 0,
            utid: ThreadId::NONE,
            upid: ProcessId::NONE,
            track: TrackId::NONE,
            cpu: u32::MAX,
            source: SourceId::NONE,
            busy_ns: 0,
            extent: NO_EXTENT,
            extremes: (f64::NAN, f64::NAN),
            flags: 0,
        }
    }

    /// Widens the extent to include another one.
    pub(super) fn widen(&mut self, extent: (i64, i64)) {
        self.extent = widened(self.extent, extent);
    }

    /// Whether the row has this flag.
    pub fn is(&self, flag: u8) -> bool {
        self.flags & flag != 0
    }
}

/// The extent of a row without events.
pub(super) const NO_EXTENT: (i64, i64) = (NO_TIME, NO_TIME);

/// The extent that includes both extents.
pub(super) fn widened(extent: (i64, i64), (first, last): (i64, i64)) -> (i64, i64) {
    match extent {
        _ if first > last || first == NO_TIME => extent,
        (NO_TIME, _) => (first, last),
        (from, to) => (from.min(first), to.max(last)),
    }
}

/// A track's place in a row: its level 0 is the row's level `level`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TrackPlace {
    /// The row.
    pub row: u32,
    /// The level of the row at which the track starts.
    pub level: u32,
}

/// All rows, in display order.
#[derive(Debug, Default)]
pub struct Rows {
    /// The rows. Each is followed by the rows under it.
    pub all: Vec<TimelineRow>,
    /// The tracks of each row, with the levels at which they start.
    tracks: Vec<Vec<(TrackId, u32)>>,
    places: Vec<TrackPlace>,
    of_thread: Vec<u32>,
    of_cpu: Vec<u32>,
    of_process: Vec<u32>,
    /// Rows of frames, and their indexes into [`Frames::apps`](crate::frames::Frames).
    frames: Vec<(u32, usize)>,
    /// Rows that show several tracks together, sorted.
    joined: Vec<(u32, Joined)>,
}

impl Rows {
    pub(super) fn new(trace: &Trace, cpus: u32) -> Self {
        let nowhere = TrackPlace {
            row: NO_ROW,
            level: 0,
        };
        Self {
            all: Vec::new(),
            tracks: Vec::new(),
            places: vec![nowhere; trace.tracks.len()],
            of_thread: vec![NO_ROW; trace.threads.len()],
            of_cpu: vec![NO_ROW; cpus as usize],
            of_process: vec![NO_ROW; trace.processes.len()],
            frames: Vec::new(),
            joined: Vec::new(),
        }
    }

    /// Appends a row.
    pub(super) fn push(&mut self, row: TimelineRow) -> u32 {
        let number = self.all.len() as u32;
        let place = match row.kind {
            RowKind::Thread => self.of_thread.get_mut(row.utid.row()),
            RowKind::Process => self.of_process.get_mut(row.upid.row()),
            RowKind::Cpu => self.of_cpu.get_mut(row.cpu as usize),
            _ => None,
        };
        if let Some(place) = place {
            *place = number;
        }
        self.all.push(row);
        self.tracks.push(Vec::new());
        number
    }

    /// Adds a track to a row, below the levels that the row has already.
    pub(super) fn put_track(&mut self, row: u32, track: TrackId, levels: u32) {
        let number = row as usize;
        let level = self.all[number].levels;
        self.places[track.row()] = TrackPlace { row, level };
        self.tracks[number].push((track, level));
        let row = &mut self.all[number];
        row.levels = row.levels.saturating_add(levels);
        if row.track == TrackId::NONE {
            row.track = track;
        }
    }

    /// Adds the track of a thread to the row of a process, on one level.
    pub(super) fn put_summary(&mut self, row: u32, track: TrackId) {
        let number = row as usize;
        self.tracks[number].push((track, self.all[number].levels));
        self.all[number].levels += 1;
    }

    /// Makes a row show the frames of an app.
    pub(super) fn put_frames(&mut self, row: u32, app: usize) {
        self.frames.push((row, app));
    }

    /// Makes a row show some tracks together. Rows must be added in order.
    pub(super) fn put_joined(&mut self, row: u32, tracks: Vec<TrackId>, joined: Joined) {
        let levels = joined.levels();
        tracks
            .into_iter()
            .for_each(|track| self.put_track(row, track, 0));
        self.all[row as usize].levels = levels;
        self.joined.push((row, joined));
    }

    /// The joined tracks of a row that shows several together.
    pub fn joined(&self, row: u32) -> Option<&Joined> {
        let at = self.joined.binary_search_by_key(&row, |(row, _)| *row);
        at.ok().map(|at| &self.joined[at].1)
    }

    /// The index of a row's app in [`Frames::apps`](crate::frames::Frames::apps), if it shows frames.
    pub fn frames(&self, row: u32) -> Option<usize> {
        let found = self.frames.iter().find(|(shown, _)| *shown == row);
        found.map(|(_, app)| *app)
    }

    /// The row of the frames that a thread draws; [`NO_ROW`] if it draws none.
    pub fn of_frames(&self, thread: ThreadId) -> u32 {
        let of_thread = |row: &u32| self.all[*row as usize].utid == thread;
        let mut rows = self.frames.iter().map(|(row, _)| *row);
        rows.find(of_thread).unwrap_or(NO_ROW)
    }

    /// The tracks of a row, each with the level at which it starts.
    pub fn tracks(&self, row: u32) -> &[(TrackId, u32)] {
        self.tracks.get(row as usize).map_or(&[], Vec::as_slice)
    }

    /// The place of a track.
    pub fn place(&self, track: TrackId) -> TrackPlace {
        self.places[track.row()]
    }

    /// The row of a thread; [`NO_ROW`] for no thread.
    pub fn of_thread(&self, thread: ThreadId) -> u32 {
        self.of_thread.get(thread.row()).copied().unwrap_or(NO_ROW)
    }

    /// The row of a CPU.
    pub fn of_cpu(&self, cpu: u32) -> u32 {
        self.of_cpu.get(cpu as usize).copied().unwrap_or(NO_ROW)
    }

    /// The row of a process; [`NO_ROW`] for a kernel process, as all kernel threads share a group.
    pub fn of_process(&self, process: ProcessId) -> u32 {
        self.of_process
            .get(process.row())
            .copied()
            .unwrap_or(NO_ROW)
    }
}

/// `kind NUMBER`, or an empty text if the number is unknown.
pub(super) fn numbered(kind: &str, number: i64) -> String {
    match number {
        NO_NUMBER => String::new(),
        number => format!("{kind} {number}"),
    }
}
