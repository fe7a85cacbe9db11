//! A column: values of one type in chunks, so that growing never copies existing values.

/// Rows in a chunk. Only the first chunk grows by copying, so small traces stay small.
pub const CHUNK_ROWS: usize = 1 << 16;

/// A growable column of plain values.
///
/// ```text
/// chunks: [ 65536 rows ][ 65536 rows ][ 65536 rows ][ 1234 rows ... ]
/// row n:  chunks[n >> 16][n & 0xffff]
/// ```
///
/// While all rows have the same value (a clock that was not recorded, for instance), only that value and the
/// number of rows are stored.
#[derive(Clone, Debug)]
pub struct Column<T> {
    chunks: Vec<Vec<T>>,
    /// The value of all rows and their number, if all are equal. Then there are no chunks.
    same: Option<(T, usize)>,
}

impl<T> Default for Column<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T> Column<T> {
    /// Creates a column without rows.
    pub const fn new() -> Self {
        Self {
            chunks: Vec::new(),
            same: None,
        }
    }
}

impl<T: Copy + PartialEq> Column<T> {
    /// The number of rows.
    #[inline]
    pub fn len(&self) -> usize {
        match self.chunks.split_last() {
            Some((last, before)) => before.len() * CHUNK_ROWS + last.len(),
            None => self.same.map_or(0, |(_, rows)| rows),
        }
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Adds a row.
    #[inline]
    pub fn push(&mut self, value: T) {
        if let Some(chunk) = self.chunks.last_mut()
            && chunk.len() < CHUNK_ROWS
        {
            return chunk.push(value);
        }
        if self.repeats(value) {
            return;
        }
        self.push_aside(value);
    }

    /// Adds a row with the same value as all others.
    #[inline]
    fn repeats(&mut self, value: T) -> bool {
        match &mut self.same {
            Some((same, rows)) if *same == value => {
                *rows += 1;
                true
            }
            _ => false,
        }
    }

    /// The last chunk, if it has space for `rows` more.
    #[inline]
    pub(crate) fn room(&mut self, rows: usize) -> Option<&mut Vec<T>> {
        let chunk = self.chunks.last_mut()?;
        (chunk.len() + rows <= CHUNK_ROWS).then_some(chunk)
    }

    /// Adds a row that has the same value as the others, or does not fit into the last chunk.
    #[inline(never)]
    fn push_aside(&mut self, value: T) {
        if self.chunks.is_empty() {
            match &mut self.same {
                None => return self.same = Some((value, 1)),
                Some((same, rows)) if *same == value => return *rows += 1,
                Some(_) => self.spread(),
            }
        }
        match self.chunks.last_mut() {
            Some(chunk) if chunk.len() < CHUNK_ROWS => chunk.push(value),
            _ => {
                let mut chunk = Vec::with_capacity(CHUNK_ROWS);
                chunk.push(value);
                self.chunks.push(chunk);
            }
        }
    }

    /// Converts one value for all rows to separate values.
    #[cold]
    fn spread(&mut self) {
        let Some((value, mut rows)) = self.same.take() else {
            return;
        };
        while rows > 0 {
            let some = rows.min(CHUNK_ROWS);
            self.chunks.push(vec![value; some]);
            rows -= some;
        }
    }

    /// The value of `row`.
    ///
    /// # Panics
    /// If there is no such row. Rows come from ids that this library returned.
    #[inline]
    pub fn get(&self, row: usize) -> T {
        match (self.chunks.get(row / CHUNK_ROWS), self.same) {
            (Some(chunk), _) => chunk[row % CHUNK_ROWS],
            (None, Some((value, rows))) if row < rows => value,
            _ => no_such_row(row, self.len()),
        }
    }

    /// The values of these rows, if they are in one chunk.
    #[inline]
    pub(crate) fn within_chunk(&self, rows: std::ops::Range<usize>) -> Option<&[T]> {
        let chunk = self.chunks.get(rows.start / CHUNK_ROWS)?;
        let start = rows.start % CHUNK_ROWS;
        chunk.get(start..start + rows.len())
    }

    /// The value of `row`, mutable.
    ///
    /// # Panics
    /// Like [`get`](Self::get).
    #[inline]
    pub fn get_mut(&mut self, row: usize) -> &mut T {
        if self.chunks.is_empty() {
            self.spread();
        }
        &mut self.chunks[row / CHUNK_ROWS][row % CHUNK_ROWS]
    }

    /// All values in row order.
    pub fn iter(&self) -> ColumnValues<'_, T> {
        ColumnValues {
            values: [].iter(),
            chunks: self.chunks.iter(),
            same: self.same,
        }
    }

    /// The value of all rows, if they are stored as one value; `None` if there are no rows.
    pub fn constant(&self) -> Option<T> {
        self.same.map(|(value, _)| value)
    }

    /// A column with `rows` copies of one value, which needs no memory per row.
    pub fn repeated(value: T, rows: usize) -> Self {
        Self {
            chunks: Vec::new(),
            same: (rows > 0).then_some((value, rows)),
        }
    }

    /// Adds a chunk of [`CHUNK_ROWS`] rows, or a last one that may have fewer. The column must
    /// consist of full chunks.
    pub fn push_chunk(&mut self, rows: Vec<T>) {
        debug_assert!(rows.len() <= CHUNK_ROWS && self.len().is_multiple_of(CHUNK_ROWS));
        debug_assert!(self.same.is_none());
        self.chunks.push(rows);
    }

