//! Lines about the trace itself.

use super::digits::{digits, skip_spaces};
use super::event::{Header, MOST_CPUS};

/// Parses a line that is not an event; `None` if it is not a header either.
pub(crate) fn header(line: &[u8]) -> Option<Header<'_>> {
    let text = line.trim_ascii();
    if text.is_empty() {
        return Some(Header::Nothing);
    }
    if text[0] == b'#' {
        return Some(comment(text));
    }
    if let Some(rest) = text.strip_prefix(b"CPU") {
        return cpu_line(rest);
    }
    if let Some(rest) = text.strip_prefix(b"cpus=") {
        return cpu_number(rest, 0).map(|(cpus, _)| Header::Cpus(cpus));
    }
    if let Some(version) = trace_cmd_version(text) {
        return Some(Header::Version(version));
    }
    // Messages around the data, from atrace, adb and the kernel's `ftrace_dump`.
    const TALK: &[&[u8]] = &[
        b"TRACE:",
        b"capturing trace...",
        b"* daemon ",
        b"Dumping ftrace buffer:",
        // The function_graph tracer prints this after every return, with the option funcgraph-overrun.
        b"(Overruns: 0)",
    ];
    let talk = TALK.iter().any(|talk| text.starts_with(talk));
    let rule = text.len() > 8 && text.iter().all(|&byte| byte == b'-');
    (talk || rule).then_some(Header::Nothing)
}

/// The number in `version = 6`, the first line of `trace-cmd report`. Other files have similar
/// lines with a text instead of a number.
pub(super) fn trace_cmd_version(line: &[u8]) -> Option<&[u8]> {
    let version = line.strip_prefix(b"version = ")?;
    let is_number = !version.is_empty() && version.iter().all(u8::is_ascii_digit);
    is_number.then_some(version)
}

fn cpu_number(text: &[u8], at: usize) -> Option<(u32, usize)> {
    let (cpu, end) = digits(text, at)?;
    let cpu = u32::try_from(cpu).ok().filter(|cpu| *cpu < MOST_CPUS)?;
    Some((cpu, end))
}

/// Parses `CPU 3 is empty`, `CPU:2 [LOST 17 EVENTS]` and trace-cmd's `CPU:2 [17 EVENTS DROPPED]`.
fn cpu_line(rest: &[u8]) -> Option<Header<'_>> {
    let (cpu, end) = cpu_number(rest, 1)?;
    let rest = rest[end..].trim_ascii();
    if rest == b"is empty" {
        return Some(Header::CpuEmpty(cpu));
    }
    let says = rest.strip_prefix(b"[")?;
    let lost = says.starts_with(b"LOST") || says.ends_with(b"DROPPED]");
    let number = says.iter().position(u8::is_ascii_digit);
    let events = number
        .and_then(|at| digits(says, at))
        .map_or(0, |(number, _)| number);
    lost.then_some(Header::Lost { cpu, events })
}

fn comment(text: &[u8]) -> Header<'_> {
    let inner = text.trim_ascii_start();
    if let Some(at) = memchr::memmem::find(inner, b"CPU ")
        && inner.ends_with(b"####")
        && memchr::memmem::find(inner, b"buffer started").is_some()
    {
        return cpu_number(inner, at + 4)
            .map_or(Header::Nothing, |(cpu, _)| Header::BufferStarted(cpu));
    }
    let body = inner.trim_ascii_start();
    let body = &body[body.iter().take_while(|&&byte| byte == b'#').count()..];
    fact(body.trim_ascii())
}

/// Parses `key: value`. Drawings and column titles are ignored.
fn fact(body: &[u8]) -> Header<'_> {
    if let Some(clock) = body.strip_prefix(b"clock_type=") {
        return Header::Clock(clock);
    }
    let Some(colon) = memchr::memchr(b':', body) else {
        return Header::Nothing;
    };
    let (key, value) = (body[..colon].trim_ascii(), body[colon + 1..].trim_ascii());
    let is_key = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_/. ".contains(byte);
    if value.is_empty()
        || !key.iter().all(is_key)
        || !key.first().is_some_and(u8::is_ascii_alphabetic)
    {
        return Header::Nothing;
    }
    match key {
        b"tracer" => Header::Tracer(value),
        b"inferred switches" if value == b"as events" => Header::InferredAreEvents,
        b"entries-in-buffer/entries-written" => {
            entries(value).unwrap_or(Header::Fact { key, value })
        }
        _ => Header::Fact { key, value },
    }
}

fn entries(value: &[u8]) -> Option<Header<'_>> {
    let (in_buffer, slash) = digits(value, 0)?;
    let (written, end) = digits(value, slash + 1)?;
    let at = skip_spaces(value, end);
    let cpus = value[at..]
        .strip_prefix(b"#P:")
        .and_then(|cpus| cpu_number(cpus, 0));
    Some(Header::Entries {
        in_buffer,
        written,
        cpus: cpus.map(|(cpus, _)| cpus),
    })
}

#[cfg(test)]
mod tests;
