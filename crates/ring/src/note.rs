//! Notes: facts that are written once and never overwritten, such as the names of ids.
//!
//! ```text
//!  0      1      2         4     8                64
//! ┌──────┬──────┬─────────┬─────┬─────────────────┐
//! │ kind │ part │ bytes   │ id  │ text            │   A longer text continues in the next cells,
//! └──────┴──────┴─────────┴─────┴─────────────────┘   whose part is 1, 2, …
//! ```
//! The first eight bytes are stored last: a cell whose kind is 0 was never finished.

use crate::bytes::u32_at;
use crate::layout::NOTE_BYTES;

/// Offset of the text in a cell, bytes.
const TEXT_AT: usize = 8;

/// Room for text in a cell, bytes.
const CELL_TEXT: usize = NOTE_BYTES - TEXT_AT;

/// The subject of a note.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum NoteKind {
    /// The name of an id.
    Name = 1,
    /// The name of the thread with this number (field `thread` of its chunks).
    ThreadName = 2,
    /// The source location of the method with this id: `File.java`, or `File.java:12`.
    Source = 3,
}

/// A note.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Note {
    pub kind: NoteKind,
    /// The id or thread number it describes.
    pub id: u32,
    pub text: Vec<u8>,
}

/// The cells of a note: `text` describes `id`.
pub fn note_cells(kind: NoteKind, id: u32, text: &[u8]) -> impl Iterator<Item = [u8; NOTE_BYTES]> {
    let count = text.len().div_ceil(CELL_TEXT).clamp(1, 256);
    (0..count).map(move |part| {
        let rest = &text[(part * CELL_TEXT).min(text.len())..];
        let rest = &rest[..rest.len().min(CELL_TEXT)];
        let mut cell = [0; NOTE_BYTES];
        cell[0] = kind as u8;
        cell[1] = part as u8;
        cell[2..4].copy_from_slice(&(rest.len() as u16).to_le_bytes());
        cell[4..8].copy_from_slice(&id.to_le_bytes());
        cell[TEXT_AT..TEXT_AT + rest.len()].copy_from_slice(rest);
        cell
    })
}

/// Reads notes, skipping unfinished cells.
pub(crate) fn read(cells: &[u8]) -> Vec<Note> {
    let mut notes: Vec<Note> = Vec::new();
    // The part that would continue the last note; 0 if nothing can.
    let mut next_part = 0;
    for cell in cells.chunks_exact(NOTE_BYTES) {
        let kind = match cell[0] {
            1 => NoteKind::Name,
            2 => NoteKind::ThreadName,
            3 => NoteKind::Source,
            _ => {
                next_part = 0;
                continue;
            }
        };
        let (part, id) = (cell[1], u32_at(cell, 4));
        let bytes = usize::from(cell[2]).min(CELL_TEXT);
        let text = &cell[TEXT_AT..TEXT_AT + bytes];
        match notes.last_mut() {
            Some(last) if part != 0 && part == next_part && last.kind == kind && last.id == id => {
                last.text.extend_from_slice(text);
                next_part = next_part.wrapping_add(1);
            }
            _ if part == 0 => {
                let text = text.to_vec();
                notes.push(Note { kind, id, text });
                next_part = 1;
            }
            _ => next_part = 0,
        }
    }
    notes
}

impl Note {
    /// File and line of a [`NoteKind::Source`] note.
    pub fn source(&self) -> (&[u8], Option<u32>) {
        let colon = self.text.iter().rposition(|byte| *byte == b':');
        let file_and_line = colon.and_then(|at| {
            let line = std::str::from_utf8(&self.text[at + 1..]).ok()?;
            Some((&self.text[..at], Some(line.parse().ok()?)))
        });
        file_and_line.unwrap_or((&self.text, None))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_take_several_cells_and_unfinished_cells_are_skipped() {
        let long: Vec<u8> = (0..150).map(|byte| b'a' + byte % 26).collect();
        let mut cells: Vec<u8> = note_cells(NoteKind::Name, 7, &long).flatten().collect();
        assert_eq!(cells.len(), 3 * NOTE_BYTES);
        cells.extend([0; NOTE_BYTES]);
        cells.extend(note_cells(NoteKind::ThreadName, 3, b"").flatten());
        cells.extend(note_cells(NoteKind::Name, 8, b"x").flatten());
        let note = |kind, id, text: &[u8]| Note {
            kind,
            id,
            text: text.to_vec(),
        };
        cells.extend(note_cells(NoteKind::Source, 8, b"X.java:12").flatten());
        assert_eq!(
            read(&cells),
            [
                note(NoteKind::Name, 7, &long),
                note(NoteKind::ThreadName, 3, b""),
                note(NoteKind::Name, 8, b"x"),
                note(NoteKind::Source, 8, b"X.java:12")
            ]
        );
        let source = |text: &[u8]| note(NoteKind::Source, 8, text);
        assert_eq!(source(b"X.java:12").source(), (&b"X.java"[..], Some(12)));
        assert_eq!(source(b"X.java").source(), (&b"X.java"[..], None));
        assert_eq!(source(b"C:x").source(), (&b"C:x"[..], None));
    }
}
