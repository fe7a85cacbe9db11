//! Orders the nodes of each row so that few edges cross. Nodes move to the mean place of their neighbours, alternately
//! in the row above and in the row below, a fixed number of times. The best order is used.

use traceloom_trace::sort;

use crate::layers::Layers;

/// Number of sweeps down and up. More of them change little.
const SWEEPS: usize = 24;

pub(crate) fn reduce_crossings(layers: &mut Layers) {
    let links = Links::new(layers);
    let mut places = places_of(layers);
    let mut best = (links.crossings(&layers.rows, &places), layers.rows.clone());
    for sweep in 0..SWEEPS {
        let is_downward = sweep % 2 == 0;
        let last = layers.rows.len().saturating_sub(1);
        for step in 1..=last {
            let (row, towards) = if is_downward {
                (step, &links.above)
            } else {
                (last - step, &links.below)
            };
            sort_row(&mut layers.rows[row], towards, &mut places);
        }
        let crossings = links.crossings(&layers.rows, &places);
        if crossings < best.0 {
            best = (crossings, layers.rows.clone());
        }
        if best.0 == 0 {
            break;
        }
    }
    layers.rows = best.1;
}

/// The neighbours of each vertex in the rows above and below.
pub(crate) struct Links {
    pub above: Vec<Vec<usize>>,
    pub below: Vec<Vec<usize>>,
}

impl Links {
    pub fn new(layers: &Layers) -> Self {
        let mut links = Self {
            above: vec![Vec::new(); layers.row_of.len()],
            below: vec![Vec::new(); layers.row_of.len()],
        };
        for way in &layers.ways {
            for pair in way.vertices.windows(2) {
                links.below[pair[0]].push(pair[1]);
                links.above[pair[1]].push(pair[0]);
            }
        }
        links
    }

    /// Sorts the neighbours of each vertex by their places.
    pub fn sort(&mut self, places: &[usize]) {
        for near in self.above.iter_mut().chain(&mut self.below) {
            sort::by_key(near, |&vertex| places[vertex]);
        }
    }

    /// The number of crossings of edges in all rows.
    fn crossings(&self, rows: &[Vec<usize>], places: &[usize]) -> u64 {
        let mut count = 0;
        for pair in rows.windows(2) {
            let mut ends = Vec::new();
            for &vertex in &pair[0] {
                let from = ends.len();
                for &to in &self.below[vertex] {
                    ends.push(places[to]);
                }
                ends[from..].sort_unstable();
            }
            count += inversions(&ends, pair[1].len());
        }
        count
    }
}

/// The number of pairs in descending order, counted with a Fenwick tree over `0..size`.
fn inversions(values: &[usize], size: usize) -> u64 {
    let mut tree = vec![0_u64; size + 1];
    let mut count = 0;
    for (seen, &value) in values.iter().enumerate() {
        let (mut at, mut not_above) = (value + 1, 0);
        while at > 0 {
            not_above += tree[at];
            at &= at - 1;
        }
        count += seen as u64 - not_above;
        at = value + 1;
        while at <= size {
            tree[at] += 1;
            at += at & at.wrapping_neg();
        }
    }
    count
}

/// The place of each vertex in its row.
pub(crate) fn places_of(layers: &Layers) -> Vec<usize> {
    let mut places = vec![0; layers.row_of.len()];
    for row in &layers.rows {
        note_places(row, &mut places);
    }
    places
}

/// Notes the places of a row's vertices.
pub(crate) fn note_places(row: &[usize], places: &mut [usize]) {
    for (place, &vertex) in row.iter().enumerate() {
        places[vertex] = place;
    }
}

/// Sorts a row by the mean place of each vertex's neighbours. A vertex without neighbours counts with its own place.
fn sort_row(row: &mut [usize], towards: &[Vec<usize>], places: &mut [usize]) {
    let mut means = Vec::with_capacity(row.len());
    for &vertex in &*row {
        let near = &towards[vertex];
        let mut sum = 0;
        for &other in near {
            sum += places[other];
        }
        if near.is_empty() {
            sum = places[vertex];
        }
        means.push(sum as f64 / near.len().max(1) as f64);
    }
    sort::by(row, |&a, &b| means[places[a]].total_cmp(&means[places[b]]));
    note_places(row, places);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inversions_are_counted() {
        assert_eq!(inversions(&[0, 1, 2], 3), 0);
        assert_eq!(inversions(&[2, 1, 0], 3), 3);
        assert_eq!(inversions(&[1, 1, 0, 2], 3), 2);
    }
}
