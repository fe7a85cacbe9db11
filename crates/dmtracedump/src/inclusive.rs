//! The second section: methods by inclusive time, each with its callers and callees.

use std::io::{self, Write};
use std::ops::Range;
use std::sync::mpsc;

use super::buffer::Buffer;
use super::exclusive;
use super::labels::Labels;
use super::methods::MethodIndex;
use super::out::{Cell, Out};
use super::page;
use super::profile::Profile;
use super::relatives::{Relative, Side, WORTH_A_THREAD};

/// Stands between plain and recursive relatives.
const RECURSIVE_RULE: &str = "               +++++++++++++++++++++++++\n";

/// Prints the section and leaves `order` sorted by inclusive time.
pub(super) fn section<W: Write>(
    profile: &Profile<'_>,
    labels: &Labels,
    ranks: &[u32],
    order: &mut [MethodIndex],
    html: bool,
    out: &mut Out<W>,
) -> io::Result<()> {
    profile.sort_by_rank(order, ranks);
    page::section_start("inclusive", html, out);
    page::rows_start(
        "\nInclusive elapsed times for each method and its parents and children,\n\
         sorted by inclusive time.\n\n",
        "index  %/total %/self  index     calls         usecs name\n",
        html,
        out,
    );
    let idle = |&m: &MethodIndex| profile.totals(m).inclusive == 0;
    let end = order.iter().position(idle).unwrap_or(order.len());
    let section = Section {
        cells: Cells::new(profile, ranks, html),
        order: &order[..end],
        profile,
        labels,
        ranks,
        html,
    };
    section.print(out)?;
    page::rows_end(html, out)
}

/// The parts of a relative's row that are the same wherever the method shows up.
struct Cells {
    text: Buffer,
    ends: Vec<usize>,
}

impl Cells {
    /// For each method: its `[rank]` cell, then ` calls` as the denominator of a callee's row.
    fn new(profile: &Profile<'_>, ranks: &[u32], html: bool) -> Self {
        let mut ends = Vec::with_capacity(ranks.len() * 2);
        let mut cells = Out::new(io::sink());
        for (method, &rank) in ranks.iter().enumerate() {
            let digits = Cell::unsigned(u64::from(rank)).bytes().len();
            cells.text(&b"      "[(digits + 2).min(6)..]);
            exclusive::link(rank, html, &mut cells);
            cells.text(" ");
            ends.push(cells.buffer().len());
            let calls = profile.totals[method].all_calls();
            cells.text("/").left_signed::<6>(calls).text(" ");
            ends.push(cells.buffer().len());
        }
        let text = cells.into_buffer();
        Cells { text, ends }
    }

    #[inline]
    fn part(&self, part: usize) -> Range<usize> {
        let start = if part == 0 { 0 } else { self.ends[part - 1] };
        start..self.ends[part]
    }

    #[inline]
    fn link(&self, method: MethodIndex, to: &mut Buffer) {
        to.part::<16>(&self.text, self.part(method as usize * 2));
    }

    #[inline]
    fn of_calls(&self, method: MethodIndex, to: &mut Buffer) {
        to.part::<16>(&self.text, self.part(method as usize * 2 + 1));
    }
}

struct Section<'s, 'a> {
    profile: &'s Profile<'a>,
    /// The methods to print.
    order: &'s [MethodIndex],
    labels: &'s Labels,
    ranks: &'s [u32],
    cells: Cells,
    html: bool,
}

/// Rows that one thread puts together at a time, or a single method's if those are more.
const BATCH_ROWS: usize = 1 << 13;

/// Bytes such a batch may take; where names are so long that it could be more, one thread prints
/// row by row.
const BATCH_BYTES: usize = 32 << 20;

/// Bytes of a row beside the name, HTML included, at most.
const NUMBERS_LEN: usize = 200;

impl Section<'_, '_> {
    /// Prints all methods; where they are many, in batches that several threads put together.
    ///
    /// ```text
    /// batches   0 1 2 3 4 5 …
    /// lane A    0   2   4          each lane keeps one batch ready and works on the next;
    /// lane B      1   3   5        they are written in turn
    /// ```
    fn print<W: Write>(&self, out: &mut Out<W>) -> io::Result<()> {
        let (batches, most_rows) = self.batches();
        let row = self.labels.longest() + NUMBERS_LEN;
        let too_big = most_rows.saturating_mul(row) > BATCH_BYTES;
        // Asking for the number of cores reads files of the kernel: not for a small trace.
        let lanes = if too_big || batches.len() < WORTH_A_THREAD / BATCH_ROWS {
            1
        } else {
            std::thread::available_parallelism().map_or(1, |n| n.get().min(8))
        };
        if lanes == 1 {
            return self.run(0..self.order.len(), out);
        }
        std::thread::scope(|scope| {
            let start_lane = |lane: usize| {
                let (ready, taken) = mpsc::sync_channel(1);
                let own = batches.iter().skip(lane).step_by(lanes).cloned();
                scope.spawn(move || self.lane(own, &ready));
                taken
            };
            let lanes: Vec<mpsc::Receiver<Vec<u8>>> = (0..lanes).map(start_lane).collect();
            let turns = lanes.iter().cycle().take(batches.len());
            // A lane that is gone has panicked, which the scope passes on.
            let texts = turns.map_while(|lane| lane.recv().ok());
            for text in texts {
                out.block(&text)?;
            }
            Ok(())
        })
    }

