//! Lines that describe a field, in format files and in `header_page`.

/// The parts of `field:TYPE NAME; offset:8; size:4; signed:1;`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct FieldLine<'a> {
    /// The C declaration: type, name and array length.
    pub declaration: &'a [u8],
    /// The name in the declaration, without an array length.
    pub name: &'a [u8],
    pub offset: usize,
    pub size: usize,
    pub signed: bool,
}

/// Parses such a line; `None` for any other line.
pub(crate) fn field_line(line: &[u8]) -> Option<FieldLine<'_>> {
    let rest = line.trim_ascii().strip_prefix(b"field:")?;
    let mut parts = rest.split(|&byte| byte == b';').map(<[u8]>::trim_ascii);
    let declaration = parts.next()?;
    let (mut offset, mut size, mut signed) = (None, None, false);
    for part in parts {
        let Some(colon) = memchr::memchr(b':', part) else {
            continue;
        };
        let number = std::str::from_utf8(&part[colon + 1..]).ok();
        let number = number.and_then(|text| text.trim().parse::<usize>().ok());
        match &part[..colon] {
            b"offset" => offset = number,
            b"size" => size = number,
            b"signed" => signed = number == Some(1),
            _ => {}
        }
    }
    Some(FieldLine {
        declaration,
        name: name_of(declaration),
        offset: offset?,
        size: size?,
        signed,
    })
}

/// The last word of a declaration, without array brackets.
fn name_of(declaration: &[u8]) -> &[u8] {
    let mut end = declaration.len();
    if declaration.ends_with(b"]") {
        end = memchr::memrchr(b'[', declaration).unwrap_or(end);
    }
    let text = declaration[..end].trim_ascii_end();
    let start = text
        .iter()
        .rposition(|byte| !byte.is_ascii_alphanumeric() && *byte != b'_');
    &text[start.map_or(0, |space| space + 1)..]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn declarations() {
        for (line, name) in [
            (
                "field:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:0;",
                "prev_comm",
            ),
            (
                "\tfield:__data_loc char[] name;\toffset:8;\tsize:4;\tsigned:0;",
                "name",
            ),
            ("field:const char * fmt;\toffset:8;\tsize:8;", "fmt"),
            (
                "field: int overwrite;\toffset:8;\tsize:1;\tsigned:1;",
                "overwrite",
            ),
            ("field:unsigned long args[];\toffset:8;\tsize:0;", "args"),
            ("field:void *ptr;\toffset:8;\tsize:4;", "ptr"),
        ] {
            let read = field_line(line.as_bytes()).expect(line);
            assert_eq!((read.name, read.offset), (name.as_bytes(), 8), "{line}");
        }
        assert_eq!(field_line(b"field:int a;\toffset:x;\tsize:1;"), None);
        assert_eq!(field_line(b"print fmt: \"\""), None);
    }
}
