//! Parses printf format strings into literal text and conversions.

use super::object::Object;

/// How a conversion formats its argument.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Conversion {
    /// `%d`, `%i`: a signed number of this many bytes.
    Signed(u8),
    /// `%u`: an unsigned number of this many bytes.
    Unsigned(u8),
    /// `%o`: a number of this many bytes.
    Octal(u8),
    /// `%x`, `%X`: a number of this many bytes.
    Hex(u8),
    /// `%c`.
    Character,
    /// `%s`.
    Text,
    /// `%p`, `%px`.
    Pointer,
    /// `%pd`, `%pI4` and others that print the object at an address.
    Pointed(Object),
    /// `%ps`, `%pf`: the function at an address.
    Function,
    /// `%pS`, `%pF`, `%pB`: the function at an address, and the offset from its start.
    FunctionOffset,
}

impl Conversion {
    /// The size of a number's argument, bytes; `None` if it prints none.
    pub fn number_bytes(self) -> Option<u8> {
        match self {
            Self::Signed(size) | Self::Unsigned(size) | Self::Octal(size) | Self::Hex(size) => {
                Some(size)
            }
            _ => None,
        }
    }
}

/// A conversion and the text before it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Piece {
    /// Literal text since the previous conversion.
    pub before: Vec<u8>,
    pub conversion: Conversion,
    /// The minimum width.
    pub width: Size,
    /// The maximum number of characters of a text, or the minimum number of digits of a number.
    pub precision: Option<Size>,
    pub style: Style,
}

/// A width or a precision.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Size {
    Fixed(usize),
    /// `*`: an argument before that of the conversion.
    Argument,
}

/// The flags of a conversion.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Style {
    /// `-`: the padding follows.
    pub left: bool,
    /// `0`: the padding is zeros.
    pub zeros: bool,
    /// `+`, or a space: the sign of a number that is not negative.
    pub sign: Option<u8>,
    /// `#`: `0x` or `0` before the digits.
    pub prefix: bool,
    /// `%X`: capital letters.
    pub capitals: bool,
}

impl Piece {
    /// The number of `*`, each of which takes an argument.
    pub fn stars(&self) -> usize {
        let sizes = [Some(self.width), self.precision];
        let is_star = |size: &&Option<Size>| **size == Some(Size::Argument);
        sizes.iter().filter(is_star).count()
    }
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
fn piece(text: &[u8], at: usize, long_bytes: usize) -> Option<(Piece, usize)> {
    let (mut style, at) = style(text, at);
    let (width, mut at) = size(text, at);
    let mut precision = None;
    if text.get(at) == Some(&b'.') {
        let (limit, end) = size(text, at + 1);
        (precision, at) = (Some(limit), end);
    }
    let (bytes, at) = length(text, at, long_bytes);
    style.capitals = text.get(at) == Some(&b'X');
    let (conversion, at) = conversion(text, at, bytes)?;
    let piece = Piece {
        before: Vec::new(),
        conversion,
        width,
        precision,
        style,
    };
    Some((piece, at))
}

/// Parses flags. Also returns where they end.
fn style(text: &[u8], mut at: usize) -> (Style, usize) {
    let mut style = Style::default();
    while let Some(&flag) = text.get(at).filter(|byte| b"-+ #0'".contains(byte)) {
        match flag {
            b'-' => style.left = true,
            b'0' => style.zeros = true,
            b'#' => style.prefix = true,
            b'+' => style.sign = Some(flag),
            b' ' => style.sign = style.sign.or(Some(flag)),
            _ => {}
        }
        at += 1;
    }
    (style, at)
}

/// Parses a width or a precision, which may be empty. Also returns where it ends.
fn size(text: &[u8], mut at: usize) -> (Size, usize) {
    if text.get(at) == Some(&b'*') {
        return (Size::Argument, at + 1);
    }
    let mut value = 0usize;
    while let Some(digit) = text.get(at).filter(|byte| byte.is_ascii_digit()) {
        let digit = usize::from(digit - b'0');
        value = value.saturating_mul(10).saturating_add(digit);
        at += 1;
    }
    (Size::Fixed(value), at)
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
        b'u' => Conversion::Unsigned(size),
        b'o' => Conversion::Octal(size),
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
    let letters = &text[at..end];
    let kind = match letters {
        [] | [b'x' | b'K' | b'e', ..] => Conversion::Pointer,
        // `%pfw` prints a firmware node.
        [b'f' | b'F', b'w', ..] => Conversion::Pointed(Object::Other),
        [b's' | b'f', ..] => Conversion::Function,
        [b'S' | b'F' | b'B', ..] => Conversion::FunctionOffset,
        _ => Conversion::Pointed(Object::of(letters)),
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
        assert_eq!(template.pieces[4].precision, Some(Size::Fixed(8)));
        assert!(template.pieces[4].style.left);
        assert_eq!(template.pieces[5].stars(), 1);
        assert!(template.pieces[1].style.zeros);
        assert_eq!(template.pieces[1].width, Size::Fixed(3));
        assert_eq!(template.after, b"%q");
    }
}
