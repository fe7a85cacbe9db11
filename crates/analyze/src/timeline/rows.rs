//! The rows of the time line, and which row a thread, track or CPU has.

use traceloom_trace::{NO_NUMBER, NO_TIME, ProcessId, RowId, SourceId, ThreadId, Trace, TrackId};

use super::joined::Joined;

/// No row.
pub const NO_ROW: u32 = u32::MAX;

/// What a row shows; the numbers are those of the page's columns.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum RowKind {
    /// A heading over the rows below it.
    Group = 0,
    /// A process.
    Process = 1,
    /// A thread: its states and its slices.
    Thread = 2,
    /// What ran on a CPU.
    Cpu = 3,
    /// A counter.
    Counter = 4,
    /// An async or named track: its slices, overlapping ones on levels of their own.
    Track = 5,
    /// Frames of an app.
    Frames = 6,
    /// Slices of a CPU: its interrupts.
    Interrupts = 7,
    /// A track that has instants alone.
    Instants = 8,
}

/// What else is worth knowing of a row.
pub mod row_flags {
    /// A process's main thread.
    pub const MAIN: u8 = 1;
    /// It does nothing in the trace.
    pub const IDLE: u8 = 2;
    /// It has thread states.
    pub const STATES: u8 = 4;
    /// A thread that people look at first, such as RenderThread.
    pub const IMPORTANT: u8 = 8;
    /// It belongs to the app in focus.
    pub const FOCUS: u8 = 16;
}

/// A row of the time line.
#[derive(Clone, PartialEq, Debug)]
pub struct TimelineRow {
    /// What it shows.
    pub kind: RowKind,
    /// The row it stands under, [`NO_ROW`] at the top.
    pub parent: u32,
    /// Its name.
    pub name: String,
    /// What tells it from others of its name: numbers, source, unit.
    pub note: String,
    /// Levels of slices. A process has one for each of the threads that its summary shows.
    pub levels: u32,
    /// Its thread.
    pub utid: ThreadId,
    /// Its process.
    pub upid: ProcessId,
    /// Its track; of several the first.
    pub track: TrackId,
    /// Its CPU, [`u32::MAX`] if it has none.
    pub cpu: u32,
    /// The input it came from.
    pub source: SourceId,
    /// Time in slices or on a CPU, ns.
    pub busy_ns: i64,
    /// Its first and last event, ns; [`NO_TIME`] where it has none.
    pub extent: (i64, i64),
    /// Smallest and largest value of a counter, NaN for other rows.
    pub extremes: (f64, f64),
    /// See [`row_flags`].
    pub flags: u8,
}

impl TimelineRow {
    /// A row that shows nothing yet.
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

    /// Makes the extent hold these times too.
    pub(super) fn widen(&mut self, extent: (i64, i64)) {
        self.extent = widened(self.extent, extent);
    }

    /// Whether the row has this flag.
    pub fn is(&self, flag: u8) -> bool {
        self.flags & flag != 0
    }
}

/// The extent of what has no events.
pub(super) const NO_EXTENT: (i64, i64) = (NO_TIME, NO_TIME);

/// An extent that holds other times too.
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
    /// The row's level on which the track begins.
    pub level: u32,
}

/// All rows, in the order to show them.
#[derive(Debug, Default)]
pub struct Rows {
    /// The rows; those under a row stand right behind it.
    pub all: Vec<TimelineRow>,
    /// The tracks of each row with the levels they begin on.
    tracks: Vec<Vec<(TrackId, u32)>>,
    places: Vec<TrackPlace>,
    of_thread: Vec<u32>,
    of_cpu: Vec<u32>,
    of_process: Vec<u32>,
    /// Rows of frames, and whose frames they show: a place in [`Frames::apps`](crate::frames::Frames).
    frames: Vec<(u32, usize)>,
    /// Rows that show several tracks together, in order.
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

    /// Adds a row behind all others.
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

    /// Gives a track its place: below the levels that the row has already.
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

    /// Lets a process's row show a thread's track, on a level of its own.
    pub(super) fn put_summary(&mut self, row: u32, track: TrackId) {
        let number = row as usize;
        self.tracks[number].push((track, self.all[number].levels));
        self.all[number].levels += 1;
    }

    /// Lets a row show the frames of an app.
    pub(super) fn put_frames(&mut self, row: u32, app: usize) {
        self.frames.push((row, app));
    }

    /// Lets a row, which is behind all that show others so, show some tracks together.
    pub(super) fn put_joined(&mut self, row: u32, tracks: Vec<TrackId>, joined: Joined) {
        let levels = joined.levels();
        tracks
            .into_iter()
            .for_each(|track| self.put_track(row, track, 0));
        self.all[row as usize].levels = levels;
        self.joined.push((row, joined));
    }

    /// What a row shows that shows several tracks together.
    pub fn joined(&self, row: u32) -> Option<&Joined> {
        let at = self.joined.binary_search_by_key(&row, |(row, _)| *row);
        at.ok().map(|at| &self.joined[at].1)
    }

    /// Whose frames a row shows: a place in [`Frames::apps`](crate::frames::Frames::apps).
    pub fn frames(&self, row: u32) -> Option<usize> {
        let found = self.frames.iter().find(|(shown, _)| *shown == row);
        found.map(|(_, app)| *app)
    }

    /// The row of the frames that a thread makes; [`NO_ROW`] if it makes none.
    pub fn of_frames(&self, thread: ThreadId) -> u32 {
        let of_thread = |row: &u32| self.all[*row as usize].utid == thread;
        let mut rows = self.frames.iter().map(|(row, _)| *row);
        rows.find(of_thread).unwrap_or(NO_ROW)
    }

    /// The tracks of a row, each with the level it begins on.
    pub fn tracks(&self, row: u32) -> &[(TrackId, u32)] {
        self.tracks.get(row as usize).map_or(&[], Vec::as_slice)
    }

    /// Where a track stands.
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

    /// The row of a process; [`NO_ROW`] for a process of the kernel, whose threads stand together.
    pub fn of_process(&self, process: ProcessId) -> u32 {
        self.of_process
            .get(process.row())
            .copied()
            .unwrap_or(NO_ROW)
    }
}

/// `kind NUMBER`, or nothing where the number is not known.
pub(super) fn numbered(kind: &str, number: i64) -> String {
    match number {
        NO_NUMBER => String::new(),
        number => format!("{kind} {number}"),
    }
}
