//! Tables in `Code` that contain offsets: lines, local variables, character ranges and type annotations. They are updated
//! in place, because no entry grows.

use super::error::ClassError;
use super::input::{Cursor, read_u16};

/// Maps offsets of the old code to the new code.
pub(crate) trait Moves {
    /// New start of a range that starts at an old offset.
    fn start(&self, old: u16, what: &'static str) -> Result<u16, ClassError>;
    /// New end of a range that ends before an old offset, which may be the end of the code.
    fn end(&self, old: u32, what: &'static str) -> Result<u16, ClassError>;
    /// New offset of the instruction itself.
    fn instruction(&self, old: u16, what: &'static str) -> Result<u16, ClassError>;
    /// New number of an entry of the exception table.
    fn handler(&self, old: u16) -> u16;
}

/// Moves the content of a `LineNumberTable`: start_pc and line_number (specification, 4.7.12).
pub(crate) fn move_lines(
    content: &mut [u8],
    at: usize,
    moves: &impl Moves,
) -> Result<(), ClassError> {
    for entry in entries(content, at, 4, "LineNumberTable")? {
        let start = moves.start(read_u16(entry, 0), "LineNumberTable")?;
        put(entry, 0, start);
    }
    Ok(())
}

/// Moves a `LocalVariableTable` or `LocalVariableTypeTable`: start_pc, length, three indexes
/// (specification, 4.7.13 and 4.7.14).
pub(crate) fn move_variables(
    content: &mut [u8],
    at: usize,
    moves: &impl Moves,
) -> Result<(), ClassError> {
    for entry in entries(content, at, 10, "LocalVariableTable")? {
        move_range(entry, moves, "LocalVariableTable")?;
    }
    Ok(())
}

/// Moves a `CharacterRangeTable`, which `javac -Xjcov` writes for coverage tools: start_pc, end_pc (the last byte of the
/// range), start and end of the range in the source, flags (javac's `CRTable`).
pub(crate) fn move_character_ranges(
    content: &mut [u8],
    at: usize,
    moves: &impl Moves,
) -> Result<(), ClassError> {
    const WHAT: &str = "CharacterRangeTable";
    for entry in entries(content, at, 14, WHAT)? {
        let start = moves.start(read_u16(entry, 0), WHAT)?;
        let end = moves.end(u32::from(read_u16(entry, 2)) + 1, WHAT)?;
        put(entry, 0, start);
        put(entry, 2, end.saturating_sub(1));
    }
    Ok(())
}

/// Moves a range given as start and length.
fn move_range(entry: &mut [u8], moves: &impl Moves, what: &'static str) -> Result<(), ClassError> {
    let (old, length) = (read_u16(entry, 0), read_u16(entry, 2));
    let start = moves.start(old, what)?;
    let end = moves.end(u32::from(old) + u32::from(length), what)?;
    put(entry, 0, start);
    // An empty range stays empty.
    put(
        entry,
        2,
        if length == 0 {
            0
        } else {
            end.saturating_sub(start)
        },
    );
    Ok(())
}

/// The entries of a table of `count` entries of the same size.
fn entries<'c>(
    content: &'c mut [u8],
    at: usize,
    size: usize,
    what: &'static str,
) -> Result<impl Iterator<Item = &'c mut [u8]> + use<'c>, ClassError> {
    let mut cursor = Cursor::new(content, at);
    let count = usize::from(cursor.u16(what)?);
    cursor.take(count * size, what)?;
    cursor.end(what)?;
    Ok(content[2..].chunks_exact_mut(size))
}

fn put(bytes: &mut [u8], at: usize, value: u16) {
    bytes[at..at + 2].copy_from_slice(&value.to_be_bytes());
}

/// Moves type annotations of code (specification, 4.7.20). Their targets contain offsets, ranges and exception table
/// entries.
pub(crate) fn move_type_annotations(
    content: &mut [u8],
    at: usize,
    moves: &impl Moves,
) -> Result<(), ClassError> {
    const WHAT: &str = "type annotation";
    let mut changes: Vec<(usize, u16)> = Vec::new();
    let mut cursor = Cursor::new(content, at);
    for _ in 0..cursor.u16(WHAT)? {
        let target = cursor.u8(WHAT)?;
        match target {
            // Type parameter, supertype, bound, field or return, parameter, throws.
            0x00 | 0x01 | 0x16 => cursor.take(1, WHAT).map(|_| ())?,
            0x10..=0x12 | 0x17 => cursor.take(2, WHAT).map(|_| ())?,
            0x13..=0x15 => {}
            // Variables: ranges and an index.
            0x40 | 0x41 => {
                for _ in 0..cursor.u16(WHAT)? {
                    let place = cursor.consumed();
                    let mut entry = [0; 4];
                    entry.copy_from_slice(cursor.take(4, WHAT)?);
                    move_range(&mut entry, moves, WHAT)?;
                    changes.push((place, read_u16(&entry, 0)));
                    changes.push((place + 2, read_u16(&entry, 2)));
                    cursor.take(2, WHAT)?;
                }
            }
            // The class caught by a handler.
            0x42 => {
                let place = cursor.consumed();
                changes.push((place, moves.handler(cursor.u16(WHAT)?)));
            }
            // instanceof, new, method references; from 0x47 on with the number of a type argument.
            0x43..=0x4b => {
                let place = cursor.consumed();
                let moved = moves.instruction(cursor.u16(WHAT)?, WHAT)?;
                changes.push((place, moved));
                cursor.take(usize::from(target >= 0x47), WHAT)?;
            }
            _ => return Err(cursor.wrong("target_type", target.into(), 1)),
        }
        let path = cursor.u8(WHAT)?;
        cursor.take(2 * usize::from(path), WHAT)?;
        skip_annotation(&mut cursor, 0)?;
    }
    cursor.end(WHAT)?;
    for (place, value) in changes {
        put(content, place, value);
    }
    Ok(())
}

/// Maximum nesting of annotations. Real code has a few levels.
const MAX_DEPTH: usize = 64;

/// Skips an annotation: its type and its named values.
pub(crate) fn skip_annotation(cursor: &mut Cursor<'_>, depth: usize) -> Result<(), ClassError> {
    cursor.u16("annotation")?;
    for _ in 0..cursor.u16("annotation")? {
        cursor.u16("annotation")?;
        skip_value(cursor, depth)?;
    }
    Ok(())
}

fn skip_value(cursor: &mut Cursor<'_>, depth: usize) -> Result<(), ClassError> {
    const WHAT: &str = "value of an annotation";
    let tag = cursor.u8(WHAT)?;
    if depth > MAX_DEPTH {
        return Err(cursor.wrong("depth of annotations", depth as u32, 1));
    }
    match tag {
        b'B' | b'C' | b'D' | b'F' | b'I' | b'J' | b'S' | b'Z' | b's' | b'c' => {
            cursor.take(2, WHAT).map(|_| ())
        }
        b'e' => cursor.take(4, WHAT).map(|_| ()),
        b'@' => skip_annotation(cursor, depth + 1),
        b'[' => {
            for _ in 0..cursor.u16(WHAT)? {
                skip_value(cursor, depth + 1)?;
            }
            Ok(())
        }
        _ => Err(cursor.wrong(WHAT, tag.into(), 1)),
    }
}
