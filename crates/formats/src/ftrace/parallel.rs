//! Reading pieces of a text on several threads, and handing them on in their order.
//!
//! ```text
//! pieces     0   1   2   3   4   5   6
//! helpers    claim the next piece nobody has, tokenize it, leave it in its slot
//! consumer   takes slot 0, 1, 2 … in order; while the next one is not ready, it helps
//! ```
//! Every piece is read on its own and consumed in its order, so the result cannot depend on the
//! number of threads.

use super::piece::Piece;
use super::tokenize::{Scratch, tokenize};

/// Bytes of a piece: small enough that its events stay in the cache until they are consumed.
pub(crate) const PIECE_BYTES: usize = 128 << 10;

/// The lines that begin in the nth [`PIECE_BYTES`] of `text`, of which the last may lack its
/// newline. Each piece is found without the ones before it, so that whoever reads it is the first
/// to touch its pages: finding them all takes as long as mapping the file.
fn nth_piece(text: &[u8], nth: usize) -> &[u8] {
    let (from, to) = (nth * PIECE_BYTES, (nth + 1) * PIECE_BYTES);
    let start = match from.checked_sub(1) {
        None => Some(0),
        Some(before) => line_start(text, before, to - 1),
    };
    let Some(start) = start else {
        return &[];
    };
    &text[start..line_start(text, to - 1, text.len()).unwrap_or(text.len())]
}

/// How many bytes the nth of a text's [`PIECE_BYTES`] has.
fn bytes_of(text: &[u8], nth: usize) -> usize {
    (text.len() - nth * PIECE_BYTES).min(PIECE_BYTES)
}

/// Behind the first newline from `from` on and before `to`.
fn line_start(text: &[u8], from: usize, to: usize) -> Option<usize> {
    let within = text.get(from..to.min(text.len()))?;
    Some(from + memchr::memchr(b'\n', within)? + 1)
}

