//! Names with fields in braces.

use std::borrow::Cow;

use crate::ftrace::event::Value;

/// Fills a name: `{field}` becomes the value of the field, with numbers in decimal; `{field:x}` is hexadecimal;
/// `{field:dev}` is the number of a device that the kernel prints as `major,minor`. `None` if a field is missing.
pub(crate) fn fill<'a>(
    name: &'static str,
    field: impl Fn(&str) -> Option<Value<'a>>,
) -> Option<Cow<'static, str>> {
    let Some((first, mut rest)) = name.split_once('{') else {
        return Some(name.into());
    };
    let mut out = first.to_owned();
    loop {
        let (key, after) = rest.split_once('}')?;
        out += &match key.split_once(':') {
            Some((key, "dev")) => device(field(key)?),
            Some((key, _)) => hex(field(key)?),
            None => decimal(field(key)?),
        };
        match after.split_once('{') {
            Some((text, next)) => {
                out += text;
                rest = next;
            }
            None => {
                out += after;
                return Some(out.into());
            }
        }
    }
}

fn decimal(value: Value<'_>) -> String {
    match value {
        Value::Hex(value) => value.to_string(),
        other => other.shown().into_owned(),
    }
}

/// The number that programs use for a device (`makedev`).
fn device(value: Value<'_>) -> String {
    let number = |text: &str| text.trim().parse::<u64>().ok();
    let shown = value.shown();
    let parts = shown.split_once(',');
    match parts.and_then(|(major, minor)| Some((number(major)?, number(minor)?))) {
        Some((major, minor)) => {
            let number = (major & 0xfff) << 8 | minor & 0xff | (minor & !0xff) << 12;
            number.to_string()
        }
        None => decimal(value),
    }
}

/// As C prints it with `%#x`.
fn hex(value: Value<'_>) -> String {
    match value {
        Value::Int(0) | Value::Hex(0) => "0".to_owned(),
        Value::Int(value) => format!("{value:#x}"),
        Value::Hex(value) => format!("{value:#x}"),
        Value::Text(text) => String::from_utf8_lossy(text).into_owned(),
    }
}
