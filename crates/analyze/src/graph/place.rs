//! Where each box and point stands: rows below each other, and in them the places that Brandes and
//! Köpf's "Fast and Simple Horizontal Coordinate Assignment" (2001) gives.
//!
//! Vertices that are linked from row to row form straight columns, drawn up four times: a vertex
//! joins the middle one of its neighbours above or below, the left or the right takes what both
//! want. Each vertex then stands in the middle of its four places.

use super::layers::Layers;
use super::order::{Links, places_of};
use traceloom_trace::SmallSort;

/// Room between boxes side by side, px.
const GAP_X: f64 = 28.0;

/// Room between rows, px: for arrows and the counts on them.
const GAP_Y: f64 = 50.0;

/// Room beside a point of a long edge, px.
const POINT_GAP: f64 = 14.0;

/// A rectangle by its middle, px.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Spot {
    pub x: f64,
    pub y: f64,
    pub width: f64,
    pub height: f64,
}

impl Spot {
    pub(super) fn top(&self) -> f64 {
        self.y - self.height / 2.0
    }

    pub(super) fn bottom(&self) -> f64 {
        self.y + self.height / 2.0
    }
}

/// The places of all vertices; points are as high as their row, so that edges pass it straight.
/// `sizes` are those of the boxes.
pub(super) fn place(layers: &Layers, sizes: &[(f64, f64)]) -> Vec<Spot> {
    let xs = horizontal(layers, sizes);
    let mut spots = vec![Spot::default(); layers.row_of.len()];
    let mut top = 0.0;
    for row in &layers.rows {
        let size = |vertex: usize| sizes.get(vertex).copied();
        let heights = row.iter().filter_map(|&vertex| size(vertex));
        let highest = heights.map(|(_, height)| height).fold(0.0, f64::max);
        for &vertex in row {
            let (width, height) = size(vertex).unwrap_or((0.0, highest));
            spots[vertex] = Spot {
                x: xs[vertex],
                y: top + highest / 2.0,
                width,
                height,
            };
        }
        top += highest + GAP_Y;
    }
    spots
}

/// The middle of each vertex, px; the smallest may be below 0.
fn horizontal(layers: &Layers, sizes: &[(f64, f64)]) -> Vec<f64> {
    let mut columns = Columns::of(layers, sizes);
    let mut drawn = Vec::with_capacity(4);
    for _ in 0..2 {
        for sign in [1.0, -1.0] {
            let mut xs = columns.drawn();
            xs.iter_mut().for_each(|x| *x *= sign);
            drawn.push(xs);
            columns.mirror();
        }
        columns.turn_over();
    }
    joined(&drawn, sizes)
}

/// The middle of four drawings, after they are moved to the sides of the narrowest: two of them
/// lean left, two right.
fn joined(drawn: &[Vec<f64>], sizes: &[(f64, f64)]) -> Vec<f64> {
    let half = |vertex: usize| sizes.get(vertex).map_or(0.0, |size| size.0 / 2.0);
    let sides: Vec<(f64, f64)> = drawn
        .iter()
        .map(|xs| {
            let all = xs.iter().enumerate();
            all.fold(
                (f64::INFINITY, f64::NEG_INFINITY),
                |(left, right), (v, x)| (left.min(x - half(v)), right.max(x + half(v))),
            )
        })
        .collect();
    let narrowest = |a: &(f64, f64), b: &(f64, f64)| (a.1 - a.0).total_cmp(&(b.1 - b.0));
    let (left, right) = sides.iter().copied().min_by(narrowest).unwrap_or_default();
    let middle = |vertex: usize| {
        let mut four: Vec<f64> = (0..drawn.len())
            .map(|number| match number % 2 {
                0 => drawn[number][vertex] + left - sides[number].0,
                _ => drawn[number][vertex] + right - sides[number].1,
            })
            .collect();
        four.small_sort_by(f64::total_cmp);
        (four[1] + four[2]) / 2.0
    };
    (0..drawn[0].len()).map(middle).collect()
}

/// What a drawing is made from. It may be turned over and mirrored, so that each of the four is
/// drawn as the one that joins upwards and leans left.
struct Columns {
    rows: Vec<Vec<usize>>,
    /// The place of each vertex in its row.
    places: Vec<usize>,
    links: Links,
    /// Links, by their vertices, that must not be straight: those of a box which cross a link
    /// between two points. The smaller vertex first.
    bent: Vec<(usize, usize)>,
    /// Half of each vertex's width with the room beside it.
    reach: Vec<f64>,
}

impl Columns {
    fn of(layers: &Layers, sizes: &[(f64, f64)]) -> Self {
        let reach = |vertex: usize| match sizes.get(vertex) {
            Some((width, _)) => (width + GAP_X) / 2.0,
            None => POINT_GAP / 2.0,
        };
        let mut columns = Self {
            rows: layers.rows.clone(),
            places: places_of(layers),
            links: Links::of(layers),
            bent: Vec::new(),
            reach: (0..layers.row_of.len()).map(reach).collect(),
        };
        columns.links.sort(&columns.places);
        columns.bent = columns.crossed(layers.boxes);
        columns
    }

