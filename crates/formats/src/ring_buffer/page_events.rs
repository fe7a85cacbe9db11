//! Reads single pages while they are recorded, without tables.

use super::decode::{Kind, printed};
use super::formats::RawFormats;
use super::layout::PageLayout;
use super::pages::CpuPages;
use crate::ftrace::FtraceLine;

/// Bits 0-26 of a record's first word are the time since the previous one (little-endian: bits 5-31).
const TIME_BITS: u32 = 27;

/// The events of single pages, for a recorder that examines them while it records.
#[derive(Debug)]
pub struct PageEvents {
    formats: RawFormats,
}

impl PageEvents {
    pub(crate) fn new(formats: RawFormats) -> Self {
        Self { formats }
    }

    /// The size of a whole page, bytes.
    pub fn page_bytes(&self) -> usize {
        self.layout().page_bytes
    }

    /// The time of a page's first record, in units of the trace clock (ns for all but processor clocks).
    pub fn begin(&self, page: &[u8]) -> i64 {
        let ts = self.layout().order.u64(page, 0);
        i64::try_from(ts.unwrap_or(0)).unwrap_or(i64::MAX)
    }

    /// The number of bytes of a page that are in use.
    pub fn used(&self, page: &[u8]) -> usize {
        // The number of lost events may follow the records.
        let used = self.layout().data_at + self.commit(page) + self.layout().long_bytes;
        page.len().min(used)
    }

    /// The number of events in a page, and the time of the last one.
    pub fn count(&self, page: &[u8]) -> (u64, Option<i64>) {
        let events = CpuPages::new(page, self.layout());
        events.fold((0, None), |(count, _), event| {
            (count + 1, i64::try_from(event.ts).ok())
        })
    }

    /// Passes each event to `take`: the payload of a program's mark is its text, that of others is
    /// empty.
    pub fn each(&self, page: &[u8], mut take: impl FnMut(FtraceLine<'_>)) {
        let order = self.layout().order;
        for raw in CpuPages::new(page, self.layout()) {
            let (Some(id), Some(tid)) = (order.u16(raw.data, 0), order.u32(raw.data, 4)) else {
                continue;
            };
            let Some(event) = self.formats.event(id) else {
                continue;
            };
            let payload = match &event.kind {
                Kind::Print([_, buf]) => printed(buf, raw.data).unwrap_or_default(),
                _ => &[],
            };
            take(FtraceLine {
                tid: tid as i32,
                ts_ns: i64::try_from(raw.ts).unwrap_or(i64::MAX),
                event: event.format.name.as_bytes(),
                payload: payload.trim_ascii(),
            });
        }
    }

    /// The page without its events before `oldest`; `None` if there are no others. The result is a
    /// complete page.
    pub fn since(&self, page: &[u8], oldest: i64) -> Option<Vec<u8>> {
        let layout = self.layout();
        let oldest = u64::try_from(oldest).unwrap_or(0);
        let first = CpuPages::new(page, layout).find(|event| event.ts >= oldest)?;
        let end = page.len().min(layout.data_at + self.commit(page));
        let records = page.get(first.offset as usize..end)?;
        let mut cut = vec![0; layout.page_bytes];
        cut[layout.data_at..][..records.len()].copy_from_slice(records);
        put(&mut cut[..8], first.ts, layout);
        let commit = &mut cut[layout.commit_at..][..layout.long_bytes];
        put(commit, records.len() as u64, layout);
        // The first record is at the page's own time.
        let word = layout.order.u32(records, 0)?;
        let word = if layout.order.big_endian {
            word >> TIME_BITS << TIME_BITS
        } else {
            word & 31
        };
        put(&mut cut[layout.data_at..][..4], word.into(), layout);
        Some(cut)
    }

    fn commit(&self, page: &[u8]) -> usize {
        let layout = self.layout();
        let commit = layout.order.uint(page, layout.commit_at, layout.long_bytes);
        (commit.unwrap_or(0) & ((1 << TIME_BITS) - 1)) as usize
    }

    fn layout(&self) -> PageLayout {
        self.formats.layout()
    }
}

/// Writes a number in the order of the machine.
fn put(to: &mut [u8], value: u64, layout: PageLayout) {
    let little = value.to_le_bytes();
    for (at, byte) in to.iter_mut().rev().enumerate().take(little.len()) {
        *byte = little[at];
    }
    if !layout.order.big_endian {
        to.reverse();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bytes::ByteOrder;

    /// A page of 128 bytes that begins at 1000. It has three events: one at 1005, one after an extended time, and one
    /// after an absolute time.
    fn page(order: ByteOrder) -> Vec<u8> {
        let pack = |kind: u32, time: u32| {
            if order.big_endian {
                kind << TIME_BITS | time
            } else {
                time << 5 | kind
            }
        };
        let words = [
            pack(1, 5),
            1,
            pack(30, 1),
            2,
            pack(1, 7),
            2,
            pack(31, 9),
            9,
            pack(1, 0),
            3,
        ];
        let mut page = vec![0; 128];
        let layout = PageLayout::usual(order, 8, 128);
        put(&mut page[..8], 1000, layout);
        put(&mut page[8..16], words.len() as u64 * 4, layout);
        for (word, bytes) in words.iter().zip(page[16..].chunks_mut(4)) {
            put(bytes, (*word).into(), layout);
        }
        page
    }

    fn events(page: &[u8], layout: PageLayout) -> Vec<(u64, Vec<u8>)> {
        let events = CpuPages::new(page, layout);
        events
            .map(|event| (event.ts, event.data.to_vec()))
            .collect()
    }

    #[test]
    fn a_page_is_cut_at_any_time() {
        for big_endian in [false, true] {
            let order = ByteOrder { big_endian };
            let layout = PageLayout::usual(order, 8, 128);
            let (page, watch) = (page(order), PageEvents::new(RawFormats::new(layout)));
            let all = events(&page, layout);
            assert_eq!(
                (all.len(), watch.begin(&page), watch.used(&page)),
                (3, 1000, 64)
            );
            for oldest in all.iter().flat_map(|(ts, _)| [ts - 1, *ts, ts + 1]) {
                let left = all.iter().filter(|(ts, _)| *ts >= oldest).cloned();
                let left: Vec<_> = left.collect();
                let cut = watch.since(&page, oldest as i64);
                let cut = cut.map_or(Vec::new(), |cut| events(&cut, layout));
                assert_eq!(cut, left, "since {oldest}");
            }
            let last = all.last().map(|(ts, _)| *ts as i64);
            assert_eq!(watch.count(&page), (3, last));
        }
    }
}
