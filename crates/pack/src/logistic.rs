//! Probabilities and their logarithmic odds, in whole numbers: both halves must reckon the same
//! on every machine.

/// A probability of a set bit, of 4096; never 0.
pub type Probability = i32;
/// ln(p / (1 - p)) · 256, within ±2047.
pub type Odds = i32;

/// The odds' greatest amount.
pub const MOST: Odds = 2047;

/// 4096 / (1 + e^-x) for x from -8 to 8 in halves.
const CURVE: [u16; 33] = [
    1, 2, 4, 6, 10, 17, 27, 45, 74, 120, 194, 311, 488, 747, 1102, 1546, 2048, 2550, 2994, 3349,
    3608, 3785, 3902, 3976, 4022, 4051, 4069, 4079, 4086, 4090, 4092, 4094, 4095,
];

/// The probability with these odds.
pub fn curve(odds: Odds) -> Probability {
    let odds = odds.clamp(-MOST, MOST) + 2048;
    let (step, part) = ((odds >> 7) as usize, odds & 127);
    let [low, high] = [CURVE[step & 31], CURVE[(step & 31) + 1]].map(Probability::from);
    (low * (128 - part) + high * part + 64) >> 7
}

/// Both ways as tables.
pub struct Logistic {
    squash: [i16; 4096],
    stretch: [i16; 4096],
}

impl Logistic {
    /// Fills tables of zeros.
    pub fn begin(&mut self) {
        let mut known = 0;
        for odds in -MOST..=MOST {
            let probability = curve(odds);
            self.squash[(odds + 2048) as usize & 4095] = probability as i16;
            while known <= probability {
                self.stretch[known as usize & 4095] = odds as i16;
                known += 1;
            }
        }
    }

    /// The probability with these odds, which are within ±[`MOST`].
    #[inline]
    pub fn squash(&self, odds: Odds) -> Probability {
        self.squash[(odds + 2048) as usize & 4095].into()
    }

    /// The odds of a probability.
    #[inline]
    pub fn stretch(&self, probability: Probability) -> Odds {
        self.stretch[probability as usize & 4095].into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_curve_is_the_logistic_function() {
        for odds in -MOST..=MOST {
            let real = 4096.0 / (1.0 + (-f64::from(odds) / 256.0).exp());
            assert!((f64::from(curve(odds)) - real).abs() < 13.0, "{odds}");
        }
    }

    #[test]
    fn odds_and_probabilities_lead_back_to_each_other() {
        let mut logistic = Logistic {
            squash: [0; 4096],
            stretch: [0; 4096],
        };
        logistic.begin();
        for probability in 1..4096 {
            let back = logistic.squash(logistic.stretch(probability));
            assert!((back - probability).abs() <= 8, "{probability} {back}");
        }
    }
}
