//! Names of threads and processes, with the escapes that strace writes.

use super::super::names::unescaped;
use super::{read, threads};

fn named(call: &str) -> String {
    let trace = read(&format!("10 1700000000.1 {call} = 0\n"));
    threads(&trace)[0].2.to_owned()
}

#[test]
fn names_in_hexadecimal_are_decoded_before_they_are_cut() {
    let worker = r#"prctl(PR_SET_NAME, "\x77\x6f\x72\x6b\x65\x72"...)"#;
    assert_eq!(named(worker), "worker");
    let path = r#"execve("\x2f\x62\x69\x6e\x2f\x6c\x73", ["\x6c\x73"], 0x7ff /* 3 vars */)"#;
    assert_eq!(named(path), "ls");
    let digit = r#"prctl(PR_SET_NAME, "\x610")"#;
    assert_eq!(named(digit), "a0");
    let sixteen = r#"prctl(PR_SET_NAME, "0123456789abcd\x65\x66")"#;
    assert_eq!(named(sixteen), "0123456789abcde");
}

#[test]
fn names_with_escapes_of_c_are_decoded() {
    let name = r#"prctl(PR_SET_NAME, "a\tb\"c\\\1\0017\n\v\f\r\1778")"#;
    assert_eq!(named(name), "a\tb\"c\\\u{1}\u{1}7\n\u{b}\u{c}\r\u{7f}8");
}

#[test]
fn a_name_is_cut_between_characters() {
    // The second byte of `é` is the sixteenth of the name.
    let cut = r#"prctl(PR_SET_NAME, "0123456789abcd\303\251")"#;
    assert_eq!(named(cut), "0123456789abcd");
    let fits = r#"prctl(PR_SET_NAME, "0123456789abc\303\251")"#;
    assert_eq!(named(fits), "0123456789abcé");
}

#[test]
fn bytes_that_are_not_utf8_are_replaced() {
    let trace = read("10 1700000000.1 prctl(PR_SET_NAME, \"a\\377b\") = 0\n");
    assert_eq!(threads(&trace)[0].2, "a\u{fffd}b");
    assert_eq!(trace.strings.replaced(), 1);
}

#[test]
fn names_in_front_of_lines_are_decoded() {
    let trace = read("10<a\\76b> 1700000000.1 getpid() = 10\n");
    assert_eq!(threads(&trace)[0].2, "a>b");
}

#[test]
fn escapes_may_end_anywhere() {
    let cases: [(&str, &[u8]); 6] = [
        ("\\", b"\\"),
        ("\\x", b"\0"),
        ("\\x4", b"\x04"),
        ("\\7", b"\x07"),
        ("\\400", b"\0"),
        ("\\q\" not this", b"q"),
    ];
    for (text, bytes) in cases {
        assert_eq!(unescaped(text), bytes, "{text}");
    }
}
