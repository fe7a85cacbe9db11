//! Recognises files of other tools, so that the error can name them and give advice.

use crate::error::{ReadError, printable};
use crate::perf_script::has_report;

/// A file format that traceloom does not read.
struct ForeignFormat {
    /// The name with its article, for "this is …".
    name: &'static str,
    /// What the user can do with it.
    advice: &'static str,
    matches: fn(&[u8]) -> bool,
}

const FORMATS: &[ForeignFormat] = &[
    ForeignFormat {
        name: "a perf.data recording of perf before Linux 3.2",
        advice: "open it with `perf report`",
        matches: |head| head.starts_with(b"PERFFILE"),
    },
    ForeignFormat {
        name: "a log of strace without times",
        advice: "record it again with `strace -f -ttt -T`",
        matches: |head| head.starts_with(b"execve(\"") || is_untimed_strace(head),
    },
    ForeignFormat {
        name: "a summary of strace",
        advice: "record the calls with `strace -f -ttt -T`, without `-c`",
        matches: |head| head.starts_with(b"% time     seconds  usecs/call"),
    },
    ForeignFormat {
        name: "text of `perf script` without threads",
        advice: "print it again without `-F`, or with the fields `comm` and `tid`",
        matches: is_perf_script,
    },
    ForeignFormat {
        name: "a report of perf (sums without samples)",
        advice: "open the perf.data that it was made of, or the output of `perf script`",
        matches: |head| head.starts_with(b"# ") && has_report(head),
    },
    ForeignFormat {
        name: "a recording of perf as JSON",
        advice: "open the perf.data that it was made of with `perf report`",
        matches: |head| is_json_with(head, &["\"linux-perf-json-version\""]),
    },
    ForeignFormat {
        name: "a Java Flight Recorder file (JFR)",
        advice: "open it with JDK Mission Control",
        matches: |head| head.starts_with(b"FLR\0"),
    },
    ForeignFormat {
        name: "a Java heap dump (hprof)",
        advice: "open it with Android Studio or Eclipse MAT",
        matches: |head| head.starts_with(b"JAVA PROFILE 1.0"),
    },
    ForeignFormat {
        name: "a speedscope profile",
        advice: "open it at speedscope.app",
        matches: |head| is_json_with(head, &["speedscope.app/file-format"]),
    },
    ForeignFormat {
        name: "a profile of Firefox Profiler",
        advice: "open it at profiler.firefox.com",
        matches: |head| {
            is_json_with(head, &["\"meta\"", "\"interval\""])
                || is_json_with(head, &["\"meta\"", "\"preprocessedProfileVersion\""])
                || is_json_with(head, &["\"label\"", "\"duration\"", "\"markers\""])
                || is_json_with(head, &["\"libs\"", "\"meta\"", "\"abi\""])
                || is_json_with(head, &["\"meta\"", "\"categories\"", "\"subcategories\""])
        },
    },
    ForeignFormat {
        name: "a CPU or heap profile of V8 (Chrome, Node)",
        advice: "open it in Chrome's DevTools",
        matches: |head| {
            is_json_with(head, &["\"nodes\"", "\"callFrame\""])
                || is_json_with(head, &["\"head\"", "\"functionName\""])
        },
    },
    ForeignFormat {
        name: "a pprof profile",
        advice: "open it with `go tool pprof`",
        matches: is_pprof,
    },
    ForeignFormat {
        name: "a CPU profile of gperftools",
        advice: "open it with pprof",
        matches: |head| is_gperftools(head, 8) || is_gperftools(head, 4),
    },
    ForeignFormat {
        name: "a heap or contention profile of gperftools",
        advice: "open it with pprof",
        matches: |head| head.starts_with(b"heap profile: ") || head.starts_with(b"--- contention"),
    },
    ForeignFormat {
        name: "a trace of profilo",
        advice: "convert it with profilo's workflow tool",
        matches: |head| head.starts_with(b"dt\nver|"),
    },
    ForeignFormat {
        name: "a thread dump of ART (traces.txt, ANR)",
        advice: "it is text: read it in an editor",
        matches: |head| head.trim_ascii_start().starts_with(b"----- pid "),
    },
    ForeignFormat {
        name: "a Common Trace Format stream (LTTng, barectf)",
        advice: "open it with babeltrace2 or Trace Compass",
        matches: |head| {
            head.starts_with(b"\xc1\x1f\xfc\xc1")
                || head.starts_with(b"\xc1\xfc\x1f\xc1")
                || head.starts_with(b"/* CTF ")
        },
    },
    ForeignFormat {
        name: "a Fuchsia trace (FXT)",
        advice: "open it at ui.perfetto.dev",
        matches: |head| head.starts_with(b"\x10\x00\x04\x46\x78\x54\x16\x00"),
    },
    ForeignFormat {
        name: "a trace of Tracy",
        advice: "open it with Tracy",
        matches: |head| head.starts_with(b"tlZ\x04") || head.starts_with(b"tr\xfdP"),
    },
    ForeignFormat {
        name: "a Callgrind profile",
        advice: "open it with KCachegrind or callgrind_annotate",
        matches: is_callgrind,
    },
    ForeignFormat {
        name: "a profile of gprof (gmon.out)",
        advice: "open it with gprof and the program",
        matches: |head| head.starts_with(b"gmon"),
    },
    ForeignFormat {
        name: "a binary trace of OpenHarmony",
        advice: "open it with SmartPerf Host",
        matches: |head| head.starts_with(b"OHOSPROF"),
    },
    ForeignFormat {
        name: "a heap snapshot of V8 (Chrome, Node)",
        advice: "open it in Chrome's DevTools",
        matches: |head| is_json_with(head, &["\"snapshot\"", "\"node_fields\""]),
    },
    ForeignFormat {
        name: "a log of network requests (HAR)",
        advice: "open it in the browser's developer tools",
        matches: |head| is_json_with(head, &["\"log\"", "\"entries\"", "\"creator\""]),
    },
    ForeignFormat {
        name: "a bug report of Android",
        advice: "unpack it; traces are in its folder FS/data",
        matches: |head| {
            head.starts_with(
                b"========================================================\n== dumpstate",
            )
        },
    },
    ForeignFormat {
        name: "the output of logcat",
        advice: "it is text: read it in an editor",
        matches: |head| head.starts_with(b"--------- beginning of "),
    },
    ForeignFormat {
        name: "an SQLite database",
        advice: "open it with sqlite3; if it is an export of Perfetto, open the trace it was made of",
        matches: |head| head.starts_with(b"SQLite format 3\0"),
    },
    ForeignFormat {
        name: "a program or library (ELF)",
        advice: "record it first, for example with `traceloom capture`",
        matches: |head| head.starts_with(b"\x7fELF"),
    },
    ForeignFormat {
        name: "a picture",
        advice: "open the trace that it shows",
        matches: is_picture,
    },
    ForeignFormat {
        name: "a list of collapsed stacks",
        advice: "traceloom only writes these; open it with speedscope or flamegraph.pl",
        matches: is_collapsed,
    },
];

