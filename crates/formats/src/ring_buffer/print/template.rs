//! Parses printf format strings into literal text and conversions.

/// How a conversion formats its argument.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Conversion {
    /// `%d`, `%i`: a signed number of this many bytes.
    Signed(u8),
    /// `%u`, `%o`: an unsigned number of this many bytes.
    Unsigned(u8),
    /// `%x`: a number of this many bytes.
    Hex(u8),
    /// `%c`.
    Character,
    /// `%s`.
    Text,
    /// `%p`, `%px`.
    Pointer,
    /// `%pd`, `%pI4` and others that print the object at an address.
    Pointed,
    /// `%ps`, `%pf`: the function at an address.
    Function,
    /// `%pS`, `%pF`, `%pB`: the function at an address, and the offset from its start.
    FunctionOffset,
}

/// A conversion and the text before it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Piece {
    /// Literal text since the previous conversion.
    pub before: Vec<u8>,
    pub conversion: Conversion,
    /// The minimum width. Shorter texts are padded with `pad`, which is `0` or a space.
    pub width: usize,
    pub pad: u8,
    /// The number of `*`, each of which takes an argument for the width or the precision.
    pub stars: u8,
    /// The maximum number of characters of a text.
    pub precision: Option<usize>,
}

/// A parsed format string.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Template {
    pub pieces: Vec<Piece>,
    /// Literal text after the last conversion.
    pub after: Vec<u8>,
}

impl Template {
    /// Parses a format string; `long_bytes` is the size of the kernel's `long`.
    pub fn parse(text: &[u8], long_bytes: usize) -> Self {
        let mut template = Self::default();
        let mut at = 0;
        while let Some(&byte) = text.get(at) {
            at += 1;
            if byte != b'%' {
                template.after.push(byte);
            } else if text.get(at) == Some(&b'%') {
                template.after.push(b'%');
                at += 1;
            } else if let Some((piece, end)) = piece(text, at, long_bytes) {
                let before = std::mem::take(&mut template.after);
                template.pieces.push(Piece { before, ..piece });
                at = end;
            } else {
                template.after.push(b'%');
            }
        }
        template
    }
}

/// Parses the conversion after a `%`. Also returns where it ends.
fn piece(text: &[u8], mut at: usize, long_bytes: usize) -> Option<(Piece, usize)> {
    let (mut pad, mut stars, mut width, mut precision) = (b' ', 0, 0usize, None);
    while let Some(flag) = text.get(at).filter(|byte| b"-+ #0'".contains(byte)) {
        if *flag == b'0' {
            pad = b'0';
        }
        at += 1;
    }
    let mut number = |at: &mut usize| {
        let mut value = 0usize;
        if text.get(*at) == Some(&b'*') {
            stars += 1;
            *at += 1;
        }
        while let Some(digit) = text.get(*at).filter(|byte| byte.is_ascii_digit()) {
            value = value
                .saturating_mul(10)
                .saturating_add(usize::from(digit - b'0'));
            *at += 1;
        }
        value
    };
    width = width.max(number(&mut at));
    if text.get(at) == Some(&b'.') {
        at += 1;
        let limit = number(&mut at);
        precision = Some(limit);
    }
    let (size, at) = length(text, at, long_bytes);
    let (conversion, at) = conversion(text, at, size)?;
    if stars > 0 {
        precision = None;
    }
    let piece = Piece {
        before: Vec::new(),
        conversion,
        width,
        pad,
        stars,
        precision,
    };
    Some((piece, at))
}

/// Parses `h`, `l`, `ll`, `z` and similar: the size of the argument, and where the modifier ends.
fn length(text: &[u8], mut at: usize, long_bytes: usize) -> (u8, usize) {
    let mut longs = 0;
    let mut size = 4;
    while let Some(letter) = text.get(at).filter(|byte| b"hlLqjzZt".contains(byte)) {
        match letter {
            b'h' => size = (size / 2).max(1),
            b'l' => longs += 1,
            b'L' | b'q' | b'j' => longs = 2,
            _ => longs = 1,
        }
        at += 1;
    }
    let size = match longs {
        0 => size,
        1 => long_bytes as u8,
        _ => 8,
    };
    (size, at)
}

fn conversion(text: &[u8], at: usize, size: u8) -> Option<(Conversion, usize)> {
    let kind = match text.get(at)? {
        b'd' | b'i' => Conversion::Signed(size),
        b'u' | b'o' => Conversion::Unsigned(size),
        b'x' | b'X' => Conversion::Hex(size),
        b'c' => Conversion::Character,
        b's' => Conversion::Text,
        b'p' => return Some(pointer(text, at + 1)),
        _ => return None,
    };
    Some((kind, at + 1))
}

/// Parses `%p` and the letters after it, which select how the kernel prints the object.
fn pointer(text: &[u8], at: usize) -> (Conversion, usize) {
    let letters = text[at..]
        .iter()
        .take_while(|byte| byte.is_ascii_alphanumeric());
    let end = at + letters.count();
    let kind = match text.get(at) {
        Some(b's' | b'f') => Conversion::Function,
        Some(b'S' | b'F' | b'B') => Conversion::FunctionOffset,
        Some(letter) if letter.is_ascii_alphanumeric() && !b"xKe".contains(letter) => {
            Conversion::Pointed
        }
        _ => Conversion::Pointer,
    };
    (kind, end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_conversion() {
        use Conversion::*;
        let template = Template::parse(b"a=%d b=%03lu c=0x%llx 100%% %pS:%-16.8s,%*d%q", 4);
        let kinds: Vec<_> = template
            .pieces
            .iter()
            .map(|piece| piece.conversion)
            .collect();
        let expected = [
            Signed(4),
            Unsigned(4),
            Hex(8),
            FunctionOffset,
            Text,
            Signed(4),
        ];
        assert_eq!(kinds, expected);
        assert_eq!(template.pieces[3].before, b" 100% ");
        assert_eq!(template.pieces[4].precision, Some(8));
        assert_eq!(template.pieces[5].stars, 1);
        assert_eq!(
            (template.pieces[1].pad, template.pieces[1].width),
            (b'0', 3)
        );
        assert_eq!(template.after, b"%q");
    }
}
