//! Names for kernel addresses: functions, and texts that events refer to.

use rustc_hash::FxHashMap;

/// Names for the kernel's addresses.
#[derive(Clone, Debug, Default)]
pub struct Symbols {
    /// The text of `/proc/kallsyms`, unchanged.
    kallsyms: Vec<u8>,
    /// Addresses with the position of their name in `kallsyms`, sorted by address.
    functions: Vec<Function>,
    /// The position of each address's text in `text`: (start, length), in bytes.
    texts: FxHashMap<u64, (u32, u32)>,
    text: Vec<u8>,
}

#[derive(Clone, Copy, Debug)]
struct Function {
    address: u64,
    start: u32,
    length: u32,
}

/// The kernel shows zero instead of addresses that the reader may not see.
const HIDDEN: u64 = 0;

impl Symbols {
    /// Parses `/proc/kallsyms` (`address type name [module]`) and `printk_formats` (`0xaddress :
    /// "text"`). Lines of any other form are skipped.
    pub fn parse(kallsyms: &[u8], printk_formats: &[u8]) -> Self {
        let mut functions = Vec::new();
        let mut start = 0;
        for line in kallsyms.split(|&byte| byte == b'\n') {
            functions.extend(function(line, start));
            start += line.len() + 1;
        }
        functions.sort_by_key(|function| function.address);
        let mut symbols = Self {
            kallsyms: kallsyms.to_vec(),
            functions,
            ..Self::default()
        };
        for line in printk_formats.split(|&byte| byte == b'\n') {
            let start = symbols.text.len();
            if let Some(address) = text_line(line, &mut symbols.text) {
                let place = (start as u32, (symbols.text.len() - start) as u32);
                symbols.texts.insert(address, place);
            }
        }
        symbols
    }

    /// The function that contains `address`, and the offset from its start.
    pub fn function(&self, address: u64) -> Option<(&[u8], u64)> {
        let after = self
            .functions
            .partition_point(|function| function.address <= address);
        let function = self.functions.get(after.checked_sub(1)?)?;
        // The end of the last symbol is unknown.
        if after == self.functions.len() && address != function.address {
            return None;
        }
        let start = function.start as usize;
        let name = self.kallsyms.get(start..start + function.length as usize)?;
        Some((name, address - function.address))
    }

    /// The text at `address`: a format of `trace_printk`, or a name that events refer to.
    pub fn text(&self, address: u64) -> Option<&[u8]> {
        let (start, length) = *self.texts.get(&address)?;
        self.text.get(start as usize..)?.get(..length as usize)
    }
}

fn function(line: &[u8], line_start: usize) -> Option<Function> {
    let mut words = line.split(|byte| byte.is_ascii_whitespace());
    let address = hex(words.next()?)?;
    let kind = words.next()?;
    let name = words.next().filter(|name| !name.is_empty())?;
    // On ARM, symbols such as `$x` mark areas of code and data.
    if address == HIDDEN || kind.len() != 1 || name[0] == b'$' {
        return None;
    }
    let offset = name.as_ptr() as usize - line.as_ptr() as usize;
    Some(Function {
        address,
        start: u32::try_from(line_start + offset).ok()?,
        length: name.len() as u32,
    })
}

/// Parses `0xc0abcdef : "text\n"` with C's escapes. Returns the address and appends the text to
/// `out`.
fn text_line(line: &[u8], out: &mut Vec<u8>) -> Option<u64> {
    let line = line.trim_ascii();
    let space = memchr::memchr(b' ', line)?;
    let address = hex(line[..space].strip_prefix(b"0x")?)?;
    let text = line[space..].trim_ascii_start().strip_prefix(b":")?;
    let text = text.trim_ascii_start().strip_prefix(b"\"")?;
    let text = text.strip_suffix(b"\"").unwrap_or(text);
    let mut bytes = text.iter();
    while let Some(&byte) = bytes.next() {
        out.push(match byte {
            b'\\' => match bytes.next() {
                Some(b'n') => b'\n',
                Some(b't') => b'\t',
                Some(&other) => other,
                None => b'\\',
            },
            other => other,
        });
    }
    Some(address)
}

fn hex(text: &[u8]) -> Option<u64> {
    let text = std::str::from_utf8(text).ok()?;
    u64::from_str_radix(text, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_and_texts() {
        let kallsyms =
            b"ffff0010 T b\nffff0000 t a\nffff0004 t $x\n00000000 T c\nffff0020 T d\t[mod]\nx\n";
        let symbols = Symbols::parse(kallsyms, b"0xc0 : \"a \\\"b\\\"\\n\"\nbad\n");
        assert_eq!(symbols.function(0xffff_0008), Some((&b"a"[..], 8)));
        assert_eq!(symbols.function(0xffff_0010), Some((&b"b"[..], 0)));
        assert_eq!(symbols.function(0xffff_0020), Some((&b"d"[..], 0)));
        assert_eq!(symbols.function(0xffff_0021), None);
        assert_eq!(symbols.function(5), None);
        assert_eq!(symbols.text(0xc0), Some(&b"a \"b\"\n"[..]));
    }
}