/// The error for an input that begins with `head` and is in no known format.
pub(crate) fn unknown_format(head: &[u8]) -> ReadError {
    match recognise(head) {
        Some(foreign) => ReadError::Foreign {
            name: foreign.name,
            advice: foreign.advice,
        },
        None => ReadError::UnknownFormat {
            found: printable(head),
        },
    }
}

/// The foreign format recognised from `head`, if any.
fn recognise(head: &[u8]) -> Option<&'static ForeignFormat> {
    FORMATS.iter().find(|format| (format.matches)(head))
}

/// Whether the input is a JSON object whose head contains all of these texts.
fn is_json_with(head: &[u8], texts: &[&str]) -> bool {
    let contains = |text: &&str| memchr::memmem::find(head, text.as_bytes()).is_some();
    head.trim_ascii_start().starts_with(b"{") && texts.iter().all(contains)
}

/// A callgrind file begins with a few lines of `key: value`.
fn is_callgrind(head: &[u8]) -> bool {
    let begin = &head[..head.len().min(1024)];
    let has = |text: &[u8]| memchr::memmem::find(begin, text).is_some();
    begin.starts_with(b"# callgrind format") || has(b"\ncreator: callgrind")
}

/// Whether a stack as `perf script` prints it follows the first line.
fn is_perf_script(head: &[u8]) -> bool {
    let mut lines = head.split(|&byte| byte == b'\n');
    let first = lines.next().unwrap_or_default().trim_ascii_end();
    let second = lines.next().unwrap_or_default();
    let address = second.trim_ascii_start().split(|&byte| byte == b' ').next();
    let address = address.unwrap_or_default();
    let is_address = address.len() >= 3 && address.iter().all(u8::is_ascii_hexdigit);
    first.ends_with(b":") && second.starts_with(b"\t") && is_address
}

