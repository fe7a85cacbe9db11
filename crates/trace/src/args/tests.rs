//! Sets of arguments are returned as they were stored.

use super::*;
use crate::strings::StringPool;

#[test]
fn sets_come_back_as_they_went_in() {
    let mut strings = StringPool::default();
    let (a, b) = (strings.intern("a"), strings.intern("b"));
    let mut args = ArgTable::default();
    let first = [(a, ArgValue::Int(-3)), (b, ArgValue::Hex(0xff))];
    let second = [
        ArgValue::Float(1.5),
        ArgValue::Text(a),
        ArgValue::Unsigned(u64::MAX),
        ArgValue::Bool(true),
        ArgValue::Bool(false),
        ArgValue::Null,
        ArgValue::Json(b),
    ];
    let second = second.map(|value| (b, value));
    let (one, none) = (args.push_set(first), args.push_set([]));
    let two = args.push_set(second);
    assert_eq!(args.set(one).collect::<Vec<_>>(), first);
    assert_eq!(args.set(none).count(), 0);
    assert_eq!(args.set(two).collect::<Vec<_>>(), second);
    assert_eq!(args.sets().collect::<Vec<_>>(), [one, two]);
    assert_eq!(args.set_near(8, 5), None);
    assert_eq!((one, two), (ArgSetId(0), ArgSetId(2)), "the first rows");
    assert_eq!(
        [0, 1, 2, 8].map(|row| args.set_near(row, 6)),
        [one, one, two, two].map(Some)
    );
    assert_eq!(ArgValue::Hex(255).display(&strings), "0xff");
}

#[test]
fn keys_and_values_apart_are_the_same_set() {
    let mut args = ArgTable::default();
    let value = |key: u32| match key % 3 {
        0 => ArgValue::Int(-5),
        1 => ArgValue::Hex(u64::MAX),
        _ => ArgValue::Text(StringId(key)),
    };
    let expected = |rows| (0..rows).map(move |key| (StringId(key), value(key)));
    // So many that some sets extend across chunks.
    let sets = (0..30_000).map(|nth| nth % 7);
    let ids: Vec<_> = sets
        .clone()
        .map(|rows| args.push_columns(&columns(expected(rows))))
        .collect();
    for (rows, id) in sets.zip(ids) {
        assert!(args.set(id).eq(expected(rows)));
    }
}

fn columns(args: impl Iterator<Item = (StringId, ArgValue)>) -> ArgColumns {
    let (keys, values): (Vec<_>, Vec<_>) = args.unzip();
    let mut columns = ArgColumns::default();
    columns.resize(keys.len());
    columns.keys_mut().copy_from_slice(&keys);
    columns.set_values(values.into_iter(), |value| value);
    columns
}

#[test]
fn only_what_is_new_is_added_to_a_set() {
    let mut args = ArgTable::default();
    let arg = |key: u32, value: i64| (StringId(key), ArgValue::Int(value));
    let add = |args: &mut ArgTable, set, added: &[(StringId, ArgValue)]| {
        args.add_to_set(set, &columns(added.iter().copied()))
    };
    let held = |args: &ArgTable, set| args.set(set).collect::<Vec<_>>();
    let none = add(&mut args, ArgSetId::NONE, &[]);
    assert_eq!((none, args.len()), (ArgSetId::NONE, 0));
    let first = add(&mut args, none, &[arg(1, 1), arg(2, 2), arg(1, 1)]);
    assert_eq!(held(&args, first), [arg(1, 1), arg(2, 2)]);
    // The last set grows in place.
    let same = add(&mut args, first, &[arg(1, 1), arg(2, 3), arg(2, 2)]);
    assert_eq!((same, args.len(), args.sets().count()), (first, 3, 1));
    let second = add(&mut args, none, &[arg(9, 9)]);
    assert_eq!(add(&mut args, first, &[arg(2, 3)]), first);
    let grown = add(&mut args, first, &[arg(1, 1), arg(4, 4)]);
    assert_eq!(
        held(&args, grown),
        [arg(1, 1), arg(2, 2), arg(2, 3), arg(4, 4)]
    );
    assert_eq!(held(&args, second), [arg(9, 9)]);
    assert_eq!((args.len(), args.sets().count()), (8, 3));
}
