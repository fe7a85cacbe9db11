//! Recognizes logs without times.

use super::line::Line;
use super::message::Message;

/// Whether a text is a log without times: the first two calls look like those of strace, `[pid  7] read(3, "", 1) = 0`.
pub(super) fn begins_log(head: &[u8]) -> bool {
    if head.starts_with(b"execve(\"") {
        return true;
    }
    let mut lines = head
        .split(|&byte| byte == b'\n')
        .filter(|line| !is_news(line));
    let first = lines.next().is_some_and(is_call);
    first && lines.next().is_none_or(is_call)
}

/// Whether a line says nothing about calls: it is empty, or about a thread or a signal.
fn is_news(line: &[u8]) -> bool {
    let text = String::from_utf8_lossy(line);
    let text = text.trim();
    let is_message = || Message::read(text).is_some_and(|message| message.before.is_empty());
    let is_event = || Line::read_untimed(text).is_some_and(|line| !line.is_call());
    text.is_empty() || text.starts_with("strace: ") || is_message() || is_event()
}

fn is_call(line: &[u8]) -> bool {
    let line = line
        .strip_prefix(b"[pid")
        .unwrap_or(line)
        .trim_ascii_start();
    let is_number = |byte: &u8| byte.is_ascii_digit() || b" ]".contains(byte);
    let name = line.iter().position(|byte| !is_number(byte));
    let call = name.map_or(&b""[..], |at| &line[at..]);
    let is_name = |byte: &u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || *byte == b'_';
    let length = call.iter().take_while(|byte| is_name(byte)).count();
    length > 1 && call.get(length) == Some(&b'(') && (is_unfinished(call) || has_result(call))
}

fn is_unfinished(call: &[u8]) -> bool {
    call.trim_ascii_end().ends_with(b"<unfinished ...>")
}

/// The result follows after spaces: `close(3)      = 0`.
fn has_result(call: &[u8]) -> bool {
    memchr::memmem::find_iter(call, b") ")
        .any(|at| call[at + 1..].trim_ascii_start().starts_with(b"= "))
}