    /// The links to boxes that cross one between points, sorted.
    fn crossed(&self, boxes: usize) -> Vec<(usize, usize)> {
        let mut crossed = Vec::new();
        for row in &self.rows {
            let below = |&from: &usize| self.links.below[from].iter().map(move |&to| (from, to));
            let all = || row.iter().flat_map(below);
            let is_long = |&(from, to): &(usize, usize)| from >= boxes && to >= boxes;
            let long: Vec<_> = all().filter(is_long).collect();
            let places = &self.places;
            for (from, to) in all().filter(|link| !is_long(link)) {
                let crosses = |&(a, b): &(usize, usize)| {
                    let (top, bottom) = (places[a].cmp(&places[from]), places[b].cmp(&places[to]));
                    top != bottom && top.is_ne() && bottom.is_ne()
                };
                if long.iter().any(crosses) {
                    crossed.push((from.min(to), from.max(to)));
                }
            }
        }
        crossed.small_sort_unstable();
        crossed
    }

    fn turn_over(&mut self) {
        self.rows.reverse();
        std::mem::swap(&mut self.links.above, &mut self.links.below);
    }

    fn mirror(&mut self) {
        for row in &mut self.rows {
            row.reverse();
            for (place, &vertex) in row.iter().enumerate() {
                self.places[vertex] = place;
            }
        }
        self.links.sort(&self.places);
    }

    /// One of the four drawings.
    fn drawn(&self) -> Vec<f64> {
        let heads = self.heads();
        let count = heads.len();
        // What stands right of each column, and how far off at least.
        let mut right: Vec<Vec<(usize, f64)>> = vec![Vec::new(); count];
        let mut waiting = vec![0_usize; count];
        for pair in self.rows.iter().flat_map(|row| row.windows(2)) {
            let apart = self.reach[pair[0]] + self.reach[pair[1]];
            right[heads[pair[0]]].push((heads[pair[1]], apart));
            waiting[heads[pair[1]]] += 1;
        }
        let mut order: Vec<usize> = (0..count)
            .filter(|&v| heads[v] == v && waiting[v] == 0)
            .collect();
        let mut xs = vec![0.0_f64; count];
        let mut done = 0;
        while let Some(&column) = order.get(done) {
            done += 1;
            for &(other, apart) in &right[column] {
                xs[other] = xs[other].max(xs[column] + apart);
                waiting[other] -= 1;
                if waiting[other] == 0 {
                    order.push(other);
                }
            }
        }
        // Columns with room to their right move up to their neighbours.
        for &column in order.iter().rev() {
            let room = right[column]
                .iter()
                .map(|&(other, apart)| xs[other] - apart);
            let limit = room.fold(f64::INFINITY, f64::min);
            if limit.is_finite() {
                xs[column] = limit;
            }
        }
        heads.iter().map(|&head| xs[head]).collect()
    }

    /// The topmost vertex of the column that each vertex is part of.
    fn heads(&self) -> Vec<usize> {
        let mut heads: Vec<usize> = (0..self.places.len()).collect();
        for row in &self.rows {
            // Columns must not cross: only what is right of the last one is free.
            let mut free = 0;
            for &vertex in row {
                let above = &self.links.above[vertex];
                let middles = [above.len().saturating_sub(1) / 2, above.len() / 2];
                let found = middles.into_iter().find_map(|middle| {
                    let &other = above.get(middle)?;
                    let link = (vertex.min(other), vertex.max(other));
                    let straight = self.bent.binary_search(&link).is_err();
                    (straight && self.places[other] >= free).then_some(other)
                });
                if let Some(other) = found {
                    heads[vertex] = heads[other];
                    free = self.places[other] + 1;
                }
            }
        }
        heads
    }
}

#[cfg(test)]
mod tests {
    use super::super::layers::Way;
    use super::*;

    fn way(vertices: &[usize]) -> Way {
        Way {
            edge: 0,
            vertices: vertices.to_vec(),
            is_upward: false,
        }
    }

    /// A box above two, and a long edge past the right one to a box below.
    ///
    /// ```text
    ///       0
    ///      /|\
    ///     1 2 4
    ///       |/
    ///       3
    /// ```
    fn small() -> (Layers, Vec<(f64, f64)>) {
        let layers = Layers {
            boxes: 4,
            row_of: vec![0, 1, 1, 2, 1],
            rows: vec![vec![0], vec![1, 2, 4], vec![3]],
            ways: vec![way(&[0, 1]), way(&[0, 2]), way(&[2, 3]), way(&[0, 4, 3])],
            left_out: 0,
        };
        (layers, vec![(100.0, 40.0); 4])
    }

    #[test]
    fn nothing_overlaps_and_a_parent_stands_over_its_children() {
        let (layers, sizes) = small();
        let spots = place(&layers, &sizes);
        let (left, middle, point) = (spots[1].x, spots[2].x, spots[4].x);
        assert!(middle - left >= 100.0 + GAP_X, "{spots:?}");
        assert!(
            point - middle >= 50.0 + (GAP_X + POINT_GAP) / 2.0,
            "{spots:?}"
        );
        assert!(left < spots[0].x && spots[0].x < point, "{spots:?}");
        assert_eq!((spots[1].y, spots[4].y), (110.0, 110.0));
        assert_eq!((spots[4].width, spots[4].height), (0.0, 40.0));
    }

    #[test]
    fn a_chain_stands_straight() {
        let layers = Layers {
            boxes: 2,
            row_of: vec![0, 3, 1, 2],
            rows: vec![vec![0], vec![2], vec![3], vec![1]],
            ways: vec![way(&[0, 2, 3, 1])],
            left_out: 0,
        };
        let spots = place(&layers, &[(100.0, 40.0), (30.0, 20.0)]);
        assert!(spots.iter().all(|spot| spot.x == spots[0].x), "{spots:?}");
    }
}
