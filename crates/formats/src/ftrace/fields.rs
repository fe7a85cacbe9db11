//! Fields of any kernel event, read from the text that its print format gave.
//!
//! Formats differ from event to event, and new ones come with every kernel. Four shapes cover
//! nearly all:
//!
//! ```text
//! comm=a b pid=1 runtime=7 [ns]      key=value; a value reaches to the next key
//! dev = (7,0), ino = 8               the same with spaces and commas
//! dev 8,13 ino 58 pos 0              pairs of words
//! gcc_clk state=1                    text without a key, then keys
//! ```

use super::digits::{bare_hex, digits, int32, skip_spaces, whole_hex, whole_int};
use super::event::{Field, Value};

/// Reads the payload of `event` into `out`.
pub(crate) fn fields<'a>(event: &[u8], payload: &'a [u8], out: &mut Vec<Field<'a>>) {
    let text = payload.trim_ascii();
    if special(event, text, out).is_none() {
        keyed(text, out);
    }
}

fn text_field<'a>(key: &'a [u8], text: &'a [u8]) -> Field<'a> {
    Field {
        key,
        value: value(text),
    }
}

/// Formats that the general rule would misread; `None` for all others and for what does not fit.
fn special<'a>(event: &[u8], text: &'a [u8], out: &mut Vec<Field<'a>>) -> Option<()> {
    match event {
        _ if event.starts_with(b"block_") => block(text, out),
        _ if event.starts_with(b"workqueue_") => {
            let rest = text.strip_prefix(b"work struct ")?;
            let end = rest
                .iter()
                .position(|byte| b": ".contains(byte))
                .unwrap_or(rest.len());
            let work = rest[..end].strip_prefix(b"0x").unwrap_or(&rest[..end]);
            out.push(Field {
                key: b"work",
                value: Value::Hex(bare_hex(work)?),
            });
            let rest = rest[end..].trim_ascii_start();
            let rest = rest.strip_prefix(b":").unwrap_or(rest).trim_ascii();
            match rest.strip_prefix(b"function ") {
                Some(function) => out.push(Field {
                    key: b"function",
                    value: Value::Text(function),
                }),
                None => keyed(rest, out),
            }
            Some(())
        }
        b"ipi_entry" | b"ipi_exit" => {
            let reason = text.strip_prefix(b"(")?.strip_suffix(b")")?;
            out.push(Field {
                key: b"reason",
                value: Value::Text(reason),
            });
            Some(())
        }
        b"clk_set_rate" => {
            let space = memchr::memchr(b' ', text)?;
            out.push(Field {
                key: b"name",
                value: Value::Text(&text[..space]),
            });
            out.push(text_field(b"rate", text[space..].trim_ascii()));
            Some(())
        }
        b"clock_set_rate" | b"clock_enable" | b"clock_disable" | b"clk_enable" | b"clk_disable" => {
            let space = text
                .iter()
                .position(|&byte| byte == b' ')
                .unwrap_or(text.len());
            if text[..space].contains(&b'=') {
                return None;
            }
            out.push(Field {
                key: b"name",
                value: Value::Text(&text[..space]),
            });
            keyed(&text[space..], out);
            Some(())
        }
        _ => None,
    }
}

/// `8,0 WS 4096 () 12345 + 8 none,0,0 [kworker/u8:1]` (issue, insert) and
/// `8,0 WS () 12345 + 8 [0]` (complete): `include/trace/events/block.h`.
fn block<'a>(text: &'a [u8], out: &mut Vec<Field<'a>>) -> Option<()> {
    let device = text.iter().position(|&byte| byte == b' ')?;
    let (_, comma) = digits(text, 0)?;
    let (_, end) = digits(text, comma + 1)?;
    if text.get(comma) != Some(&b',') || end != device {
        return None;
    }
    let rwbs = device + 1;
    let rwbs_end = rwbs + text.get(rwbs..)?.iter().position(|&byte| byte == b' ')?;
    let mut at = rwbs_end + 1;
    let mut read = vec![
        Field {
            key: &b"dev"[..],
            value: Value::Text(&text[..device]),
        },
        Field {
            key: b"rwbs",
            value: Value::Text(&text[rwbs..rwbs_end]),
        },
    ];
    if let Some((bytes, end)) = digits(text, at).filter(|(_, end)| text[*end..].starts_with(b" ("))
    {
        read.push(Field {
            key: b"bytes",
            value: Value::Int(bytes as i64),
        });
        at = end + 1;
    }
    if text.get(at) == Some(&b'(') {
        at += text[at..].iter().position(|&byte| byte == b')')? + 1;
        at = skip_spaces(text, at);
    }
    let (sector, end) = digits(text, at)?;
    read.push(Field {
        key: b"sector",
        value: Value::Int(sector as i64),
    });
    let mut rest = &text[end..];
    if let Some(count) = rest.strip_prefix(b" + ") {
        let (sectors, end) = digits(count, 0)?;
        read.push(Field {
            key: b"nr_sector",
            value: Value::Int(sectors as i64),
        });
        rest = &count[end..];
    }
    out.append(&mut read);
    block_tail(rest, out);
    Some(())
}

