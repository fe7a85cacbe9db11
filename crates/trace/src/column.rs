//! A column: values of one type in chunks, so that growing never copies what is already there.

/// Rows a chunk holds. Only the first chunk ever grows by copying, so that small traces stay small.
pub const CHUNK_ROWS: usize = 1 << 16;

/// A growable column of plain values.
///
/// ```text
/// chunks: [ 65536 rows ][ 65536 rows ][ 65536 rows ][ 1234 rows ... ]
/// row n:  chunks[n >> 16][n & 0xffff]
/// ```
#[derive(Clone, Debug)]
pub struct Column<T> {
    chunks: Vec<Vec<T>>,
}

impl<T> Default for Column<T> {
    fn default() -> Self {
        Self {
            chunks: vec![Vec::new()],
        }
    }
}

impl<T: Copy> Column<T> {
    /// How many rows there are.
    #[inline]
    pub fn len(&self) -> usize {
        let last = self.chunks.len() - 1;
        last * CHUNK_ROWS + self.chunks[last].len()
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Adds a row.
    #[inline]
    pub fn push(&mut self, value: T) {
        if self
            .chunks
            .last()
            .is_none_or(|chunk| chunk.len() == CHUNK_ROWS)
        {
            self.chunks.push(Vec::with_capacity(CHUNK_ROWS));
        }
        if let Some(chunk) = self.chunks.last_mut() {
            chunk.push(value);
        }
    }

    /// The value of `row`.
    ///
    /// # Panics
    /// If there is no such row: rows come from ids that this library handed out.
    #[inline]
    pub fn get(&self, row: usize) -> T {
        self.chunks[row / CHUNK_ROWS][row % CHUNK_ROWS]
    }

    /// The value of `row` to be changed in place.
    ///
    /// # Panics
    /// As [`get`](Self::get).
    #[inline]
    pub fn get_mut(&mut self, row: usize) -> &mut T {
        &mut self.chunks[row / CHUNK_ROWS][row % CHUNK_ROWS]
    }

    /// All values in row order.
    pub fn iter(&self) -> impl Iterator<Item = T> + '_ {
        self.chunks.iter().flatten().copied()
    }

    /// The chunks in row order: every one but the last has [`CHUNK_ROWS`] rows.
    pub fn chunks(&self) -> &[Vec<T>] {
        &self.chunks
    }

    /// The chunks themselves, for a consumer that takes the memory over.
    pub fn into_chunks(self) -> Vec<Vec<T>> {
        self.chunks
    }

    /// The column with its rows in the order that `order` names (a permutation of row numbers).
    pub fn permuted(&self, order: &[u32]) -> Self {
        let chunk = |rows: &[u32]| rows.iter().map(|&row| self.get(row as usize)).collect();
        match order.is_empty() {
            true => Self::default(),
            false => Self {
                chunks: order.chunks(CHUNK_ROWS).map(chunk).collect(),
            },
        }
    }

    /// Bytes of memory held.
    pub fn heap_bytes(&self) -> usize {
        self.chunks
            .iter()
            .map(|chunk| chunk.capacity() * size_of::<T>())
            .sum()
    }
}

/// The order that sorts rows by time and keeps the order of arrival within one instant, or
/// `None` where the rows stand in that order already.
pub fn order_by_time(times_ns: &Column<i64>) -> Option<Vec<u32>> {
    let sorted = times_ns.chunks().iter().all(|chunk| chunk.is_sorted())
        && times_ns
            .chunks()
            .windows(2)
            .all(|pair| pair[0].last() <= pair[1].first());
    if sorted {
        return None;
    }
    Some(order_by_key(times_ns).unwrap_or_else(|| {
        let mut order: Vec<u32> = (0..times_ns.len() as u32).collect();
        order.sort_by_key(|&row| times_ns.get(row as usize));
        order
    }))
}

/// Sorts whole keys, which is several times faster than looking times up, where time and row fit
/// one: two million rows leave room for two hours.
///
/// ```text
/// key: | time since the first, in bits that remain | row, in as few bits as rows need |
/// ```
fn order_by_key(times_ns: &Column<i64>) -> Option<Vec<u32>> {
    let (first, last) = (times_ns.iter().min()?, times_ns.iter().max()?);
    let row_bits = usize::BITS - times_ns.len().leading_zeros();
    let span = last.checked_sub(first)? as u64;
    if span.leading_zeros() < row_bits {
        return None;
    }
    let key = |(row, ts): (usize, i64)| ((ts - first) as u64) << row_bits | row as u64;
    let mut keys: Vec<u64> = times_ns.iter().enumerate().map(key).collect();
    keys.sort_unstable();
    let mask = (1u64 << row_bits) - 1;
    Some(keys.iter().map(|key| (key & mask) as u32).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_stand_across_chunks() {
        let mut column = Column::default();
        (0..CHUNK_ROWS * 2 + 3).for_each(|n| column.push(n as u32));
        assert_eq!(column.len(), CHUNK_ROWS * 2 + 3);
        assert_eq!(column.get(CHUNK_ROWS), CHUNK_ROWS as u32);
        *column.get_mut(CHUNK_ROWS * 2 + 2) = 7;
        assert_eq!(column.iter().last(), Some(7));
        assert_eq!(column.chunks().len(), 3);
    }

    #[test]
    fn sorting_keeps_the_order_of_arrival() {
        let mut times = Column::default();
        [5, 1, 5, 1].into_iter().for_each(|t| times.push(t));
        assert_eq!(order_by_time(&times), Some(vec![1, 3, 0, 2]));
        // A span that leaves no room for the rows is sorted the other way, with the same answer.
        let mut wide = Column::default();
        [i64::MAX, 1, i64::MAX, 1, i64::MIN]
            .into_iter()
            .for_each(|t| wide.push(t));
        assert_eq!(order_by_time(&wide), Some(vec![4, 1, 3, 0, 2]));
        let mut sorted = Column::default();
        [1, 1, 5, 5].into_iter().for_each(|t| sorted.push(t));
        assert_eq!(order_by_time(&sorted), None);
    }
}
