use super::*;

#[test]
fn rows_stand_across_chunks() {
    let mut column = Column::default();
    (0..CHUNK_ROWS * 2 + 3).for_each(|n| column.push(n as u32));
    assert_eq!(column.len(), CHUNK_ROWS * 2 + 3);
    assert_eq!(column.get(CHUNK_ROWS), CHUNK_ROWS as u32);
    *column.get_mut(CHUNK_ROWS * 2 + 2) = 7;
    assert_eq!(column.iter().last(), Some(7));
    assert_eq!(column.chunks.len(), 3);
}

#[test]
fn rows_that_are_all_the_same_take_no_room() {
    let mut column = Column::default();
    (0..CHUNK_ROWS + 5).for_each(|_| column.push(9));
    assert_eq!((column.len(), column.heap_bytes()), (CHUNK_ROWS + 5, 0));
    assert_eq!(column.get(CHUNK_ROWS + 4), 9);
    assert_eq!(column.iter().count(), CHUNK_ROWS + 5);
    column.push(8);
    *column.get_mut(1) = 7;
    assert_eq!(column.len(), CHUNK_ROWS + 6);
    let ends = [0, 1, CHUNK_ROWS + 4, CHUNK_ROWS + 5].map(|row| column.get(row));
    assert_eq!(ends, [9, 7, 9, 8]);
    assert_eq!(
        column.iter().filter(|value| *value == 9).count(),
        CHUNK_ROWS + 4
    );
}

#[test]
fn values_are_collected_into_chunks() {
    let column: Column<u32> = (0..CHUNK_ROWS as u32 + 3).collect();
    assert_eq!((column.len(), column.chunks.len()), (CHUNK_ROWS + 3, 2));
    assert!(column.iter().eq(0..CHUNK_ROWS as u32 + 3));
    assert!(Column::<u8>::from_iter([]).is_empty());
    let same = Column::repeated(7, CHUNK_ROWS + 1);
    assert_eq!((same.len(), same.constant()), (CHUNK_ROWS + 1, Some(7)));
    assert!(Column::repeated(7, 0).is_empty());
}

#[test]
fn sorting_keeps_the_order_of_arrival() {
    let mut times = Column::default();
    [5, 1, 5, 1].into_iter().for_each(|t| times.push(t));
    assert_eq!(order_by_time(&times), Some(vec![1, 3, 0, 2]));
    // A time span that leaves no room for the rows is sorted by the other method, with the same
    // result.
    let mut wide = Column::default();
    [i64::MAX, 1, i64::MAX, 1, i64::MIN]
        .into_iter()
        .for_each(|t| wide.push(t));
    assert_eq!(order_by_time(&wide), Some(vec![4, 1, 3, 0, 2]));
    let mut sorted = Column::default();
    [1, 1, 5, 5].into_iter().for_each(|t| sorted.push(t));
    assert_eq!(order_by_time(&sorted), None);
}

#[test]
fn rows_are_skipped() {
    let rows = 2 * CHUNK_ROWS + 5;
    let counted: Column<usize> = (0..rows).collect();
    let same = Column::repeated(7, rows);
    for first in [
        0,
        1,
        CHUNK_ROWS - 1,
        CHUNK_ROWS,
        2 * CHUNK_ROWS + 4,
        rows,
        rows + 9,
    ] {
        let rest: Vec<usize> = counted.iter().skip(first).collect();
        assert_eq!(rest, (first..rows).collect::<Vec<_>>(), "{first}");
        assert_eq!(same.iter().skip(first).count(), rows.saturating_sub(first));
    }
    let mut values = counted.iter();
    assert_eq!(values.next(), Some(0));
    assert_eq!(values.nth(CHUNK_ROWS - 1), Some(CHUNK_ROWS));
    assert_eq!(values.nth(3), Some(CHUNK_ROWS + 4));
    assert_eq!(values.nth(rows), None);
    assert_eq!(values.next(), None);
}