/// `[name]` or `[error]`, perhaps after a priority, or `<- (8,1) 99`.
fn block_tail<'a>(rest: &'a [u8], out: &mut Vec<Field<'a>>) {
    let rest = rest.trim_ascii();
    let open = memchr::memchr(b'[', rest).unwrap_or(rest.len());
    let before = rest[..open].trim_ascii();
    if !before.is_empty() {
        out.push(text_field(b"", before));
    }
    if let Some(inner) = rest[open..]
        .strip_prefix(b"[")
        .and_then(|inner| inner.strip_suffix(b"]"))
    {
        let is_error = int32(inner, 0).is_some_and(|(_, end)| end == inner.len());
        out.push(text_field(if is_error { b"error" } else { b"comm" }, inner));
    }
}

/// Where a key stands, and its `=`.
struct Key {
    start: usize,
    end: usize,
    equals: usize,
}

/// The next `key=` at or after `from`. A `=` inside a value has no key before it.
fn next_key(text: &[u8], from: usize) -> Option<Key> {
    let mut search = from;
    loop {
        let equals = search + memchr::memchr(b'=', text.get(search..)?)?;
        search = equals + 1;
        if matches!(text.get(equals + 1), Some(b'=' | b'>')) {
            search = equals + 2;
            continue;
        }
        let end = from + text[from..equals].trim_ascii_end().len();
        let is_key = |byte: &&u8| byte.is_ascii_alphanumeric() || b"_.->".contains(byte);
        let length = text[from..end].iter().rev().take_while(is_key).count();
        let start = end - length;
        let bounded = start == 0 || b" ,[({;\t|\"".contains(&text[start - 1]);
        if length > 0 && bounded && start >= from {
            return Some(Key { start, end, equals });
        }
    }
}

fn keyed<'a>(text: &'a [u8], out: &mut Vec<Field<'a>>) {
    let Some(mut key) = next_key(text, 0) else {
        return unkeyed(text, out);
    };
    unkeyed(&text[..key.start], out);
    loop {
        let start = skip_spaces(text, key.equals + 1);
        let closed = closing(text, start);
        let next = next_key(text, closed.unwrap_or(start));
        let limit = next
            .as_ref()
            .map_or(text.len(), |next| next.start.max(start));
        let raw = text.get(start..limit).unwrap_or_default();
        out.push(Field {
            key: &text[key.start..key.end],
            value: value_of(&text[key.start..key.end], trim_value(raw)),
        });
        match next {
            Some(next) => key = next,
            None => return,
        }
    }
}

/// Where a value in braces, parentheses or quotes ends. Looks only so far, so that a line full of
/// opening braces costs no more than its length.
fn closing(text: &[u8], start: usize) -> Option<usize> {
    const LONGEST: usize = 1024;
    let close = match text.get(start)? {
        b'{' => b'}',
        b'(' => b')',
        b'"' => b'"',
        _ => return None,
    };
    let inner = &text[start + 1..];
    let end = memchr::memchr(close, &inner[..inner.len().min(LONGEST)])?;
    Some(start + 1 + end + 1)
}

/// Cuts off what stands between a value and the next key.
fn trim_value(raw: &[u8]) -> &[u8] {
    let mut text = raw.trim_ascii_end();
    // A format closes few brackets at once; what closes more is text.
    for _ in 0..4 {
        let cut = match text {
            [rest @ .., b',' | b';' | b'[' | b'|'] => rest,
            [rest @ .., b']'] if !rest.contains(&b'[') => rest,
            [rest @ .., b')'] if !rest.contains(&b'(') => rest,
            [rest @ .., b'('] => rest,
            _ => return text,
        };
        text = cut.trim_ascii_end();
    }
    text
}

fn value_of<'a>(key: &[u8], text: &'a [u8]) -> Value<'a> {
    if key == b"size" {
        if let Some(bytes) = text.strip_suffix(b"B").and_then(whole_int) {
            return Value::Int(bytes);
        }
    }
    value(text)
}

/// A number, if the text is one; a unit in brackets is passed over, quotes are taken off.
fn value(text: &[u8]) -> Value<'_> {
    if let [b'"', inner @ .., b'"'] = text {
        return Value::Text(inner);
    }
    let number = text.strip_suffix(b" [ns]").unwrap_or(text);
    if !matches!(number.first(), Some(b'0'..=b'9' | b'-' | b'+')) {
        return Value::Text(text);
    }
    if let Some(hex) = whole_hex(number) {
        return Value::Hex(hex);
    }
    match whole_int(number) {
        Some(value) => Value::Int(value),
        None => Value::Text(text),
    }
}

/// Text without `=`: pairs of words, `key: value`, or just text.
fn unkeyed<'a>(text: &'a [u8], out: &mut Vec<Field<'a>>) {
    let text = text.trim_ascii();
    let text = text.strip_suffix(b",").unwrap_or(text);
    if text.is_empty() || text.iter().all(|byte| b"[({".contains(byte)) {
        return;
    }
    let before = out.len();
    if !pairs(text, out) && !colons(text, out) {
        out.truncate(before);
        out.push(text_field(b"", text));
    }
}

