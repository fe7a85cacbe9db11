//! Expresses comparisons of whole numbers with any SQLite value as the interval of numbers that satisfy them.

/// A comparison of a column with a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Op {
    Equal,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

/// An SQLite value that is compared with a column of whole numbers. Texts that look like numbers have already been
/// converted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Bound {
    Null,
    Int(i64),
    Float(f64),
    /// Text or bytes, which SQLite sorts after all numbers.
    AfterNumbers,
}

/// The smallest and the largest number that satisfy a comparison. If the first is larger, no number does.
pub(crate) type Interval = (i64, i64);

const ALL: Interval = (i64::MIN, i64::MAX);
const NOTHING: Interval = (i64::MAX, i64::MIN);

/// The numbers for which `number op bound` is true.
pub(crate) fn interval(op: Op, bound: Bound) -> Interval {
    match bound {
        Bound::Null => NOTHING,
        Bound::Int(value) => with_int(op, value),
        Bound::Float(value) => with_float(op, value),
        Bound::AfterNumbers => match op {
            Op::Less | Op::LessOrEqual => ALL,
            _ => NOTHING,
        },
    }
}

fn with_int(op: Op, value: i64) -> Interval {
    let below = value.checked_sub(1).map(|below| (i64::MIN, below));
    let above = value.checked_add(1).map(|above| (above, i64::MAX));
    match op {
        Op::Equal => (value, value),
        Op::Less => below.unwrap_or(NOTHING),
        Op::LessOrEqual => (i64::MIN, value),
        Op::Greater => above.unwrap_or(NOTHING),
        Op::GreaterOrEqual => (value, i64::MAX),
    }
}

/// A value between two whole numbers is replaced by the one below or above.
fn with_float(op: Op, value: f64) -> Interval {
    /// 2^63, the first number above the range of [`i64`].
    const END: f64 = 9_223_372_036_854_775_808.0;
    if value.is_nan() {
        return NOTHING;
    }
    if value >= END {
        return interval(op, Bound::AfterNumbers);
    }
    if value < -END {
        return match op {
            Op::Greater | Op::GreaterOrEqual => ALL,
            _ => NOTHING,
        };
    }
    // The value is in range, so the conversions are exact.
    let floor = value.floor() as i64;
    if floor as f64 == value {
        return with_int(op, floor);
    }
    match op {
        Op::Equal => NOTHING,
        Op::Less | Op::LessOrEqual => (i64::MIN, floor),
        Op::Greater | Op::GreaterOrEqual => with_int(Op::Greater, floor),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fractions_lie_between_whole_numbers() {
        assert_eq!(interval(Op::Greater, Bound::Float(1.5)), (2, i64::MAX));
        assert_eq!(interval(Op::Less, Bound::Float(1.5)), (i64::MIN, 1));
        assert_eq!(
            interval(Op::LessOrEqual, Bound::Float(-1.5)),
            (i64::MIN, -2)
        );
        assert_eq!(interval(Op::Equal, Bound::Float(1.5)), NOTHING);
        assert_eq!(interval(Op::Equal, Bound::Float(3.0)), (3, 3));
    }

    #[test]
    fn the_ends_of_the_range_do_not_overflow() {
        assert_eq!(interval(Op::Greater, Bound::Int(i64::MAX)), NOTHING);
        assert_eq!(interval(Op::Less, Bound::Int(i64::MIN)), NOTHING);
        assert_eq!(interval(Op::Less, Bound::Float(1e300)), ALL);
        assert_eq!(interval(Op::Greater, Bound::Float(-1e300)), ALL);
        assert_eq!(
            interval(Op::Equal, Bound::Float(9_223_372_036_854_775_808.0)),
            NOTHING
        );
        assert_eq!(
            interval(
                Op::GreaterOrEqual,
                Bound::Float(-9_223_372_036_854_775_808.0)
            ),
            (i64::MIN, i64::MAX)
        );
    }

    #[test]
    fn text_comes_after_numbers_and_null_compares_with_nothing() {
        assert_eq!(interval(Op::Less, Bound::AfterNumbers), ALL);
        assert_eq!(interval(Op::GreaterOrEqual, Bound::AfterNumbers), NOTHING);
        assert_eq!(interval(Op::LessOrEqual, Bound::Null), NOTHING);
    }
}
