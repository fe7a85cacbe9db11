//! Puts the pieces of an archive with a manifest on one time line.
//!
//! Each machine has its own clocks. They are connected by simultaneous readings in the files and by the manifest;
//! then, if a file would stay unconnected, by the wall time; and finally by the same clock of another machine.

use traceloom_trace::{ClockKind, ClockRow};

use super::graph::{Graph, Node};
use super::manifest::{Clock, Manifest, Relation, TimeLine};
use super::pieces::Piece;

const REALTIME: Clock = 1;

/// The clock of the archive itself, if no file has one.
const NO_FILE: usize = usize::MAX;

/// The files of an archive, and the machines in them.
pub(super) struct Places<'a> {
    pub manifest: &'a Manifest,
    pub pieces: &'a [Piece],
    /// The names of the files.
    pub files: &'a [String],
    /// Formats whose times are those of `CLOCK_MONOTONIC`, unless they name another clock.
    pub monotonic: &'a [&'a str],
}

/// What is known about the clocks of a piece.
struct KnownClocks {
    /// The clock of its times; `None` for a clock of the file alone.
    own: Option<Clock>,
    /// Distances of other clocks from its times.
    others: Vec<(Clock, i128)>,
    is_perfetto: bool,
    /// Whether its clocks may differ from those that the first file of the machine saw.
    is_apart: bool,
}

