//! Coordinates of boxes and points. Rows are placed below each other. Within rows, places come from Brandes and Köpf,
//! "Fast and Simple Horizontal Coordinate Assignment" (2001).
//!
//! Vertices that are linked from row to row form straight columns. There are four drawings: a vertex joins the column
//! of its middle neighbour above, or of the one below; if two vertices want the same neighbour, the left or the right
//! one gets it. The final coordinate is the mean of the middle two of the four.

use traceloom_trace::sort;

use crate::layers::Layers;
use crate::order::{Links, note_places, places_of};

/// Room between boxes side by side, px.
const GAP_X: f64 = 28.0;

/// Room between rows, px: for arrows and the counts on them.
const GAP_Y: f64 = 50.0;

/// Room beside a point of a long edge, px.
const POINT_GAP: f64 = 14.0;

/// A rectangle, given by its centre, px.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Spot {
    pub x: f64,
    pub y: f64,
    pub width: f64,
    pub height: f64,
}

impl Spot {
    pub(crate) fn top(&self) -> f64 {
        self.y - self.height / 2.0
    }

    pub(crate) fn bottom(&self) -> f64 {
        self.y + self.height / 2.0
    }
}

/// The rectangles of all vertices. `sizes` are the sizes of the boxes. Points are as high as their row, so that edges
/// pass the row straight.
pub(crate) fn place(layers: &Layers, sizes: &[(f64, f64)]) -> Vec<Spot> {
    let xs = horizontal(layers, sizes);
    let mut spots = vec![Spot::default(); layers.row_of.len()];
    let mut top = 0.0;
    for row in &layers.rows {
        let mut highest = 0.0;
        for &vertex in row {
            highest = f64::max(highest, sizes.get(vertex).map_or(0.0, |size| size.1));
        }
        for &vertex in row {
            let (width, height) = sizes.get(vertex).copied().unwrap_or((0.0, highest));
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

/// The centres of the vertices in one of the four drawings, and the sides of the drawing, px.
struct Drawing {
    xs: Vec<f64>,
    left: f64,
    right: f64,
}

/// The centre of each vertex, px; may be negative.
fn horizontal(layers: &Layers, sizes: &[(f64, f64)]) -> Vec<f64> {
    let mut columns = Columns::new(layers, sizes);
    let mut drawings = Vec::with_capacity(4);
    for number in 0..4 {
        let sign = if number % 2 == 0 { 1.0 } else { -1.0 };
        let (mut left, mut right) = (f64::INFINITY, f64::NEG_INFINITY);
        let mut xs = columns.drawn();
        for (vertex, x) in xs.iter_mut().enumerate() {
            *x *= sign;
            let half = sizes.get(vertex).map_or(0.0, |size| size.0 / 2.0);
            left = left.min(*x - half);
            right = right.max(*x + half);
        }
        drawings.push(Drawing { xs, left, right });
        columns.mirror();
        if number == 1 {
            columns.turn_over();
        }
    }
    joined(&drawings)
}

/// Combines the four drawings. First each is aligned with the narrowest one: two of them at the left side, two at the
/// right.
fn joined(drawings: &[Drawing]) -> Vec<f64> {
    let mut narrowest = &drawings[0];
    for drawing in drawings {
        if drawing.right - drawing.left < narrowest.right - narrowest.left {
            narrowest = drawing;
        }
    }
    let mut xs = Vec::with_capacity(narrowest.xs.len());
    for vertex in 0..narrowest.xs.len() {
        let leans_left = |drawing: &Drawing| drawing.xs[vertex] + narrowest.left - drawing.left;
        let leans_right = |drawing: &Drawing| drawing.xs[vertex] + narrowest.right - drawing.right;
        let (a, b) = (leans_left(&drawings[0]), leans_right(&drawings[1]));
        let (c, d) = (leans_left(&drawings[2]), leans_right(&drawings[3]));
        // The sum of the four without the smallest and the greatest.
        let inner = a.min(b).max(c.min(d)) + a.max(b).min(c.max(d));
        xs.push(inner / 2.0);
    }
    xs
}

/// The input of a drawing. It can be turned over and mirrored, so the code only draws the case that joins upwards and
/// leans left.
struct Columns {
    rows: Vec<Vec<usize>>,
    /// The place of each vertex in its row.
    places: Vec<usize>,
    links: Links,
    /// Links that must not be straight, because they start or end at a box and cross a link between two points. Sorted;
    /// the smaller vertex comes first.
    bent: Vec<(usize, usize)>,
    /// Half of each vertex's width, including the room beside it.
    reach: Vec<f64>,
}

impl Columns {
    fn new(layers: &Layers, sizes: &[(f64, f64)]) -> Self {
        let reach = |vertex: usize| match sizes.get(vertex) {
            Some((width, _)) => (width + GAP_X) / 2.0,
            None => POINT_GAP / 2.0,
        };
        let mut columns = Self {
            rows: layers.rows.clone(),
            places: places_of(layers),
            links: Links::new(layers),
            bent: Vec::new(),
            reach: (0..layers.row_of.len()).map(reach).collect(),
        };
        columns.links.sort(&columns.places);
        columns.bent = columns.crossed(layers.boxes);
        columns
    }

    /// The links of boxes that cross a link between two points, sorted.
    fn crossed(&self, boxes: usize) -> Vec<(usize, usize)> {
        let (mut crossed, places) = (Vec::new(), &self.places);
        for row in &self.rows {
            let (mut long, mut short) = (Vec::new(), Vec::new());
            for &from in row {
                for &to in &self.links.below[from] {
                    let is_long = from >= boxes && to >= boxes;
                    if is_long { &mut long } else { &mut short }.push((from, to));
                }
            }
            for (from, to) in short {
                let crosses = |&(a, b): &(usize, usize)| {
                    let (top, bottom) = (places[a].cmp(&places[from]), places[b].cmp(&places[to]));
                    top != bottom && top.is_ne() && bottom.is_ne()
                };
                if long.iter().any(crosses) {
                    crossed.push((from.min(to), from.max(to)));
                }
            }
        }
        sort::by_key(&mut crossed, |one| *one);
        crossed
    }

    fn turn_over(&mut self) {
        self.rows.reverse();
        std::mem::swap(&mut self.links.above, &mut self.links.below);
    }

    fn mirror(&mut self) {
        for row in &mut self.rows {
            row.reverse();
            note_places(row, &mut self.places);
        }
        self.links.sort(&self.places);
    }

    /// The centre of each vertex in one of the four drawings.
    fn drawn(&self) -> Vec<f64> {
        let heads = self.heads();
        let count = heads.len();
        // For each column, the columns to its right and their minimum distances.
        let mut right: Vec<Vec<(usize, f64)>> = vec![Vec::new(); count];
        let mut waiting = vec![0_usize; count];
        for row in &self.rows {
            for pair in row.windows(2) {
                let apart = self.reach[pair[0]] + self.reach[pair[1]];
                right[heads[pair[0]]].push((heads[pair[1]], apart));
                waiting[heads[pair[1]]] += 1;
            }
        }
        let mut order = Vec::with_capacity(count);
        for column in 0..count {
            if heads[column] == column && waiting[column] == 0 {
                order.push(column);
            }
        }
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
        // Columns with free room to their right move towards their neighbours.
        for &column in order.iter().rev() {
            let mut limit = f64::INFINITY;
            for &(other, apart) in &right[column] {
                limit = limit.min(xs[other] - apart);
            }
            if limit.is_finite() {
                xs[column] = limit;
            }
        }
        heads.iter().map(|&head| xs[head]).collect()
    }

    /// The topmost vertex of each vertex's column.
    fn heads(&self) -> Vec<usize> {
        let mut heads: Vec<usize> = (0..self.places.len()).collect();
        for row in &self.rows {
            // Columns must not cross: only places to the right of the last column are free.
            let mut free = 0;
            for &vertex in row {
                let above = &self.links.above[vertex];
                for middle in [above.len().saturating_sub(1) / 2, above.len() / 2] {
                    let Some(&other) = above.get(middle) else {
                        break;
                    };
                    let link = (vertex.min(other), vertex.max(other));
                    let is_straight = self.bent.binary_search(&link).is_err();
                    if is_straight && self.places[other] >= free {
                        heads[vertex] = heads[other];
                        free = self.places[other] + 1;
                        break;
                    }
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

    /// A box above two boxes, and a long edge that passes the right one on its way to a box below.
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
    fn nothing_overlaps_and_a_parent_is_above_its_children() {
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
    fn a_chain_is_straight() {
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
