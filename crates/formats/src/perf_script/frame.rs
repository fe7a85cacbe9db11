//! A function in a stack.

/// A function and the file that contains it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Frame<'a> {
    /// `[unknown]` if perf did not find it.
    pub name: &'a str,
    /// The path of the file; empty if it is not printed.
    pub file: &'a str,
}

impl<'a> Frame<'a> {
    /// Parses `ffffffff821f236b default_idle+0x5 ([kernel.kallsyms])`. The offset and the file depend on the printed
    /// fields. `None` if there is neither an address nor a name.
    pub fn read(line: &'a str) -> Option<Self> {
        let line = line.trim();
        let (address, rest) = line.split_once(char::is_whitespace)?;
        is_hex(address).then_some(())?;
        let (symbol, file) = without_file(rest.trim_start());
        let name = without_offset(symbol.trim_end());
        (!name.is_empty() || !file.is_empty()).then_some(Self { name, file })
    }

    /// Parses a line of a stack without functions (`-F ip`). The address becomes the name.
    pub fn address(line: &'a str) -> Option<Self> {
        let name = line.trim();
        is_hex(name).then_some(Self { name, file: "" })
    }

    /// Parses the function on the first line of a sample, after the event. A data address may precede it (`-F +addr`).
    /// For a branch, this is the function that branches: `call   40b06c f+0x51c (foo.so) => 4076f0 …`.
    pub fn on_first_line(rest: &'a str) -> Option<Self> {
        let Some((branch, _)) = rest.split_once(" => ") else {
            let frame = Self::read(rest)?;
            if is_long_address(frame.name) {
                return Self::read(without_first_word(rest)?);
            }
            return Some(frame);
        };
        // The kind of a branch has up to two words.
        let second = without_first_word(branch);
        let third = second.and_then(without_first_word);
        let starts = [Some(branch), second, third];
        starts.into_iter().flatten().find_map(Self::read)
    }

    /// Whether the function is inlined into the next one. perf prints this instead of the file.
    pub fn is_inlined(&self) -> bool {
        self.file == "inlined"
    }
}

fn without_first_word(text: &str) -> Option<&str> {
    let (_, rest) = text.trim_start().split_once(char::is_whitespace)?;
    Some(rest)
}

/// Whether a name begins with an address. Short words of hexadecimal digits may be names, such as `add`.
fn is_long_address(name: &str) -> bool {
    let (word, _) = name.split_once(' ').unwrap_or_default();
    word.len() >= 8 && is_hex(word)
}

fn is_hex(word: &str) -> bool {
    (1..=16).contains(&word.len()) && word.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Splits `f(int) (/lib/x.so (deleted))` into the symbol and the file. Parentheses that belong to the symbol do not
/// follow a space.
fn without_file(text: &str) -> (&str, &str) {
    let Some(inside) = text.strip_suffix(')') else {
        return (text, "");
    };
    let mut depth = 1usize;
    for (at, byte) in inside.bytes().enumerate().rev() {
        match byte {
            b')' => depth += 1,
            b'(' => depth -= 1,
            _ => {}
        }
        if depth > 0 {
            continue;
        }
        let (symbol, file) = (&inside[..at], &inside[at + 1..]);
        if symbol.is_empty() || symbol.ends_with(' ') {
            return (symbol, without_offset(file));
        }
        break;
    }
    (text, "")
}

/// `f` of `f+0x51c`.
fn without_offset(text: &str) -> &str {
    match text.rsplit_once("+0x") {
        Some((name, offset)) if !name.is_empty() && is_hex(offset) => name,
        _ => text,
    }
}
