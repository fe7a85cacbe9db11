//! Recognises the formats of other tools by the beginning of a file.

/// Whether the input is a JSON object whose head contains all of these texts.
pub(crate) fn is_json_with(head: &[u8], texts: &[&str]) -> bool {
    let contains = |text: &&str| memchr::memmem::find(head, text.as_bytes()).is_some();
    head.trim_ascii_start().starts_with(b"{") && texts.iter().all(contains)
}

/// Whether the head contains this text.
pub(super) fn is_text_with(head: &[u8], text: &str) -> bool {
    memchr::memmem::find(head, text.as_bytes()).is_some()
}

/// A callgrind file begins with a few lines of `key: value`.
pub(super) fn is_callgrind(head: &[u8]) -> bool {
    let begin = &head[..head.len().min(1024)];
    let has = |text: &[u8]| memchr::memmem::find(begin, text).is_some();
    begin.starts_with(b"# callgrind format") || has(b"\ncreator: callgrind")
}

/// Whether a stack as `perf script` prints it follows the first line.
pub(super) fn is_perf_script(head: &[u8]) -> bool {
    let mut lines = head.split(|&byte| byte == b'\n');
    let first = lines.next().unwrap_or_default().trim_ascii_end();
    let second = lines.next().unwrap_or_default();
    let address = second.trim_ascii_start().split(|&byte| byte == b' ').next();
    let address = address.unwrap_or_default();
    let is_address = address.len() >= 3 && address.iter().all(u8::is_ascii_hexdigit);
    first.ends_with(b":") && second.starts_with(b"\t") && is_address
}

pub(super) fn is_picture(head: &[u8]) -> bool {
    let magics: [&[u8]; 4] = [b"\x89PNG\r\n", b"\xff\xd8\xff", b"GIF8", b"%PDF-"];
    magics.iter().any(|magic| head.starts_with(magic))
}

/// A pprof profile usually begins with its sample types, or with the type of its periods. Each is a message of two small
/// numbers.
pub(super) fn is_pprof(head: &[u8]) -> bool {
    matches!(head, [0x0a | 0x5a, 2..=6, 0x08, kind, 0x10, ..] if *kind < 0x80)
}

/// A gperftools CPU profile starts with the words 0, 3, 0 or 1, a period and 0.
pub(super) fn is_gperftools(head: &[u8], word: usize) -> bool {
    let word_at = |number: usize| {
        let bytes = head.get(number * word..(number + 1) * word)?;
        Some(
            bytes
                .iter()
                .rev()
                .fold(0u64, |value, &byte| value << 8 | u64::from(byte)),
        )
    };
    let words: Option<Vec<u64>> = (0..5).map(word_at).collect();
    matches!(words.as_deref(), Some([0, 3, 0 | 1, period, 0]) if *period > 0)
}

/// Lines of frames separated by semicolons, each followed by a count.
pub(super) fn is_collapsed(head: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(head) else {
        return false;
    };
    let lines = || text.lines().filter(|line| !line.is_empty()).take(5);
    let is_stack = |line: &str| {
        let count = line
            .rsplit_once(' ')
            .map_or("", |(_, count)| count.trim_end());
        !count.is_empty() && count.bytes().all(|byte| byte.is_ascii_digit())
    };
    lines().any(|line| line.contains(';')) && lines().all(is_stack)
}

/// The rows of `perf trace`: `     0.030 ( 0.004 ms): ls/1234 fstat(fd: 3) = 0`.
pub(super) fn is_perf_trace(head: &[u8]) -> bool {
    let line = head.split(|&byte| byte == b'\n').next();
    let line = line.unwrap_or_default().trim_ascii_start();
    let Some((time, rest)) = line.split_at_checked(line.iter().take_while(is_time).count()) else {
        return false;
    };
    let rest = rest.strip_prefix(b" (").map(<[u8]>::trim_ascii_start);
    let has_dur = |rest: &[u8]| {
        rest.starts_with(b"): ")
            || memchr::memmem::find(&rest[..rest.len().min(20)], b" ms): ").is_some()
    };
    time.contains(&b'.') && rest.is_some_and(has_dur)
}

fn is_time(byte: &&u8) -> bool {
    byte.is_ascii_digit() || **byte == b'.'
}

/// Rows of logcat without its first line: `12-31 19:00:00.123  1000  1001 I Tag: text`, or `I/Tag( 1000): text`.
pub(super) fn is_logcat(head: &[u8]) -> bool {
    let mut lines = head.split(|&byte| byte == b'\n');
    let mut is_next = || lines.next().is_some_and(is_log_line);
    is_next() && is_next()
}

fn is_log_line(line: &[u8]) -> bool {
    let is_priority = |byte: u8| b"VDIWEF".contains(&byte);
    match line {
        [priority, b'/', rest @ ..] if is_priority(*priority) => {
            memchr::memmem::find(rest, b"): ").is_some()
        }
        _ => {
            has_date(line) && {
                let mut words = line
                    .split(u8::is_ascii_whitespace)
                    .filter(|word| !word.is_empty());
                words
                    .nth(4)
                    .is_some_and(|word| matches!(word, [priority] if is_priority(*priority)))
            }
        }
    }
}

/// `12-31 19:00:00.123`.
fn has_date(line: &[u8]) -> bool {
    let date = line.iter().zip(b"00-00 00:00:00.000");
    let fits = |(byte, wanted): (&u8, &u8)| match wanted {
        b'0' => byte.is_ascii_digit(),
        _ => byte == wanted,
    };
    line.len() > 18 && date.into_iter().all(fits)
}

/// Whether a text begins with the summary of `strace -c`. Messages about processes may come first.
pub(super) fn is_strace_summary(head: &[u8]) -> bool {
    let mut lines = head.split(|&byte| byte == b'\n');
    let first = lines.find(|line| !line.starts_with(b"strace: "));
    first.is_some_and(|line| line.starts_with(b"% time     seconds  usecs/call"))
}
