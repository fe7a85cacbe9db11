//! Reading pieces of a chunk on several threads, and handing them on in their order.
//!
//! ```text
//! pieces     0   1   2   3   4   5   6
//! helpers    claim the next piece nobody has, tokenize it, leave it in its slot
//! consumer   takes slot 0, 1, 2 … in order; while the next one is not ready, it helps
//! ```
//! Every piece is read on its own and consumed in its order, so the result cannot depend on the
//! number of threads.

use super::event::Piece;
use super::tokenize::tokenize;

/// Bytes of a piece: small enough that its events stay in the cache until they are consumed.
pub(crate) const PIECE_BYTES: usize = 64 << 10;

/// Whole lines of about [`PIECE_BYTES`], from the front of `text`; the last may lack its newline.
pub(crate) fn split(mut text: &[u8]) -> impl Iterator<Item = &[u8]> {
    std::iter::from_fn(move || {
        if text.is_empty() {
            return None;
        }
        let from = text.len().min(PIECE_BYTES);
        let end =
            memchr::memchr(b'\n', &text[from..]).map_or(text.len(), |newline| from + newline + 1);
        let (piece, rest) = text.split_at(end);
        text = rest;
        Some(piece)
    })
}

/// Tokenizes `text` and hands its pieces to `consume` in order.
pub(crate) fn each_piece<'a>(text: &'a [u8], threads: usize, mut consume: impl FnMut(&Piece<'a>)) {
    #[cfg(feature = "threads")]
    if threads > 1 && text.len() > PIECE_BYTES * 2 {
        return threaded::each_piece(text, threads - 1, consume);
    }
    let _ = threads;
    let mut piece = Piece::default();
    for text in split(text) {
        tokenize(text, &mut piece);
        consume(&piece);
    }
}

#[cfg(feature = "threads")]
mod threaded {
    use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

    use super::{Piece, split, tokenize};

    /// How many pieces helpers may be ahead of the consumer, for each helper: enough that nobody
    /// has to wake anybody often, and little memory.
    const AHEAD: usize = 16;

    enum Slot<'a> {
        Unclaimed,
        Claimed,
        Ready(Piece<'a>),
        Done,
    }

    struct State<'a> {
        slots: Vec<Slot<'a>>,
        next_unclaimed: usize,
        consumed: usize,
        spare: Vec<Piece<'a>>,
        over: bool,
    }

    struct Shared<'a> {
        texts: Vec<&'a [u8]>,
        state: Mutex<State<'a>>,
        /// A slot became ready.
        ready: Condvar,
        /// The consumer went on, so that helpers may claim more.
        room: Condvar,
        ahead: usize,
    }

    /// Ends the helpers also when the consumer panics, so that the scope can end.
    struct Over<'s, 'a>(&'s Shared<'a>);

    impl Drop for Over<'_, '_> {
        fn drop(&mut self) {
            self.0.lock().over = true;
            self.0.room.notify_all();
        }
    }

    pub(super) fn each_piece<'a>(
        text: &'a [u8],
        helpers: usize,
        mut consume: impl FnMut(&Piece<'a>),
    ) {
        let texts: Vec<&[u8]> = split(text).collect();
        let helpers = helpers.min(texts.len());
        let state = State {
            slots: texts.iter().map(|_| Slot::Unclaimed).collect(),
            next_unclaimed: 0,
            consumed: 0,
            spare: Vec::new(),
            over: false,
        };
        let shared = Shared {
            texts,
            state: Mutex::new(state),
            ready: Condvar::new(),
            room: Condvar::new(),
            ahead: helpers * AHEAD,
        };
        std::thread::scope(|scope| {
            let _over = Over(&shared);
            for _ in 0..helpers {
                // Where no thread can be had, the consumer reads every piece itself.
                let _ = std::thread::Builder::new().spawn_scoped(scope, || shared.help());
            }
            for index in 0..shared.texts.len() {
                let piece = shared.take(index);
                consume(&piece);
                shared.give_back(piece);
            }
        });
    }

    /// A piece being read. Dropped only if reading panics: then nobody may wait for it for ever.
    struct Claim<'s, 'a> {
        shared: &'s Shared<'a>,
        index: usize,
    }

    impl Drop for Claim<'_, '_> {
        fn drop(&mut self) {
            self.shared.lock().slots[self.index] = Slot::Ready(Piece::default());
            self.shared.ready.notify_all();
        }
    }

    impl<'a> Shared<'a> {
        fn lock(&self) -> MutexGuard<'_, State<'a>> {
            self.state.lock().unwrap_or_else(PoisonError::into_inner)
        }

        fn help(&self) {
            let mut state = self.lock();
            while !state.over && state.next_unclaimed < self.texts.len() {
                if state.next_unclaimed >= state.consumed + self.ahead {
                    state = self
                        .room
                        .wait(state)
                        .unwrap_or_else(PoisonError::into_inner);
                    continue;
                }
                state = self.tokenize_next(state);
                self.ready.notify_one();
            }
        }

        /// Claims the next piece, reads it and leaves it in its slot.
        fn tokenize_next<'s>(
            &'s self,
            mut state: MutexGuard<'s, State<'a>>,
        ) -> MutexGuard<'s, State<'a>> {
            let index = state.claim();
            let mut piece = state.spare.pop().unwrap_or_default();
            drop(state);
            let claim = Claim {
                shared: self,
                index,
            };
            tokenize(self.texts[index], &mut piece);
            std::mem::forget(claim);
            let mut state = self.lock();
            state.slots[index] = Slot::Ready(piece);
            state
        }

        /// The piece `index`, which is the next in order.
        fn take(&self, index: usize) -> Piece<'a> {
            let mut state = self.lock();
            loop {
                match std::mem::replace(&mut state.slots[index], Slot::Done) {
                    Slot::Ready(piece) => return piece,
                    other => state.slots[index] = other,
                }
                let may_help = state.next_unclaimed < self.texts.len().min(index + self.ahead);
                state = match may_help {
                    true => self.tokenize_next(state),
                    false => self
                        .ready
                        .wait(state)
                        .unwrap_or_else(PoisonError::into_inner),
                };
            }
        }

        fn give_back(&self, piece: Piece<'a>) {
            let mut state = self.lock();
            state.spare.push(piece);
            state.consumed += 1;
            // Helpers that wait are woken when half their room is free, not for every piece.
            if state.next_unclaimed <= state.consumed + self.ahead / 2 {
                self.room.notify_all();
            }
        }
    }

    impl State<'_> {
        fn claim(&mut self) -> usize {
            let index = self.next_unclaimed;
            self.slots[index] = Slot::Claimed;
            self.next_unclaimed += 1;
            index
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_come_in_order_and_whole() {
        let text: Vec<u8> = (0..40_000)
            .flat_map(|n| format!("a-{n} [000] 1.000000: e: n={n}\n").into_bytes())
            .collect();
        for threads in [1, 2, 4] {
            let mut tids = Vec::new();
            each_piece(&text, threads, |piece| {
                tids.extend(piece.records.iter().map(|record| record.tid));
            });
            assert!(tids.iter().copied().eq(0..40_000), "{threads} threads");
        }
    }
}
