//! Everything that is needed to decode a ring buffer: the layout of pages, the formats of events,
//! and names.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use rustc_hash::FxHashMap;

use super::decode::{ID_AT, Kind, TID_AT};
use super::format::EventFormat;
use super::layout::PageLayout;
use super::print::Plan;
use super::symbols::Symbols;

/// The total size of print formats that are parsed, bytes. A kernel has about 300 KB of them, and a
/// trace uses only a few.
const MOST_PRINT_FORMATS: usize = 1 << 20;

/// The kernel's descriptions of its ring buffer. The bytes themselves come from a file or from
/// `per_cpu/cpuN/trace_pipe_raw`.
#[derive(Debug)]
pub struct RawFormats {
    pub(super) layout: PageLayout,
    events: Vec<KnownEvent>,
    by_id: Vec<u32>,
    symbols: Symbols,
    /// The position of each thread's name in `comm_text`: start and length.
    comms: FxHashMap<i32, (u32, u32)>,
    comm_text: Vec<u8>,
    tgids: FxHashMap<i32, i32>,
    read_print_formats: AtomicUsize,
}

/// A format and its derived data.
#[derive(Debug)]
pub(super) struct KnownEvent {
    pub format: EventFormat,
    pub kind: Kind,
    plan: OnceLock<Plan>,
}

const UNKNOWN: u32 = u32::MAX;

impl RawFormats {
    /// Creates formats without any event.
    pub fn new(layout: PageLayout) -> Self {
        Self {
            layout,
            events: Vec::new(),
            by_id: Vec::new(),
            symbols: Symbols::default(),
            comms: FxHashMap::default(),
            comm_text: Vec::new(),
            tgids: FxHashMap::default(),
            read_print_formats: AtomicUsize::new(0),
        }
    }

    /// The layout of pages.
    pub fn layout(&self) -> PageLayout {
        self.layout
    }

    /// Adds an event. Returns `false` if its number is already used; the earlier event is kept.
    pub fn add_event(&mut self, format: EventFormat) -> bool {
        let id = usize::from(format.id);
        if id >= self.by_id.len() {
            self.by_id.resize(id + 1, UNKNOWN);
        }
        if self.by_id[id] != UNKNOWN {
            return false;
        }
        self.by_id[id] = self.events.len() as u32;
        self.events.push(KnownEvent {
            kind: Kind::new(&format, self.layout),
            format,
            plan: OnceLock::new(),
        });
        true
    }

    /// Sets the names of functions and texts.
    pub fn set_symbols(&mut self, symbols: Symbols) {
        self.symbols = symbols;
    }

    /// Adds names of threads from tracefs's `saved_cmdlines`: lines of tid and name.
    pub fn add_comms(&mut self, saved_cmdlines: &[u8]) {
        for line in saved_cmdlines.split(|&byte| byte == b'\n') {
            let start = u32::try_from(self.comm_text.len());
            if let (Some((tid, name)), Ok(start)) = (number_and_rest(line), start) {
                self.comm_text.extend_from_slice(name);
                self.comms.insert(tid, (start, name.len() as u32));
            }
        }
    }

    /// Forgets the name of a thread, because another source knows it better.
    pub fn forget_comm(&mut self, tid: i32) {
        self.comms.remove(&tid);
    }

    /// Adds processes of threads from tracefs's `saved_tgids`: lines of tid and tgid.
    pub fn add_tgids(&mut self, saved_tgids: &[u8]) {
        let lines = saved_tgids.split(|&byte| byte == b'\n');
        let pairs = lines.filter_map(|line| {
            let (tid, rest) = number_and_rest(line)?;
            let tgid = std::str::from_utf8(rest).ok()?.trim().parse().ok()?;
            Some((tid, tgid))
        });
        self.tgids.extend(pairs);
    }

    /// Sets the process of a thread.
    pub fn set_tgid(&mut self, tid: i32, tgid: i32) {
        self.tgids.insert(tid, tgid);
    }

    /// Whether an event happened while its CPU ran the idle thread.
    pub fn is_of_idle_thread(&self, event: &[u8]) -> bool {
        self.layout.order.u32(event, TID_AT) == Some(0)
    }

    /// The threads of a switch: the previous one and the next one. `None` for other events.
    pub fn switch(&self, event: &[u8]) -> Option<(i32, i32)> {
        let order = self.layout.order;
        let Kind::Switch(fields) = &self.event(order.u16(event, ID_AT)?)?.kind else {
            return None;
        };
        let switch = fields.read(event, order)?;
        Some((switch.prev_tid, switch.next_tid))
    }

    pub(super) fn symbols(&self) -> &Symbols {
        &self.symbols
    }

    pub(super) fn comm(&self, tid: i32) -> Option<&[u8]> {
        let (start, length) = *self.comms.get(&tid)?;
        self.comm_text.get(start as usize..)?.get(..length as usize)
    }

    pub(super) fn tgid(&self, tid: i32) -> Option<i32> {
        self.tgids.get(&tid).copied()
    }

    #[inline]
    pub(super) fn event(&self, id: u16) -> Option<&KnownEvent> {
        let index = *self.by_id.get(usize::from(id))?;
        self.events.get(index as usize)
    }

    /// How the fields of an event are shown. It is computed at the first event of its kind.
    #[inline]
    pub(super) fn plan<'a>(&self, event: &'a KnownEvent) -> &'a Plan {
        event.plan.get_or_init(|| {
            let more = event.format.print_fmt.len();
            let before = self.read_print_formats.fetch_add(more, Ordering::Relaxed);
            if before.saturating_add(more) > MOST_PRINT_FORMATS {
                return Plan::plain(&event.format);
            }
            Plan::new(&event.format, self.layout.long_bytes)
        })
    }
}

/// Parses `  17 name`.
fn number_and_rest(line: &[u8]) -> Option<(i32, &[u8])> {
    let line = line.trim_ascii();
    let space = memchr::memchr(b' ', line)?;
    let number = std::str::from_utf8(&line[..space]).ok()?.parse().ok()?;
    Some((number, line[space + 1..].trim_ascii()))
}
