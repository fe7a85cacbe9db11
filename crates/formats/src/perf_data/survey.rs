//! The first pass over a file: collects what must be known before samples are read. Events, build ids, symbols and
//! facts may be anywhere in the file.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use super::attr::Attr;
use super::events::Events;
use super::features::{self, BuildId, ClockData, feature};
use super::head::Parts;
use super::records::{Record, Records, kind};
use super::symbols::Symbols;
use crate::bytes::{ByteOrder, Cursor, until_nul};
use crate::ring_buffer::Coverage;

/// The result of the first pass over a file.
#[derive(Debug)]
pub(super) struct Survey<'a> {
    pub order: ByteOrder,
    pub events: Events<'a>,
    pub symbols: Symbols<'a>,
    /// The stacks of the user that the kernel recorded after samples, by their cookies and threads: lists of addresses.
    deferred: FxHashMap<(u64, i32), &'a [u8]>,
    build_ids: FxHashMap<(i32, &'a [u8]), &'a [u8]>,
    /// Facts by the number of their feature.
    pub facts: Vec<(u8, Cursor<'a>)>,
    pub meta_info: Vec<(&'a [u8], &'a [u8])>,
    pub clock: Option<(u32, u64, u64)>,
    /// The formats of tracepoints.
    pub tracing_data: &'a [u8],
    /// Which threads were recorded, if the file says so.
    pub coverage: Option<Coverage>,
    /// Whether simpleperf recorded it.
    pub is_simpleperf: bool,
    /// The numbers of features that are not read.
    pub skipped: BTreeSet<u8>,
    /// The number of features and records that could not be read.
    pub broken: u64,
}

impl<'a> Survey<'a> {
    /// Reads everything except threads, mappings and samples. `bytes` is the size of the file including its
    /// decompressed records.
    pub fn new(parts: &Parts<'a>, unpacked: &'a [u8], bytes: usize) -> Self {
        /// Memory limit for symbols: a base for any file, bytes, and the bytes allowed for each byte of the file.
        const OF_SYMBOLS: (usize, usize) = (8 << 20, 2);
        let mut survey = Self {
            order: parts.order,
            events: Events::default(),
            symbols: Symbols::with_room(OF_SYMBOLS.1.saturating_mul(bytes) + OF_SYMBOLS.0),
            deferred: FxHashMap::default(),
            build_ids: FxHashMap::default(),
            facts: Vec::new(),
            meta_info: Vec::new(),
            clock: None,
            tracing_data: b"",
            coverage: None,
            is_simpleperf: false,
            skipped: BTreeSet::new(),
            broken: 0,
        };
        for (attr, ids) in &parts.attrs {
            survey.events.add(*attr, ids.iter().copied());
        }
        let further = parts.further.map_or(&[][..], |(bytes, _)| bytes);
        for data in [parts.data, further, unpacked] {
            Records::new(data, parts.order).for_each(|record| survey.record(&record, data));
        }
        for (number, bytes) in &parts.features {
            survey.feature(*number, bytes);
        }
        survey.symbols.finish();
        survey
    }

    fn record(&mut self, record: &Record<'a>, data: &'a [u8]) {
        let from = record.cursor(self.order);
        let is_read = match record.kind {
            kind::HEADER_ATTR => self.attr(record.payload),
            kind::EVENT_UPDATE => self.update(from),
            kind::BUILD_ID => self.build_id(from, record.misc),
            kind::EVENT_ID => self.ids(from),
            kind::KSYMBOL => self.kernel_symbol(from),
            kind::KERNEL_SYMBOLS => self.kallsyms(from),
            kind::CALLCHAIN_DEFERRED => self.deferred(record),
            kind::HEADER_FEATURE => self.header_feature(from),
            kind::THREAD_MAP => self.thread_map(from),
            kind::TRACING_DATA | kind::TRACING_DATA_OF_SIMPLEPERF => {
                self.tracing_data = record.tracing_data(data).unwrap_or_default();
                Some(())
            }
            _ => Some(()),
        };
        self.broken += u64::from(is_read.is_none());
    }

    /// `HEADER_ATTR`: an event and its ids.
    fn attr(&mut self, payload: &'a [u8]) -> Option<()> {
        let (attr, ids) = payload.split_at_checked(Attr::length(payload, self.order))?;
        let attr = Attr::parse(attr, self.order)?;
        self.events
            .add(attr, Cursor::new(ids, self.order).numbers());
        Some(())
    }

    /// `EVENT_UPDATE`: the name of an event.
    fn update(&mut self, mut from: Cursor<'a>) -> Option<()> {
        const NAME: u64 = 2;
        let (what, id) = (from.u64()?, from.u64()?);
        if what == NAME {
            self.events.name([id], usize::MAX, until_nul(from.rest()));
        }
        Some(())
    }

    fn build_id(&mut self, from: Cursor<'a>, misc: u16) -> Option<()> {
        let build_id = BuildId::parse(from, misc)?;
        let key = (build_id.pid, build_id.file);
        self.build_ids.insert(key, build_id.id);
        Some(())
    }

    /// `EVENT_ID` of simpleperf: pairs of an event's index and an additional id.
    fn ids(&mut self, mut from: Cursor<'a>) -> Option<()> {
        for _ in 0..from.u64()? {
            let (event, id) = (from.u64()?, from.u64()?);
            self.events.add_id(id, usize::try_from(event).ok()?);
        }
        Some(())
    }

    /// `KSYMBOL`: code that the kernel created at run time, such as a BPF program.
    fn kernel_symbol(&mut self, mut from: Cursor<'a>) -> Option<()> {
        const WAS_REMOVED: u16 = 1;
        let (address, length) = (from.u64()?, from.u32()?);
        from.u16()?;
        let flags = from.u16()?;
        let name = from.text()?;
        if flags & WAS_REMOVED == 0 {
            self.symbols.add_kernel(address, length, name);
        }
        Some(())
    }

    /// `CALLCHAIN_DEFERRED`: the stack of the user, which the kernel takes when the thread returns to user space.
    fn deferred(&mut self, record: &Record<'a>) -> Option<()> {
        let mut from = record.cursor(self.order);
        let (cookie, count) = (from.u64()?, from.u64()?);
        let stack = from.take(count.checked_mul(8)?)?;
        let event = self.events.of(record, self.order)?;
        let attr = self.events.list.get(event)?.attr;
        let tid = attr.tid_of_other(from)?;
        self.deferred.insert((cookie, tid), stack);
        Some(())
    }

    /// The addresses of a stack that the kernel recorded after the sample.
    pub fn deferred_stack(
        &self,
        cookie: u64,
        tid: i32,
    ) -> impl ExactSizeIterator<Item = u64> + use<'a> {
        let stack = self.deferred.get(&(cookie, tid)).copied();
        Cursor::new(stack.unwrap_or_default(), self.order).numbers()
    }

    fn kallsyms(&mut self, mut from: Cursor<'a>) -> Option<()> {
        let size = from.u32()?;
        let list = from.take(size.into())?;
        self.symbols.add_kallsyms(until_nul(list));
        Some(())
    }

    /// `THREAD_MAP`: the threads that were recorded. A recording of the whole machine has a single entry, -1.
    fn thread_map(&mut self, mut from: Cursor<'a>) -> Option<()> {
        from.u64()?;
        let is_machine = from.u64()? as i64 == -1;
        self.coverage = Some(if is_machine {
            Coverage::Machine
        } else {
            Coverage::SomeThreads
        });
        Some(())
    }

    fn header_feature(&mut self, mut from: Cursor<'a>) -> Option<()> {
        let number = u8::try_from(from.u64()?).ok()?;
        self.feature(number, from.rest());
        Some(())
    }

    fn feature(&mut self, number: u8, bytes: &'a [u8]) {
        let from = Cursor::new(bytes, self.order);
        match number {
            feature::HOSTNAME..=feature::COMMAND => self.facts.push((number, from)),
            feature::TRACING_DATA => self.tracing_data = bytes,
            feature::EVENTS => {
                for (at, event) in features::events(from).into_iter().enumerate() {
                    self.events.name(event.ids, at, event.name);
                }
            }
            feature::BUILD_ID => self.build_ids(bytes),
            feature::CLOCK_DATA => {
                let data = ClockData::parse(from);
                self.clock = data.map(|data| (data.clock, data.wall_ns, data.clock_ns));
            }
            feature::DIR_FORMAT => {}
            feature::META_INFO => self.meta_info(bytes),
            feature::FILES => {
                self.is_simpleperf = true;
                let is_whole = self.symbols.add_files(from, self.order);
                self.broken += u64::from(!is_whole);
            }
            feature::FILES_2 => {
                self.is_simpleperf = true;
                let is_whole = self.symbols.add_messages(from);
                self.broken += u64::from(!is_whole);
            }
            _ => _ = self.skipped.insert(number),
        }
    }

    fn build_ids(&mut self, bytes: &'a [u8]) {
        let mut records = Records::new(bytes, self.order);
        for record in records.by_ref() {
            let is_read = self.build_id(record.cursor(self.order), record.misc);
            self.broken += u64::from(is_read.is_none());
        }
        self.broken += u64::from(records.left() > 0);
    }

    fn meta_info(&mut self, bytes: &'a [u8]) {
        self.is_simpleperf = true;
        for (key, value) in features::meta_info(bytes) {
            if key == b"event_type_info" {
                self.events.name_kinds(features::event_types(value));
            } else {
                self.meta_info.push((key, value));
            }
        }
    }

    /// The value of one of simpleperf's facts.
    pub fn meta(&self, key: &[u8]) -> Option<&'a [u8]> {
        let mut facts = self.meta_info.iter();
        facts
            .find(|(known, _)| *known == key)
            .map(|(_, value)| *value)
    }

    /// The build id of a file that a process has mapped.
    pub fn build_id_of(&self, pid: i32, file: &[u8]) -> &'a [u8] {
        const ALL: i32 = -1;
        let known = self.build_ids.get(&(pid, file));
        let known = known.or_else(|| self.build_ids.get(&(ALL, file)));
        known.copied().unwrap_or_default()
    }
}