    /// The rows of one chunk, for loops over many rows: [`CHUNK_ROWS`] rows from `number *
    /// CHUNK_ROWS` on, or fewer at the end.
    pub fn chunk(&self, number: usize) -> ColumnChunk<'_, T> {
        match self.same {
            Some((value, _)) => ColumnChunk::Same(value),
            None => ColumnChunk::Rows(self.chunks.get(number).map_or(&[], Vec::as_slice)),
        }
    }

    /// The column with its rows in the order given by `order` (a permutation of row numbers).
    pub fn permuted(&self, order: &[u32]) -> Self {
        let chunk = |rows: &[u32]| rows.iter().map(|&row| self.get(row as usize)).collect();
        match self.same {
            Some(_) => Self {
                chunks: Vec::new(),
                same: self.same,
            },
            None => Self {
                chunks: order.chunks(CHUNK_ROWS).map(chunk).collect(),
                same: None,
            },
        }
    }

    /// Replaces every value by the result of `new`, which is the same for equal values.
    pub(crate) fn update(&mut self, mut new: impl FnMut(T) -> T) {
        if let Some((value, _)) = &mut self.same {
            *value = new(*value);
        }
        for value in self.chunks.iter_mut().flatten() {
            *value = new(*value);
        }
    }

    /// Memory used, bytes.
    pub fn heap_bytes(&self) -> usize {
        self.chunks
            .iter()
            .map(|chunk| chunk.capacity() * size_of::<T>())
            .sum()
    }
}

impl<T: Copy + PartialEq> FromIterator<T> for Column<T> {
    fn from_iter<I: IntoIterator<Item = T>>(values: I) -> Self {
        let mut values = values.into_iter();
        let mut column = Self::default();
        let mut left = values.size_hint().0;
        while let Some(first) = values.next() {
            let mut chunk = Vec::with_capacity(left.clamp(1, CHUNK_ROWS));
            chunk.push(first);
            chunk.extend(values.by_ref().take(CHUNK_ROWS - 1));
            left = left.saturating_sub(chunk.len());
            column.chunks.push(chunk);
        }
        column
    }
}

#[cold]
#[inline(never)]
#[expect(
    clippy::panic,
    reason = "a row out of range is a mistake in our code, as with a slice"
)]
fn no_such_row(row: usize, rows: usize) -> ! {
    panic!("row {row} of a column of {rows}")
}

/// The values of a [`Column`] in row order.
#[derive(Clone, Debug)]
pub struct ColumnValues<'a, T> {
    values: std::slice::Iter<'a, T>,
    chunks: std::slice::Iter<'a, Vec<T>>,
    same: Option<(T, usize)>,
}

impl<T: Copy> Iterator for ColumnValues<'_, T> {
    type Item = T;

    #[inline]
    fn next(&mut self) -> Option<T> {
        match self.values.next() {
            Some(value) => Some(*value),
            None => self.next_chunk(),
        }
    }

    /// Skips whole chunks, so that an iteration can start at any row without visiting the rows before it.
    fn nth(&mut self, mut n: usize) -> Option<T> {
        while n >= self.values.len() {
            n -= self.values.len();
            self.values = [].iter();
            let Some(chunk) = self.chunks.next() else {
                let (_, rows) = self.same.as_mut()?;
                *rows = rows.saturating_sub(n);
                break;
            };
            self.values = chunk.iter();
        }
        match self.values.as_slice() {
            [] => self.next(),
            _ => self.values.nth(n).copied(),
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let chunks = self.chunks.clone().map(Vec::len).sum::<usize>();
        let rows = self.values.len() + chunks + self.same.map_or(0, |(_, rows)| rows);
        (rows, Some(rows))
    }
}

impl<T: Copy> ColumnValues<'_, T> {
    #[inline(never)]
    fn next_chunk(&mut self) -> Option<T> {
        if let Some(chunk) = self.chunks.next() {
            self.values = chunk.iter();
            return self.values.next().copied();
        }
        let (value, rows) = self.same.as_mut()?;
        *rows = rows.checked_sub(1)?;
        Some(*value)
    }
}

/// Some rows of a [`Column`].
#[derive(Clone, Copy, Debug)]
pub enum ColumnChunk<'a, T> {
    /// All rows have this value.
    Same(T),
    /// The values of the rows.
    Rows(&'a [T]),
}

impl<T: Copy> ColumnChunk<'_, T> {
    /// A value, by its index in the chunk.
    ///
    /// # Panics
    /// If there is no such row.
    #[inline]
    pub fn get(&self, at: usize) -> T {
        match self {
            Self::Same(value) => *value,
            Self::Rows(rows) => rows[at],
        }
    }
}

/// The new row of each row, if they are put in this order.
pub(crate) fn new_rows(order: &[u32]) -> Vec<u32> {
    let mut new_rows = vec![0u32; order.len()];
    for (new, &old) in order.iter().enumerate() {
        new_rows[old as usize] = new as u32;
    }
    new_rows
}

/// The order that sorts rows by time. Rows with the same time keep their order. `None` if the rows
/// are already sorted.
pub(crate) fn order_by_time(times_ns: &Column<i64>) -> Option<Vec<u32>> {
    let sorted = times_ns.chunks.iter().all(|chunk| chunk.is_sorted())
        && times_ns
            .chunks
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

/// Sorts keys that combine time and row, which is several times faster than a lookup per
/// comparison. `None` if they do not fit into 64 bits: two million rows leave room for two hours.
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
    let mut keys: Vec<u64> = Vec::with_capacity(times_ns.len());
    keys.extend(times_ns.iter().enumerate().map(key));
    keys.sort_unstable();
    let mask = (1u64 << row_bits) - 1;
    Some(keys.iter().map(|key| (key & mask) as u32).collect())
}

#[cfg(test)]
mod tests;
