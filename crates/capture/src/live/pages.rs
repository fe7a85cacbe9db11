//! Pages of the kernel's ring buffers in memory: those of the last seconds, or as many as fit.

use std::collections::VecDeque;
use std::sync::Arc;

use traceloom_formats::PageEvents;

/// The used part of a page.
#[derive(Debug)]
pub(super) struct Page {
    /// The time of its first record, ns.
    pub begin_ns: i64,
    /// Its bytes. The kernel's page is longer.
    pub bytes: Box<[u8]>,
}

impl Page {
    pub fn new(page: &[u8], events: &PageEvents) -> Self {
        Self {
            begin_ns: events.begin(page),
            bytes: page[..events.used(page)].into(),
        }
    }
}

/// The pages of each CPU, in order of time.
#[derive(Clone, Default, Debug)]
pub(super) struct Pages {
    cpus: Vec<VecDeque<Arc<Page>>>,
    bytes: usize,
}

impl Pages {
    pub fn push(&mut self, cpu: usize, page: Arc<Page>) {
        if cpu >= self.cpus.len() {
            self.cpus.resize_with(cpu + 1, VecDeque::new);
        }
        self.bytes += page.bytes.len();
        self.cpus[cpu].push_back(page);
    }

    /// The earliest and the latest time at which a page begins.
    pub fn times(&self) -> Option<(i64, i64)> {
        let ends = self.cpus.iter().filter_map(|pages| {
            let (first, last) = (pages.front()?, pages.back()?);
            Some((first.begin_ns, last.begin_ns))
        });
        ends.reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)))
    }

    /// Drops pages whose events are all before `oldest_ns`.
    pub fn drop_before(&mut self, oldest_ns: i64) {
        for pages in &mut self.cpus {
            // The events of a page end before the next page begins.
            while pages.get(1).is_some_and(|next| next.begin_ns < oldest_ns) {
                let dropped = pages.pop_front();
                self.bytes -= dropped.map_or(0, |page| page.bytes.len());
            }
        }
    }

    /// Drops the oldest pages until at most `most` bytes are left.
    pub fn drop_to(&mut self, most: usize) {
        while self.bytes > most {
            let oldest = |pages: &&mut VecDeque<Arc<Page>>| {
                pages.front().map_or(i64::MAX, |page| page.begin_ns)
            };
            let Some(pages) = self.cpus.iter_mut().min_by_key(oldest) else {
                return;
            };
            let dropped = pages.pop_front();
            self.bytes -= dropped.map_or(0, |page| page.bytes.len());
        }
    }

    /// The pages of each of `cpus` CPUs, in whole pages, without events before `oldest_ns`.
    pub fn whole(&self, cpus: usize, oldest_ns: i64, events: &PageEvents) -> Vec<Vec<u8>> {
        let cpu = |cpu: usize| {
            let mut bytes = Vec::new();
            for page in self.cpus.get(cpu).into_iter().flatten() {
                append(&mut bytes, page, oldest_ns, events);
            }
            bytes
        };
        (0..cpus).map(cpu).collect()
    }

    /// The time of the last event, ns. Only the last page of each CPU can have it.
    pub fn newest_ns(&self, events: &PageEvents) -> Option<i64> {
        let last = self.cpus.iter().filter_map(VecDeque::back);
        last.filter_map(|page| events.count(&page.bytes).1).max()
    }
}

fn append(to: &mut Vec<u8>, page: &Page, oldest_ns: i64, events: &PageEvents) {
    if page.begin_ns < oldest_ns {
        to.extend(events.since(&page.bytes, oldest_ns).unwrap_or_default());
        return;
    }
    let end = to.len() + events.page_bytes();
    to.extend_from_slice(&page.bytes);
    to.resize(end, 0);
}
