//! Groups rows by a key.
//!
//! Rows of one track, CPU or thread resemble each other; neighbours in time do not. Most columns are
//! therefore written in the order of another column, the key:
//!
//! ```text
//! row     0 1 2 3 4 5
//! key     7 3 7 7 3 3       written in the order 1 4 5, 0 2 3
//! ```

/// Row numbers sorted by key, stably.
pub(crate) fn by_key(keys: &[i64]) -> Vec<u32> {
    let (Some(least), Some(most)) = (keys.iter().min(), keys.iter().max()) else {
        return Vec::new();
    };
    let span = most.wrapping_sub(*least) as u64;
    if span > keys.len() as u64 * 2 + 1024 {
        let mut order: Vec<u32> = (0..keys.len() as u32).collect();
        order.sort_by_key(|&row| keys[row as usize]);
        return order;
    }
    let place = |key: i64| (key - least) as usize;
    let mut next = vec![0u32; span as usize + 2];
    keys.iter().for_each(|&key| next[place(key) + 1] += 1);
    (1..next.len()).for_each(|at| next[at] += next[at - 1]);
    let mut order = vec![0; keys.len()];
    for (row, &key) in keys.iter().enumerate() {
        let at = &mut next[place(key)];
        order[*at as usize] = row as u32;
        *at += 1;
    }
    order
}

/// Puts the values in that order.
pub(crate) fn gather<T: Copy>(values: &[T], order: &[u32]) -> Vec<T> {
    order.iter().map(|&row| values[row as usize]).collect()
}

/// Puts the values back in row order.
pub(crate) fn scatter<T: Copy + Default>(values: &[T], order: &[u32]) -> Vec<T> {
    let mut rows = vec![T::default(); values.len()];
    for (&value, &row) in values.iter().zip(order) {
        rows[row as usize] = value;
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_drawing_above() {
        let keys = [7, 3, 7, 7, 3, 3];
        assert_eq!(by_key(&keys), [1, 4, 5, 0, 2, 3]);
        let far = keys.map(|key| key * 1_000_000_007);
        assert_eq!(by_key(&far), [1, 4, 5, 0, 2, 3]);
        assert_eq!(by_key(&[i64::MAX, i64::MIN]), [1, 0]);
        let values = [1, 2, 3, 4, 5, 6];
        let order = by_key(&keys);
        assert_eq!(scatter(&gather(&values, &order), &order), values);
    }
}