impl Places<'_> {
    /// The distance of each piece's times from the time line, ns; `None` if nothing connects them.
    pub fn shifts(&self) -> Vec<Option<i64>> {
        let mut order: Vec<usize> = (0..self.pieces.len()).collect();
        order.sort_by_key(|at| {
            (
                !self.is_perfetto(*at),
                &self.files[self.pieces[*at].file],
                *at,
            )
        });
        let mut known: Vec<KnownClocks> = (0..self.pieces.len())
            .map(|at| self.known_clocks(at))
            .collect();
        let mut seen = Vec::new();
        for at in &order {
            let machine = self.pieces[*at].machine;
            let is_first = !seen.contains(&machine);
            seen.push(machine);
            let has_clocks = !known[*at].others.is_empty()
                || (known[*at].is_perfetto && known[*at].own.is_some());
            known[*at].is_apart = !is_first && has_clocks;
        }
        let line = self.line(&order, &known);
        let mut graph = Graph::default();
        for file in &self.manifest.files {
            if let Some(relation) = &file.clocks {
                self.relate(&file.path, relation, &mut graph);
            }
        }
        for at in &order {
            self.add(*at, &known[*at], line, &mut graph);
        }
        let mut shifts = vec![None; self.pieces.len()];
        for at in order {
            self.bridge(at, &known[at], line, &mut graph);
            let distance = graph.distance(Node::Rows(at), line);
            shifts[at] = distance.and_then(|distance| i64::try_from(distance).ok());
        }
        shifts
    }

    fn is_perfetto(&self, at: usize) -> bool {
        self.pieces[at].clocks.is_some()
    }

    fn known_clocks(&self, at: usize) -> KnownClocks {
        let piece = &self.pieces[at];
        let is_perfetto = self.is_perfetto(at);
        let (own, rows) = match &piece.clocks {
            Some(clocks) => (clocks.own.and_then(number), clocks.rows.as_slice()),
            None => (None, piece.trace.clocks.as_slice()),
        };
        let mut others = Vec::new();
        for kind in [ClockKind::Boot, ClockKind::Monotonic, ClockKind::Realtime] {
            let rows = rows.iter().filter(|row| row.clock == kind);
            if let (Some(row), Some(clock)) =
                (rows.min_by_key(|row| row.precision_ns), number(kind))
            {
                others.push((clock, distance(row)));
            }
        }
        let is_pinned = self
            .relation(piece.file)
            .is_some_and(|clocks| clocks.clock.is_none());
        let own = match others.first() {
            _ if is_pinned => None,
            _ if own.is_some() => own,
            Some((clock, _)) if !is_perfetto => Some(*clock),
            _ if !is_perfetto && self.is_monotonic(at) => number(ClockKind::Monotonic),
            _ => None,
        };
        KnownClocks {
            own,
            others,
            is_perfetto,
            is_apart: false,
        }
    }

    fn is_monotonic(&self, at: usize) -> bool {
        let trace = &self.pieces[at].trace;
        let mut formats = trace.sources.format.iter();
        formats.all(|format| self.monotonic.contains(&trace.strings.get(format)))
    }

    fn relation(&self, file: usize) -> Option<&Relation> {
        self.manifest.file(&self.files[file])?.clocks.as_ref()
    }

    /// The clock of the time line: that of the manifest, otherwise that of the first file that has one.
    fn line(&self, order: &[usize], known: &[KnownClocks]) -> Node {
        if let Some(TimeLine {
            clock,
            file,
            machine,
        }) = &self.manifest.trace_time
        {
            let owner = file.as_ref();
            let owner = owner.and_then(|file| self.owner(file, machine.as_deref()));
            return Node::Machine(owner.unwrap_or(0), *clock);
        }
        let claim = |at: &usize| match known[*at].own {
            Some(clock) => Some(Node::Machine(self.pieces[*at].machine, clock)),
            None if known[*at].is_perfetto => None,
            None => Some(Node::File(self.pieces[*at].file)),
        };
        order.iter().find_map(claim).unwrap_or(Node::File(NO_FILE))
    }

    /// The machine of a file, or the file's machine with this name.
    fn owner(&self, path: &str, name: Option<&str>) -> Option<usize> {
        let names = self.manifest.machines();
        let file = self.manifest.file(path)?;
        let name = name.or(file.machine.as_deref());
        let of_file = |piece: &&Piece| self.files[piece.file] == path;
        let Some(name) = name else {
            return self.pieces.iter().find(of_file).map(|piece| piece.machine);
        };
        let place = names.iter().position(|known| *known == name)?;
        // The machine that recorded comes before those with names, if a file has it.
        let has_recorder = self.pieces.iter().any(|piece| !self.has_name(piece));
        Some(place + usize::from(has_recorder))
    }

    /// Whether the manifest names the machine of a piece.
    fn has_name(&self, piece: &Piece) -> bool {
        let file = self.manifest.file(&self.files[piece.file]);
        file.is_some_and(|file| {
            let is_main = |(id, _): &(u32, String)| *id == 0;
            file.machine.is_some() || piece.is_further || file.machines.iter().any(is_main)
        })
    }

    /// A clock of a file, or its own time line.
    fn reference(&self, path: &str, machine: Option<&str>, clock: Option<Clock>) -> Option<Node> {
        match clock {
            Some(clock) => Some(Node::Machine(self.owner(path, machine)?, clock)),
            None => Some(Node::File(self.files.iter().position(|file| file == path)?)),
        }
    }

    fn relate(&self, path: &str, relation: &Relation, graph: &mut Graph) {
        let from = self.reference(path, relation.machine.as_deref(), relation.clock);
        let machine = relation.to_machine.as_deref();
        let to = self.reference(&relation.to_file, machine, relation.to_clock);
        if let (Some(from), Some(to)) = (from, to) {
            graph.relate(from, to, relation.offset_ns.into());
        }
    }

    /// A clock as a piece sees it.
    fn seen(&self, at: usize, known: &KnownClocks, clock: Clock) -> Node {
        if known.is_apart {
            Node::Piece(at, clock)
        } else {
            Node::Machine(self.pieces[at].machine, clock)
        }
    }

    /// Adds the clocks of a piece to the graph.
    fn add(&self, at: usize, known: &KnownClocks, line: Node, graph: &mut Graph) {
        let piece = &self.pieces[at];
        let rows = Node::Rows(at);
        let has = |clock| known.others.iter().any(|(other, _)| *other == clock);
        match known.own {
            Some(clock) if !has(clock) && (!piece.is_further || known.others.is_empty()) => {
                graph.relate(rows, self.seen(at, known, clock), 0);
            }
            Some(_) => {}
            None => graph.relate(rows, Node::File(piece.file), 0),
        }
        for (clock, distance) in &known.others {
            graph.relate(rows, self.seen(at, known, *clock), *distance);
        }
        let is_elsewhere = !matches!(line, Node::Machine(machine, _) if machine == piece.machine);
        if known.is_apart && is_elsewhere && has(REALTIME) {
            let wall = Node::Machine(piece.machine, REALTIME);
            graph.relate(self.seen(at, known, REALTIME), wall, 0);
        }
        let is_synced = piece.clocks.as_ref().is_some_and(|clocks| clocks.is_synced);
        if piece.is_further && is_synced {
            let of_file = |other: &Piece| other.file == piece.file && !other.is_further;
            if let Some(first) = self.pieces.iter().position(of_file) {
                graph.relate(rows, Node::Rows(first), 0);
            }
        }
    }

    /// Connects a piece that is still unconnected.
    fn bridge(&self, at: usize, known: &KnownClocks, line: Node, graph: &mut Graph) {
        let piece = &self.pieces[at];
        let own = match known.own {
            Some(clock) => Node::Machine(piece.machine, clock),
            None => Node::File(piece.file),
        };
        let seen = known.own.map(|clock| self.seen(at, known, clock));
        if let Some(seen) = seen.filter(|seen| *seen != own && !graph.connects(*seen, own)) {
            graph.relate(seen, own, 0);
        }
        if own == line || graph.connects(own, line) {
            return;
        }
        let wall = Node::Machine(piece.machine, REALTIME);
        if let Node::Machine(machine, _) = line {
            let far = Node::Machine(machine, REALTIME);
            if wall != far && graph.connects(own, wall) && graph.connects(far, line) {
                graph.relate(wall, far, 0);
                return;
            }
        }
        let is_same = match (own, line) {
            (Node::Machine(_, own), Node::Machine(_, line)) => own == line,
            _ => true,
        };
        if is_same {
            graph.relate(own, line, 0);
        }
    }
}

/// The number of a clock in Perfetto.
fn number(kind: ClockKind) -> Option<Clock> {
    match kind {
        ClockKind::Realtime => Some(REALTIME),
        ClockKind::Monotonic => Some(3),
        ClockKind::Boot => Some(6),
        _ => None,
    }
}

/// The value of a clock when the piece's times are 0.
fn distance(row: &ClockRow) -> i128 {
    i128::from(row.value_ns) - i128::from(row.ts)
}
