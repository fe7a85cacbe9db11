//! Downsampling to pixels: the cost of a window depends on its pixels, not on the size of the
//! trace.

/// Spans of time, in order of their starts.
pub trait Spans {
    /// The number of spans.
    fn count(&self) -> usize;
    /// The start of a span, ns.
    fn start(&self, at: usize) -> i64;
    /// The end of a span, ns; not before its start.
    fn end(&self, at: usize) -> i64;
    /// If spans overlap, the latest end of all spans up to this one; `None` if each span ends
    /// before the next one starts.
    fn reach(&self, at: usize) -> Option<i64> {
        _ = at;
        None
    }
}

/// A window of time, and the duration of a pixel.
///
/// ```text
/// from |0    |1    |2    |3    |  pixels
///      aaaaaaabc d  eeeeeeee      b, c, d reach no pixel that a has not reached: a and e are shown
/// ```
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Window {
    /// Its start, ns.
    pub from_ns: i64,
    /// Its end, ns. A span that starts here is outside.
    pub to_ns: i64,
    /// The duration of a pixel, ns; 0 shows everything.
    pub px_ns: f64,
}

impl Window {
    fn since(&self, ts: i64) -> f64 {
        match ts.checked_sub(self.from_ns) {
            Some(since) => since as f64,
            // The distance exceeds 292 years.
            None if ts < self.from_ns => -(ts.abs_diff(self.from_ns) as f64),
            None => ts.abs_diff(self.from_ns) as f64,
        }
    }

    /// The pixel of a point in time.
    pub fn pixel(&self, ts: i64) -> f64 {
        (self.since(ts) / self.px_ns).floor()
    }

    /// The last pixel that a span reaches. A span without duration reaches the pixel that contains
    /// it.
    pub fn last_pixel(&self, start: i64, end: i64) -> f64 {
        if end > start {
            (self.since(end) / self.px_ns).ceil() - 1.0
        } else {
            self.pixel(start)
        }
    }

    /// The last pixel of the window. Spans are not followed beyond it.
    pub fn edge(&self) -> f64 {
        self.pixel(self.to_ns.saturating_sub(1).max(self.from_ns))
    }

    /// Whether a span overlaps the window. A span without duration does if it lies inside.
    pub fn shows(&self, start: i64, end: i64) -> bool {
        start < self.to_ns && (end > self.from_ns || start >= self.from_ns)
    }

    /// Calls `show` for each span that reaches a pixel that no earlier span reached. The flag tells
    /// whether the span represents several spans in its only pixel. Stops if `show` returns
    /// `false`.
    pub fn downsample(&self, spans: &dyn Spans, show: &mut dyn FnMut(usize, bool)) {
        if self.px_ns > 0.0 {
            let (mut covered, edge) = (-1.0f64, self.edge());
            let mut at = self.next(spans, 0, covered);
            while at < spans.count() && spans.start(at) < self.to_ns && covered < edge {
                let (start, end) = (spans.start(at), spans.end(at));
                let last = self.last_pixel(start, end);
                covered = last.max(covered);
                let next = self.next(spans, at + 1, covered);
                let others = next > at + 1 && spans.start(at + 1) < self.to_ns;
                show(at, others && self.pixel(start) == last);
                at = next;
            }
        } else {
            self.all(spans, show);
        }
    }

    fn all(&self, spans: &dyn Spans, show: &mut dyn FnMut(usize, bool)) {
        let unit = Self {
            px_ns: 1.0,
            ..*self
        };
        let mut at = unit.next(spans, 0, -1.0);
        while at < spans.count() && spans.start(at) < self.to_ns {
            if self.shows(spans.start(at), spans.end(at)) {
                show(at, false);
            }
            at += 1;
        }
    }

    /// The first span from `at` on that reaches beyond pixel `covered`. The search doubles its
    /// steps, because the span is usually near.
    ///
    /// If spans do not overlap, it is the last span that starts at or before that pixel, or the one
    /// after it, because each span before it ends before the next one starts.
    pub fn next(&self, spans: &dyn Spans, at: usize, covered: f64) -> usize {
        let beyond = |at: usize| match spans.reach(at) {
            Some(reach) if self.last_pixel(i64::MIN, reach) > covered => true,
            _ => self.pixel(spans.start(at)) > covered,
        };
        let (mut low, mut step) = (at, 1);
        let mut high = at;
        while high < spans.count() && !beyond(high) {
            low = high + 1;
            high += step;
            step *= 2;
        }
        high = high.min(spans.count());
        while low < high {
            let middle = low + (high - low) / 2;
            if beyond(middle) {
                high = middle
            } else {
                low = middle + 1
            }
        }
        if low > at && spans.reach(low - 1).is_none() {
            let before = low - 1;
            if self.last_pixel(spans.start(before), spans.end(before)) > covered {
                return before;
            }
        }
        low
    }
}

/// Like [`Window::downsample`], but quiet states do not hide others: a thread that wakes up for
/// less than a pixel between two sleeps stays visible.
///
/// ```text
/// states  sssssssssRsssssss|ssssRRRRR      s: quiet
/// pixels  |0    |1    |2   |3    |4        shown: s to 1, R in 1, s to 3, R
/// ```
pub(super) fn downsample_states(
    spans: &dyn Spans,
    window: &Window,
    is_quiet: &dyn Fn(usize) -> bool,
    show: &mut dyn FnMut(usize),
) {
    if window.px_ns <= 0.0 {
        return window.downsample(spans, &mut |at, _| show(at));
    }
    let (mut awake, mut any, edge) = (-1.0f64, -1.0f64, window.edge());
    let mut at = window.next(spans, 0, awake);
    while at < spans.count() && spans.start(at) < window.to_ns && awake < edge {
        let last = window.last_pixel(spans.start(at), spans.end(at)).min(edge);
        let quiet = is_quiet(at);
        if last > if quiet { any } else { awake } {
            show(at);
        }
        any = any.max(last);
        if !quiet {
            awake = awake.max(last);
        }
        at = window.next(spans, at + 1, awake);
    }
}

/// Rows without a duration.
pub(super) struct Moments<'t> {
    pub rows: &'t [u32],
    pub ts: &'t dyn Fn(usize) -> i64,
}

impl Spans for Moments<'_> {
    fn count(&self) -> usize {
        self.rows.len()
    }

    fn start(&self, at: usize) -> i64 {
        (self.ts)(self.rows[at] as usize)
    }

    fn end(&self, at: usize) -> i64 {
        self.start(at)
    }
}
