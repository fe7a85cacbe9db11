//! Parses printf format strings into literal text and conversions.

/// What a conversion makes of its argument.
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
    /// `%pd`, `%pI4` and others that show what lies at the address.
    Pointed,
    /// `%ps`, `%pf`: the function at an address.
    Function,
    /// `%pS`, `%pF`, `%pB`: the function, and how far behind its start the address is.
    FunctionOffset,
}

/// A conversion and what stands before it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Piece {
    /// Literal text since the conversion before.
    pub before: Vec<u8>,
    pub conversion: Conversion,
    /// `0` or a space, repeated up to this width.
    pub width: usize,
    pub pad: u8,
    /// Whether `*` takes an argument for the width or the precision.
    pub stars: u8,
    /// Characters of a text at most.
    pub precision: Option<usize>,
}

/// A format string taken apart.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Template {
    pub pieces: Vec<Piece>,
    /// Literal text behind the last conversion.
    pub after: Vec<u8>,
}

impl Template {
    /// Takes a format string apart; `long_bytes` is the size of the kernel's `long`.
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

/// The conversion behind a `%`, and where it ends.
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

/// `h`, `l`, `ll`, `z` and their kin: the argument's size, and where it ends.
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

/// `%p` with what follows it: letters that choose how the kernel shows what is there.
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