/// Pieces whose memory can be used again.
#[derive(Debug, Default)]
pub(crate) struct Spare(Vec<Piece<'static>>);

/// Tokenizes `text` and hands its pieces to `consume` in order, each with its bytes.
pub(crate) fn each_piece<'a>(
    text: &'a [u8],
    threads: usize,
    spare: &mut Spare,
    mut consume: impl FnMut(usize, &Piece<'a>),
) {
    #[cfg(feature = "threads")]
    if threads > 1 && text.len() > PIECE_BYTES * 2 {
        return threaded::each_piece(text, threads - 1, spare, consume);
    }
    let _ = threads;
    let mut piece = spare.0.pop().unwrap_or_default().emptied();
    let mut scratch = Scratch::default();
    for nth in 0..text.len().div_ceil(PIECE_BYTES) {
        tokenize(nth_piece(text, nth), &mut scratch, &mut piece);
        consume(bytes_of(text, nth), &piece);
    }
    spare.0.push(piece.emptied());
}

#[cfg(feature = "threads")]
mod threaded {
    use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

    use super::{PIECE_BYTES, Piece, Scratch, Spare, bytes_of, nth_piece, tokenize};

    /// How many pieces helpers may be ahead of the consumer, for each helper: enough that nobody
    /// has to wake anybody often, and little memory.
    const AHEAD: usize = 16;

    struct State<'a> {
        /// The pieces that are read and not consumed yet: piece `n` stands in slot `n % slots.len()`.
        slots: Vec<Option<Piece<'a>>>,
        next_unclaimed: usize,
        consumed: usize,
        spare: Vec<Piece<'a>>,
        /// How many helpers wait for room.
        waiting: usize,
        /// Whether the consumer waits for a piece.
        starving: bool,
        over: bool,
    }

    struct Shared<'a> {
        text: &'a [u8],
        pieces: usize,
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
        spare: &mut Spare,
        mut consume: impl FnMut(usize, &Piece<'a>),
    ) {
        let shared = Shared::new(text, helpers, spare);
        std::thread::scope(|scope| {
            let _over = Over(&shared);
            for _ in 0..helpers.min(shared.pieces) {
                // Where no thread can be had, the consumer reads every piece itself.
                let _ = std::thread::Builder::new().spawn_scoped(scope, || shared.help());
            }
            let mut scratch = Scratch::default();
            for index in 0..shared.pieces {
                let piece = shared.take(index, &mut scratch);
                consume(bytes_of(text, index), &piece);
                shared.give_back(piece);
            }
        });
        let state = shared.state.into_inner();
        let unused = state.unwrap_or_else(PoisonError::into_inner).spare;
        spare.0.extend(unused.into_iter().map(Piece::emptied));
    }

    /// A piece being read. Dropped only if reading panics: then nobody may wait for it for ever.
    struct Claim<'s, 'a> {
        shared: &'s Shared<'a>,
        index: usize,
    }

    impl Drop for Claim<'_, '_> {
        fn drop(&mut self) {
            self.shared.lock().put(self.index, Piece::default());
            self.shared.ready.notify_all();
        }
    }

    impl<'a> Shared<'a> {
        fn new(text: &'a [u8], helpers: usize, spare: &mut Spare) -> Self {
            let pieces = text.len().div_ceil(PIECE_BYTES);
            let ahead = helpers * AHEAD;
            Self {
                text,
                pieces,
                state: Mutex::new(State {
                    slots: (0..=ahead).map(|_| None).collect(),
                    next_unclaimed: 0,
                    consumed: 0,
                    spare: spare.0.drain(..).map(Piece::emptied).collect(),
                    waiting: 0,
                    starving: false,
                    over: false,
                }),
                ready: Condvar::new(),
                room: Condvar::new(),
                ahead,
            }
        }

        fn lock(&self) -> MutexGuard<'_, State<'a>> {
            self.state.lock().unwrap_or_else(PoisonError::into_inner)
        }

        fn help(&self) {
            let mut scratch = Scratch::default();
            let mut state = self.lock();
            while !state.over && state.next_unclaimed < self.pieces {
                if state.next_unclaimed >= state.consumed + self.ahead {
                    state.waiting += 1;
                    state = self
                        .room
                        .wait(state)
                        .unwrap_or_else(PoisonError::into_inner);
                    state.waiting -= 1;
                    continue;
                }
                state = self.tokenize_next(state, &mut scratch);
                // Telling nobody would cost a call of the kernel.
                if state.starving {
                    self.ready.notify_one();
                }
            }
        }

        /// Claims the next piece, reads it and leaves it in its slot.
        fn tokenize_next<'s>(
            &'s self,
            mut state: MutexGuard<'s, State<'a>>,
            scratch: &mut Scratch<'a>,
        ) -> MutexGuard<'s, State<'a>> {
            let index = state.claim();
            let mut piece = state.spare.pop().unwrap_or_default();
            drop(state);
            let claim = Claim {
                shared: self,
                index,
            };
            tokenize(nth_piece(self.text, index), scratch, &mut piece);
            std::mem::forget(claim);
            let mut state = self.lock();
            state.put(index, piece);
            state
        }

        /// The piece `index`, which is the next in order.
        fn take(&self, index: usize, scratch: &mut Scratch<'a>) -> Piece<'a> {
            let mut state = self.lock();
            loop {
                if let Some(piece) = state.slot(index).take() {
                    return piece;
                }
                let may_help = state.next_unclaimed < self.pieces.min(index + self.ahead);
                if may_help {
                    state = self.tokenize_next(state, scratch);
                    continue;
                }
                state.starving = true;
                let waited = self.ready.wait(state);
                state = waited.unwrap_or_else(PoisonError::into_inner);
                state.starving = false;
            }
        }

        fn give_back(&self, piece: Piece<'a>) {
            let mut state = self.lock();
            state.spare.push(piece);
            state.consumed += 1;
            // Helpers that wait are woken when half their room is free, not for every piece.
            let room = state.next_unclaimed <= state.consumed + self.ahead / 2;
            let wake = state.waiting > 0 && room;
            // Whoever is woken wants the lock.
            drop(state);
            if wake {
                self.room.notify_all();
            }
        }
    }

    impl<'a> State<'a> {
        fn claim(&mut self) -> usize {
            self.next_unclaimed += 1;
            self.next_unclaimed - 1
        }

        fn slot(&mut self, index: usize) -> &mut Option<Piece<'a>> {
            let slot = index % self.slots.len();
            &mut self.slots[slot]
        }

        fn put(&mut self, index: usize, piece: Piece<'a>) {
            *self.slot(index) = Some(piece);
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
            let mut spare = Spare::default();
            for text in [&text[..0], &text] {
                each_piece(text, threads, &mut spare, |_, piece| {
                    let mut records = piece.records();
                    tids.extend(std::iter::from_fn(|| Some(records.next()?.tid)));
                });
            }
            assert!(tids.iter().copied().eq(0..40_000), "{threads} threads");
        }
    }

    #[test]
    fn every_line_is_in_one_piece() {
        let long = "x".repeat(3 * PIECE_BYTES);
        let fits = "y".repeat(PIECE_BYTES - 1);
        for text in [
            String::new(),
            "\n".to_owned(),
            format!("{fits}\n"),
            format!("{fits}\na\n{fits}\nb"),
            format!("a\n{long}\nb\n{long}"),
            format!("{long}\n{fits}\n{fits}\n{fits}z\n\n\n{long}\n"),
        ] {
            let pieces = 0..text.len().div_ceil(PIECE_BYTES);
            let pieces = pieces.map(|nth| nth_piece(text.as_bytes(), nth));
            let pieces: Vec<_> = pieces.filter(|piece| !piece.is_empty()).collect();
            assert_eq!(pieces.concat(), text.as_bytes());
            let (_, before) = pieces.split_last().unwrap_or((&&b""[..], &[]));
            assert!(before.iter().all(|piece| piece.ends_with(b"\n")));
        }
    }
}
