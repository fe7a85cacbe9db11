//! Finds the minimum and maximum in any range of a counter's values.

/// The number of values that a block summarises, and of blocks per block of the next level.
const BLOCK: usize = 32;

/// Minimum and maximum; both are NaN if there is no value.
pub type MinMax = (f64, f64);

/// The extremes of no values.
pub const NOTHING: MinMax = (f64::NAN, f64::NAN);

fn both(one: MinMax, other: MinMax) -> MinMax {
    // `min` and `max` of floats ignore NaN.
    (one.0.min(other.0), one.1.max(other.1))
}

/// ```text
/// values   3 1 4 1 5 9 | 2 6 5 3 5 8 | …       a range consists of a few complete blocks, and at
/// blocks    1..9       |    2..8     | …       both ends partial blocks on each level
/// ```
#[derive(Debug, Default)]
pub struct Extremes {
    levels: Vec<Vec<MinMax>>,
}

impl Extremes {
    /// Summarises `count` values.
    pub fn new(count: usize, value: &dyn Fn(usize) -> f64) -> Self {
        let mut levels: Vec<Vec<MinMax>> = Vec::new();
        let of = |range: std::ops::Range<usize>, get: &dyn Fn(usize) -> MinMax| {
            range.map(get).fold(NOTHING, both)
        };
        let mut below = count;
        while below > BLOCK {
            let blocks = below.div_ceil(BLOCK);
            let make = |block: usize| {
                let range = block * BLOCK..((block + 1) * BLOCK).min(below);
                match levels.last() {
                    Some(level) => of(range, &|at| level[at]),
                    None => of(range, &|at| (value(at), value(at))),
                }
            };
            let level = (0..blocks).map(make).collect();
            levels.push(level);
            below = blocks;
        }
        Self { levels }
    }

    /// The extremes of the values from `from` up to, but not including, `to`.
    pub fn of_range(&self, from: usize, to: usize, value: &dyn Fn(usize) -> f64) -> MinMax {
        let (mut from, mut to, mut found) = (from, to.max(from), NOTHING);
        let mut below: Option<&[MinMax]> = None;
        for level in 0..=self.levels.len() {
            let get = |at: usize| below.map_or_else(|| (value(at), value(at)), |level| level[at]);
            let whole = (from.div_ceil(BLOCK), to / BLOCK);
            let is_last = level == self.levels.len() || whole.0 >= whole.1;
            let (head, tail) = if is_last {
                (to, to)
            } else {
                (whole.0 * BLOCK, whole.1 * BLOCK)
            };
            for part in [from..head, tail..to] {
                found = part.map(get).fold(found, both);
            }
            if is_last {
                break;
            }
            (from, to) = whole;
            below = Some(&self.levels[level]);
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_stretch_has_the_extremes_of_its_values() {
        let values: Vec<f64> = (0..5000u64).map(|n| (n * 7919 % 4001) as f64).collect();
        let value = |at: usize| values[at];
        let extremes = Extremes::new(values.len(), &value);
        for (from, to) in [
            (0, 5000),
            (0, 1),
            (31, 33),
            (32, 64),
            (1, 4999),
            (1000, 3000),
            (7, 7),
        ] {
            let plain = values[from..to]
                .iter()
                .fold(NOTHING, |all, &v| both(all, (v, v)));
            let found = extremes.of_range(from, to, &value);
            assert_eq!(format!("{found:?}"), format!("{plain:?}"), "{from}..{to}");
        }
    }
}
