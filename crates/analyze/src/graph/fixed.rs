//! Numbers with a fixed count of decimals, without the standard library's exact digits of any
//! float: a report carries this code.

use std::fmt::{Display, Formatter, Result};

/// A number of moderate size that is shown with so many decimals, at most 3.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fixed(pub f64, pub u32);

/// A length with as many decimals as pictures need.
pub(super) fn px(value: f64) -> Fixed {
    Fixed(value, 1)
}

/// The nearest whole number.
pub(super) fn whole(value: f64) -> Fixed {
    Fixed(value, 0)
}

impl Display for Fixed {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        let Self(value, decimals) = *self;
        let unit = 10_u64.pow(decimals);
        let scaled = (value * unit as f64).round_ties_even() as i64;
        if scaled < 0 {
            f.write_str("-")?;
        }
        let (units, rest) = (scaled.unsigned_abs() / unit, scaled.unsigned_abs() % unit);
        write!(f, "{units}")?;
        match decimals {
            0 => Ok(()),
            decimals => write!(f, ".{rest:0width$}", width = decimals as usize),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_the_standard_library_writes_them() {
        for value in [0.0, 0.04, 0.25, 0.96, 1.0, -12.75, 99.95, 1234567.891, 3e9] {
            assert_eq!(Fixed(value, 0).to_string(), format!("{value:.0}"));
            assert_eq!(Fixed(value, 1).to_string(), format!("{value:.1}"));
            assert_eq!(Fixed(value, 3).to_string(), format!("{value:.3}"));
        }
    }
}
