//! Texts put in order eight bytes at a time. Names of classes begin alike (`com/android/…`), so a
//! comparison of whole texts reads the same beginnings again for each pair; here each text's next
//! eight bytes are read once, as one number.

/// Bytes of equal beginning after which texts are compared whole.
const DEEPEST: usize = 128;

const STEP: usize = size_of::<u64>();

/// A method and what is looked at of its text now, as one number: such are compared without a
/// branch.
#[derive(Debug, Clone, Copy)]
pub(super) struct Keyed(u128);

impl Keyed {
    pub fn new(method: u32) -> Self {
        Keyed(u128::from(method))
    }

    #[inline]
    pub fn method(self) -> u32 {
        self.0 as u32
    }

    #[inline]
    fn key(self) -> u64 {
        (self.0 >> 32) as u64
    }

    fn set_key(&mut self, key: u64) {
        self.0 = u128::from(key) << 32 | u128::from(self.method());
    }
}

/// Sorts `items` by their texts, which hold no NUL, and hands each run of equal texts to `each`,
/// in order; within a run the lowest method is first.
pub(super) fn sort<'a>(
    items: &mut [Keyed],
    text: &dyn Fn(u32) -> &'a [u8],
    each: &mut dyn FnMut(&mut [Keyed]),
) {
    sort_from(0, items, text, each);
}

fn sort_from<'a>(
    mut depth: usize,
    items: &mut [Keyed],
    text: &dyn Fn(u32) -> &'a [u8],
    each: &mut dyn FnMut(&mut [Keyed]),
) {
    while items.len() > 1 && depth < DEEPEST {
        items
            .iter_mut()
            .for_each(|i| i.set_key(step_at(text(i.method()), depth)));
        depth += STEP;
        if items.iter().any(|i| i.key() != items[0].key()) {
            return split(depth, items, text, each);
        }
        if is_end(items[0].key()) {
            items.sort_unstable_by_key(|item| item.0);
            return each(items);
        }
    }
    items.sort_unstable_by_key(|i| (text(i.method()), i.method()));
    for run in items.chunk_by_mut(|a, b| text(a.method()) == text(b.method())) {
        each(run);
    }
}

/// Sorts by the keys, then each run of equal keys by what follows.
fn split<'a>(
    depth: usize,
    items: &mut [Keyed],
    text: &dyn Fn(u32) -> &'a [u8],
    each: &mut dyn FnMut(&mut [Keyed]),
) {
    items.sort_unstable_by_key(|item| item.0);
    for run in items.chunk_by_mut(|a, b| a.key() == b.key()) {
        if run.len() == 1 || is_end(run[0].key()) {
            each(run);
        } else {
            sort_from(depth, run, text, each);
        }
    }
}

/// Eight bytes from `depth` on as a number that compares as they do; zeros behind the end.
fn step_at(text: &[u8], depth: usize) -> u64 {
    let rest = text.get(depth..).unwrap_or_default();
    match rest.first_chunk() {
        Some(step) => u64::from_be_bytes(*step),
        None => {
            let number = rest.iter().fold(0, |key, &byte| key << 8 | u64::from(byte));
            let behind = 8 * (STEP - rest.len()) as u32;
            number.checked_shl(behind).unwrap_or(0)
        }
    }
}

/// Whether the text ends within this step.
fn is_end(key: u64) -> bool {
    key as u8 == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_come_in_order_and_equal_ones_together() {
        let long = "x".repeat(DEEPEST + 3);
        let beginnings = ["", "a", "abcdefgh", "abcdefghi", "abcdefgz", &long];
        let mut texts: Vec<String> = Vec::new();
        for _ in 0..2 {
            for (a, b) in [("", ""), ("", "q"), ("qq", "r"), (&long, "1"), (&long, "")] {
                texts.extend(beginnings.map(|beginning| format!("{beginning}{a}{b}")));
            }
        }
        let text = |i: u32| texts[i as usize].as_bytes();
        let mut want: Vec<u32> = (0..texts.len() as u32).collect();
        want.sort_by_key(|&i| text(i));
        let mut items: Vec<Keyed> = want.iter().rev().map(|&i| Keyed::new(i)).collect();
        let (mut got, mut runs) = (Vec::new(), 0);
        sort(&mut items, &text, &mut |run| {
            assert!(
                run.iter()
                    .all(|i| text(i.method()) == text(run[0].method()))
            );
            got.extend(run.iter().map(|i| i.method()));
            runs += 1;
        });
        assert_eq!(got, want);
        texts.sort_unstable();
        texts.dedup();
        assert_eq!(runs, texts.len());
    }
}
