//! Sums of integers and of real numbers.

use crate::operators::failure::Failure;
use crate::operators::rows::Cell;

/// A number that can be summed.
pub(super) trait Number: Copy + Default + PartialEq {
    /// Adds a number.
    ///
    /// # Errors
    /// If the sum of whole numbers is too large.
    fn add(&mut self, other: Self) -> Result<(), Failure>;
    fn is_negative(self) -> bool;
    fn cell(self) -> Cell;
    /// The width of a frame: 0 if the number is negative.
    fn width(self) -> f64;
}

impl Number for i64 {
    fn add(&mut self, other: Self) -> Result<(), Failure> {
        let sum = self.checked_add(other);
        *self = sum.ok_or_else(|| Failure::refused("a sum of the flame graph is too large"))?;
        Ok(())
    }

    fn is_negative(self) -> bool {
        self < 0
    }

    fn cell(self) -> Cell {
        Cell::Integer(self)
    }

    fn width(self) -> f64 {
        self.max(0) as f64
    }
}

impl Number for f64 {
    fn add(&mut self, other: Self) -> Result<(), Failure> {
        *self += other;
        Ok(())
    }

    fn is_negative(self) -> bool {
        self < 0.0
    }

    fn cell(self) -> Cell {
        Cell::Real(self)
    }

    fn width(self) -> f64 {
        // NaN also becomes 0.
        if self > 0.0 { self } else { 0.0 }
    }
}