fn is_word(word: &[u8]) -> bool {
    word.first().is_some_and(u8::is_ascii_alphabetic)
        && word
            .iter()
            .all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
}

/// `dev 8,13 ino 58`: words by twos, each second one beginning like a number.
fn pairs<'a>(text: &'a [u8], out: &mut Vec<Field<'a>>) -> bool {
    let before = out.len();
    let mut words = text
        .split(|&byte| byte == b' ')
        .filter(|word| !word.is_empty());
    while let Some(key) = words.next() {
        let number = words.next().filter(|word| {
            word.first()
                .is_some_and(|byte| byte.is_ascii_digit() || *byte == b'-')
        });
        match number {
            Some(number) if is_word(key) => out.push(text_field(key, trim_value(number))),
            _ => {
                out.truncate(before);
                return false;
            }
        }
    }
    out.len() > before
}

/// `name: value, other: value`.
fn colons<'a>(text: &'a [u8], out: &mut Vec<Field<'a>>) -> bool {
    let before = out.len();
    for part in text.split(|&byte| byte == b',') {
        let part = part.trim_ascii();
        let colon = memchr::memmem::find(part, b": ").filter(|colon| is_word(&part[..*colon]));
        match colon {
            Some(colon) => out.push(text_field(&part[..colon], part[colon + 2..].trim_ascii())),
            None => {
                out.truncate(before);
                return false;
            }
        }
    }
    out.len() > before
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(event: &str, payload: &str) -> String {
        let mut out = Vec::new();
        fields(event.as_bytes(), payload.as_bytes(), &mut out);
        let show = |field: &Field<'_>| {
            let key = String::from_utf8_lossy(field.key);
            match field.value {
                Value::Int(value) => format!("{key}={value}"),
                Value::Hex(value) => format!("{key}={value:#x}"),
                Value::Text(text) => format!("{key}={:?}", String::from_utf8_lossy(text)),
            }
        };
        out.iter().map(show).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn every_shape() {
        for (payload, expected) in [
            (
                "comm=rs:main Q:Reg pid=17 delay=4 [ns]",
                r#"comm="rs:main Q:Reg" pid=17 delay=4"#,
            ),
            (
                "dev 8,13 ino 58 pos 0 flags 0x1 ",
                r#"dev="8,13" ino=58 pos=0 flags=0x1"#,
            ),
            (
                "dev = (7,0), ino = 8, ret = -1",
                r#"dev="(7,0)" ino=8 ret=-1"#,
            ),
            (
                "cmd=25,addr=0x002c6b98,size=0x8",
                "cmd=25 addr=0x2c6b98 size=0x8",
            ),
            ("vec=9 [action=RCU]", r#"vec=9 action="RCU""#),
            (
                "req_power={15 42} total=2",
                r#"req_power="{15 42}" total=2"#,
            ),
            ("my_field=foo=bar=baz", r#"my_field="foo=bar=baz""#),
            ("dest=1, text=\"a=b c\", n=2", r#"dest=1 text="a=b c" n=2"#),
            ("only words here", r#"="only words here""#),
            ("name: value, n: 3", r#"name="value" n=3"#),
            (
                "dev 0:5 ino 1 page=(null) pfn=4",
                r#"dev="0:5" ino=1 page="(null)" pfn=4"#,
            ),
            (
                "mm_id=1 curr=1 type=MM_ANONPAGES size=4096B",
                r#"mm_id=1 curr=1 type="MM_ANONPAGES" size=4096"#,
            ),
            ("a=18446744073709551600", r#"a="18446744073709551600""#),
            (
                "cpus=00000000,00000006 freq=1",
                r#"cpus="00000000,00000006" freq=1"#,
            ),
            ("a= b=1", r#"a="" b=1"#),
            ("", ""),
        ] {
            assert_eq!(read("some_event", payload), expected, "{payload}");
        }
    }

    #[test]
    fn formats_of_their_own() {
        assert_eq!(
            read(
                "block_rq_issue",
                "8,0 WS 4096 () 12345 + 8 none,0,0 [kworker/u8:1]"
            ),
            r#"dev="8,0" rwbs="WS" bytes=4096 sector=12345 nr_sector=8 ="none,0,0" comm="kworker/u8:1""#
        );
        assert_eq!(
            read("block_rq_complete", "8,0 R () 12345 + 8 [0]"),
            r#"dev="8,0" rwbs="R" sector=12345 nr_sector=8 error=0"#
        );
        assert_eq!(
            read(
                "workqueue_execute_start",
                "work struct 00000000b1a1e8a5: function vmstat_update"
            ),
            r#"work=0xb1a1e8a5 function="vmstat_update""#
        );
        assert_eq!(
            read("clock_enable", "gcc_clk state=1 cpu_id=3"),
            r#"name="gcc_clk" state=1 cpu_id=3"#
        );
        assert_eq!(
            read("ipi_entry", "(Rescheduling interrupts)"),
            r#"reason="Rescheduling interrupts""#
        );
    }
}
