//! The stack of open calls of one thread, and the rule for exits that do not match it.

use rustc_hash::FxHashMap;

/// The open calls of one thread, each with the caller's data.
///
/// Exits are always matched by the same rule:
///
/// ```text
/// open: a b c    exit c  ->  0 inner calls: close c
/// open: a b c    exit a  ->  2 inner calls: close a, and also b and c, whose exits are missing
/// open: a b c    exit x  ->  None: x was called before the recording began; ignore
/// ```
///
/// Each operation takes amortised constant time, even for a broken trace: from the first mismatch
/// on, the stack counts how often each key is open.
#[derive(Clone, Debug)]
pub struct CallStack<F> {
    frames: Vec<(u32, F)>,
    open: Option<FxHashMap<u32, u32>>,
}

impl<F> Default for CallStack<F> {
    fn default() -> Self {
        Self {
            frames: Vec::new(),
            open: None,
        }
    }
}

impl<F> CallStack<F> {
    /// The number of open calls.
    #[inline]
    pub fn depth(&self) -> usize {
        self.frames.len()
    }

    /// The innermost open call.
    #[inline]
    pub fn top(&self) -> Option<&F> {
        self.frames.last().map(|(_, frame)| frame)
    }

    /// The innermost open call, mutable.
    #[inline]
    pub fn top_mut(&mut self) -> Option<&mut F> {
        self.frames.last_mut().map(|(_, frame)| frame)
    }

    /// All open calls, outermost first.
    pub fn frames(&self) -> impl DoubleEndedIterator<Item = &F> {
        self.frames.iter().map(|(_, frame)| frame)
    }

    /// Opens a call of `key`.
    #[inline]
    pub fn push(&mut self, key: u32, frame: F) {
        self.frames.push((key, frame));
        if let Some(open) = &mut self.open {
            count_one(open, key);
        }
    }

    /// Closes the innermost call.
    #[inline]
    pub fn pop(&mut self) -> Option<F> {
        let (key, frame) = self.frames.pop()?;
        if let Some(open) = &mut self.open {
            forget_one(open, key);
        }
        Some(frame)
    }

    /// Closes the innermost call if it has this key.
    #[inline]
    pub fn pop_innermost(&mut self, key: u32) -> Option<F> {
        let (_, frame) = self.frames.pop_if(|(open_key, _)| *open_key == key)?;
        if let Some(open) = &mut self.open {
            forget_one(open, key);
        }
        Some(frame)
    }

    /// The number of calls that are open inside the innermost call of `key`; `None` if `key` is not
    /// open. To close it, call [`pop`](Self::pop) once more than that.
    #[inline]
    pub fn inner_calls(&mut self, key: u32) -> Option<usize> {
        if self.frames.last()?.0 == key {
            return Some(0);
        }
        self.search(key)
    }

    #[cold]
    fn search(&mut self, key: u32) -> Option<usize> {
        let frames = &self.frames;
        let open = self.open.get_or_insert_with(|| count_keys(frames));
        open.get(&key)?;
        frames
            .iter()
            .rev()
            .position(|(open_key, _)| *open_key == key)
    }
}

fn count_keys<F>(frames: &[(u32, F)]) -> FxHashMap<u32, u32> {
    let mut open = FxHashMap::default();
    for (key, _) in frames {
        *open.entry(*key).or_default() += 1;
    }
    open
}

#[cold]
fn count_one(open: &mut FxHashMap<u32, u32>, key: u32) {
    *open.entry(key).or_default() += 1;
}

#[cold]
fn forget_one(open: &mut FxHashMap<u32, u32>, key: u32) {
    if let Some(count) = open.get_mut(&key) {
        *count -= 1;
        if *count == 0 {
            open.remove(&key);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stack(keys: &[u32]) -> CallStack<()> {
        let mut stack = CallStack::default();
        keys.iter().for_each(|&key| stack.push(key, ()));
        stack
    }

    #[test]
    fn the_rule_of_the_drawing() {
        let (a, b, c, x) = (1, 2, 3, 9);
        assert_eq!(stack(&[a, b, c]).inner_calls(c), Some(0));
        assert_eq!(stack(&[a, b, c]).inner_calls(a), Some(2));
        assert_eq!(stack(&[a, b, c]).inner_calls(x), None);
        assert_eq!(stack(&[]).inner_calls(x), None);
    }

    #[test]
    fn counting_starts_late_and_stays_right() {
        let mut stack = stack(&[1, 2, 1]);
        assert_eq!(stack.inner_calls(7), None);
        stack.push(7, ());
        assert_eq!(stack.inner_calls(1), Some(1));
        (0..3).for_each(|_| assert!(stack.pop().is_some()));
        assert_eq!(stack.inner_calls(7), None);
        assert_eq!(stack.inner_calls(2), None);
        assert_eq!(stack.inner_calls(1), Some(0));
    }
}