    /// Places in the order, cut where enough rows have come together, and the most rows in one.
    fn batches(&self) -> (Vec<Range<usize>>, usize) {
        let mut batches = Vec::new();
        let (mut start, mut rows, mut most) = (0, 0, 0);
        for (place, &method) in self.order.iter().enumerate() {
            for recursive in [false, true] {
                rows += self.profile.callers.of(method, recursive).len();
                rows += self.profile.callees.of(method, recursive).len();
            }
            most = most.max(rows);
            if rows >= BATCH_ROWS || place + 1 == self.order.len() {
                batches.push(start..place + 1);
                (start, rows) = (place + 1, 0);
            }
        }
        (batches, most)
    }

    /// Puts batches together until all are done or nobody takes them any more.
    fn lane(
        &self,
        mut batches: impl Iterator<Item = Range<usize>>,
        ready: &mpsc::SyncSender<Vec<u8>>,
    ) {
        let _ = batches.try_for_each(|batch| {
            let mut out = Out::new(Vec::new());
            let text = self.run(batch, &mut out).and_then(|()| out.finish());
            // Writing to memory does not fail.
            text.is_ok_and(|text| ready.send(text).is_ok())
                .then_some(())
        });
    }

    fn run<W: Write>(&self, places: Range<usize>, out: &mut Out<W>) -> io::Result<()> {
        let mut scratch = Vec::new();
        for place in places {
            self.method(place, &mut scratch, out)?;
        }
        Ok(())
    }

    fn method<W: Write>(
        &self,
        place: usize,
        scratch: &mut Vec<Relative>,
        out: &mut Out<W>,
    ) -> io::Result<()> {
        let method = self.order[place];
        if self.html {
            // Of methods that tie in everything, rank and place may differ.
            let rank = u64::from(self.ranks[method as usize]);
            out.text("<a name=\"m").number(rank).text("\"></a>");
        }
        out.text("----------------------------------------------------\n");
        self.relatives(method, Side::Callers, scratch, out)?;
        self.itself(place as u64, method, out);
        self.relatives(method, Side::Callees, scratch, out)
    }

    fn itself<W: Write>(&self, place: u64, method: MethodIndex, out: &mut Out<W>) {
        let totals = self.profile.totals(method);
        let inclusive = totals.inclusive as f64;
        let rank = Cell::unsigned(place);
        out.text("[").text(rank.bytes()).text("]");
        out.text(&b"      "[(rank.bytes().len() + 2).min(6)..])
            .text(" ");
        let share = 100.0 * inclusive / self.profile.total as f64;
        out.right_tenths::<5>(share);
        out.text("%                ");
        out.right_signed::<6>(totals.calls[0]).text("+");
        out.left_signed::<6>(totals.calls[1]).text(" ");
        out.right_number::<9>(totals.inclusive).text(" ");
        self.labels.put(method, out.buffer());
        out.text("               ");
        let own = 100.0 * totals.top_exclusive() as f64 / inclusive;
        out.right_tenths::<5>(own);
        out.text("%   excl               ");
        out.right_number::<9>(totals.top_exclusive()).text("\n");
    }

    fn relatives<W: Write>(
        &self,
        method: MethodIndex,
        side: Side,
        scratch: &mut Vec<Relative>,
        out: &mut Out<W>,
    ) -> io::Result<()> {
        let totals = self.profile.totals(method);
        let (relatives, whose_calls) = match side {
            Side::Callers => {
                let has_calls = totals.all_calls() != 0;
                (&self.profile.callers, has_calls.then_some(method))
            }
            Side::Callees => (&self.profile.callees, None),
        };
        let methods = &self.profile.methods;
        for recursive in [false, true] {
            let group = relatives.of(method, recursive);
            if group.is_empty() {
                continue;
            }
            scratch.clear();
            scratch.extend_from_slice(group);
            if recursive {
                out.text(RECURSIVE_RULE);
            }
            methods.order().sort_relatives(methods.list(), scratch);
            let rows = Rows {
                whole: (!recursive).then_some(totals.inclusive as f64),
                whose_calls,
                labels: self.labels,
                cells: &self.cells,
            };
            rows.print(scratch, out)?;
        }
        Ok(())
    }
}

/// A run of relatives' rows.
struct Rows<'r> {
    /// What percentages are of, µs; none for recursive calls.
    whole: Option<f64>,
    /// The calls that a row's calls are part of, if not the relative's own.
    whose_calls: Option<MethodIndex>,
    labels: &'r Labels,
    cells: &'r Cells,
}

impl Rows<'_> {
    fn print<W: Write>(&self, group: &[Relative], out: &mut Out<W>) -> io::Result<()> {
        for relative in group {
            let inclusive = relative.inclusive;
            match self.whole {
                Some(whole) => {
                    out.text("               ");
                    let share = 100.0 * inclusive as f64 / whole;
                    out.right_tenths::<5>(share).text("% ");
                }
                None => {
                    out.text("                      ");
                }
            }
            self.cells.link(relative.method, out.buffer());
            out.right_signed::<6>(relative.calls as i32);
            let whose = self.whose_calls.unwrap_or(relative.method);
            self.cells.of_calls(whose, out.buffer());
            out.right_number::<9>(inclusive).text(" ");
            self.labels.put(relative.method, out.buffer());
            out.row()?;
        }
        Ok(())
    }
}
