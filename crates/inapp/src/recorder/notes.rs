//! Writing notes: names that are written once and never overwritten.

use std::sync::atomic::Ordering;

use traceloom_ring::layout::{HEADER_BYTES, NOTE_BYTES, header_at};
use traceloom_ring::{NoteKind, note_cells};

use super::session::Session;

/// Adds a note to the file. False if there is no room, which is counted as a loss.
pub(crate) fn put(session: &Session, kind: NoteKind, id: u32, text: &[u8]) -> bool {
    let cells = note_cells(kind, id, text).count() as u32;
    let used = session.map.u32(header_at::NOTES_USED);
    let first = used.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |used| {
        used.checked_add(cells)
            .filter(|used| *used <= session.note_cells)
    });
    let Ok(first) = first else {
        session.add(header_at::LOST_NOTES, 1);
        return false;
    };
    for (index, cell) in note_cells(kind, id, text).enumerate() {
        let at = HEADER_BYTES + (first as usize + index) * NOTE_BYTES;
        let (words, _) = cell.as_chunks();
        for (index, word) in words.iter().enumerate().skip(1) {
            let word = u64::from_le_bytes(*word);
            session
                .map
                .u64(at + index * 8)
                .store(word, Ordering::Relaxed);
        }
        // The first word holds the kind. It is stored last, and readers ignore the cell until then.
        let first = words.first().copied().unwrap_or_default();
        let word = u64::from_le_bytes(first);
        session.map.u64(at).store(word, Ordering::Release);
    }
    true
}