/// The first two calls look like those of strace: `[pid  7] read(3, "", 1) = 0`.
fn is_untimed_strace(head: &[u8]) -> bool {
    let lines = head.split(|&byte| byte == b'\n');
    let mut lines = lines.filter(|line| !line.is_empty() && !line.starts_with(b"strace: "));
    let mut is_next = || lines.next().is_none_or(is_call_of_strace);
    head.contains(&b'(') && is_next() && is_next()
}

fn is_call_of_strace(line: &[u8]) -> bool {
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

fn is_picture(head: &[u8]) -> bool {
    let magics: [&[u8]; 4] = [b"\x89PNG\r\n", b"\xff\xd8\xff", b"GIF8", b"%PDF-"];
    magics.iter().any(|magic| head.starts_with(magic))
}

/// A pprof profile usually begins with its sample types. Each is a message of two small numbers.
fn is_pprof(head: &[u8]) -> bool {
    matches!(head, [0x0a, 2..=6, 0x08, kind, 0x10, ..] if *kind < 0x80)
}

/// A gperftools CPU profile starts with the words 0, 3, 0 or 1, a period and 0.
fn is_gperftools(head: &[u8], word: usize) -> bool {
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
fn is_collapsed(head: &[u8]) -> bool {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_tools_files_are_named() {
        let name = |head: &[u8]| recognise(head).map(|format| format.name);
        assert!(name(b"PERFFILEh\0\0\0").unwrap().contains("perf.data"));
        assert!(name(b"FLR\0\0\x02\0\0").unwrap().contains("JFR"));
        assert!(
            name(b"\x0a\x04\x08\x02\x10\x01\x0a\x04")
                .unwrap()
                .contains("pprof")
        );
        assert!(
            name(b"main;run;draw 12\nmain;run 3\n")
                .unwrap()
                .contains("collapsed")
        );
        for text in [
            &b"cpu-clock: \n\tffffffff821f236b default_idle\n"[..],
            b"cycles:u: \n\t     613 alpha (/bin/a)\n",
        ] {
            assert!(name(text).unwrap().contains("perf script"));
        }
        for log in [
            &b"mmap(NULL, 79115, PROT_READ, MAP_PRIVATE, 3, 0) = 0x7f1ae8ba0000\nread(3, \"\"..., 832) = 832\n"[..],
            b"29063 restart_syscall(<... resuming> <unfinished ...>\n472   restart_syscall(<... resuming> <unfinished ...>\n",
            b"strace: Process 15 attached\n[pid    15] close(3)    = 0\n[pid 15] write(1, \"a\", 1) = 1\n",
        ] {
            assert!(name(log).unwrap().contains("strace without times"));
        }
        assert_eq!(name(b"print(x)\nprint(y)\n"), None);
        assert_eq!(name(b"f(x) = 2\ng(x) = 3\n"), None);
        let summary = b"% time     seconds  usecs/call     calls    errors syscall\n";
        assert!(name(summary).unwrap().contains("summary of strace"));
        let report = b"# To display the perf.data header info, please use --header\n#\n# Samples: 7K of event 'cycles'\n";
        assert!(name(report).unwrap().contains("report of perf"));
        assert!(name(b"\x7fELF\x02").unwrap().contains("ELF"));
        assert!(
            name(b"version: 1\ncreator: callgrind-3\n")
                .unwrap()
                .contains("Callgrind")
        );
        assert!(name(b"\x89PNG\r\n\x1a\n").unwrap().contains("picture"));
        assert_eq!(name(b"hello; world 5 and more\n"), None);
        assert_eq!(name(b"\x0a"), None);
        assert_eq!(name(b""), None);
    }
}
