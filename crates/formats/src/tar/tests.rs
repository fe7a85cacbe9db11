use traceloom_trace::RepairKind;

use crate::capture::{capture, captured};
use crate::format::ReadOptions;

/// A header by POSIX, and the content.
fn member(name: &str, kind: u8, content: &[u8]) -> Vec<u8> {
    let mut header = [0; 512];
    header[..name.len()].copy_from_slice(name.as_bytes());
    let size = format!("{:011o}\0", content.len());
    header[124..136].copy_from_slice(size.as_bytes());
    header[156] = kind;
    header[257..265].copy_from_slice(b"ustar\x0000");
    seal(&mut header);
    let mut bytes = header.to_vec();
    bytes.extend(content);
    bytes.resize(bytes.len().next_multiple_of(512), 0);
    bytes
}

/// Writes the checksum.
fn seal(header: &mut [u8]) {
    header[148..156].fill(b' ');
    let sum: u32 = header.iter().map(|byte| u32::from(*byte)).sum();
    header[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
}

fn tar(members: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = members.concat();
    bytes.extend([0; 1024]);
    bytes
}

fn names(bytes: &[u8]) -> Vec<String> {
    let options = ReadOptions {
        name: "all.tar".to_owned(),
        ..ReadOptions::default()
    };
    let (_, trace) = capture(bytes, 100, options).unwrap();
    let names = trace.sources.name.iter();
    names
        .map(|name| trace.strings.get(name).to_owned())
        .collect()
}

#[test]
fn each_trace_is_a_source_and_the_rest_is_counted() {
    let packed = tar(&[
        member("folder/", b'5', b""),
        member("folder/a.trace", b'0', b"first"),
        member("readme", b'0', b"?no trace"),
        member("b.trace", 0, &[b'x'; 1000]),
    ]);
    let (inputs, trace) = captured(&packed);
    assert_eq!(inputs, [b"first".to_vec(), vec![b'x'; 1000]]);
    assert_eq!(trace.repairs.count(RepairKind::SkippedEntry), 1);
    assert_eq!(trace.repairs.count(RepairKind::TornRecord), 0);
}

#[test]
fn long_names() {
    let long = "n".repeat(150);
    let pax = format!("{} path={long}.pax\n", long.len() + 14);
    let gnu = format!("{long}.gnu\0");
    let packed = tar(&[
        member("x", b'x', pax.as_bytes()),
        member("short", b'0', b"one"),
        member("././@LongLink", b'L', gnu.as_bytes()),
        member("short", b'0', b"two"),
        member("three", b'0', b"three"),
    ]);
    let expected = [
        format!("{long}.pax"),
        format!("{long}.gnu"),
        "three".to_owned(),
    ];
    assert_eq!(
        names(&packed),
        expected.map(|name| format!("all.tar/{name}"))
    );
}

#[test]
fn a_cut_archive_gives_what_is_there() {
    let packed = tar(&[
        member("a", b'0', b"first"),
        member("b", b'0', &[b'y'; 2000]),
    ]);
    let (inputs, trace) = captured(&packed[..2000]);
    assert_eq!(inputs[0], b"first");
    assert_eq!(inputs[1].len(), 2000 - 3 * 512);
    assert_eq!(trace.repairs.count(RepairKind::TornRecord), 1);
}

#[test]
fn damage_never_panics() {
    let packed = tar(&[
        member("a", b'0', b"first"),
        member("b", b'x', b"9 path=x\n"),
    ]);
    for at in 0..packed.len() {
        for flip in [1, 0x80, 0xff] {
            let mut broken = packed.clone();
            broken[at] ^= flip;
            let _ = capture(&broken, 512, ReadOptions::default());
        }
    }
}

#[test]
fn a_file_is_never_larger_than_the_archive() {
    let mut packed = tar(&[member("a", b'0', b"first")]);
    packed[124..128].copy_from_slice(&[0x80, 0, 0, 0]);
    packed[128..136].fill(0xff);
    seal(&mut packed[..512]);
    let (inputs, trace) = captured(&packed);
    assert_eq!(inputs.len(), 1);
    assert_eq!(inputs[0].len(), packed.len() - 512);
    assert_eq!(trace.repairs.count(RepairKind::TornRecord), 1);
}

#[test]
fn a_real_archive_opens() {
    let folder = std::env::temp_dir().join(format!("traceloom-tar-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("one"), b"first").unwrap();
    std::fs::write(folder.join("two"), b"second").unwrap();
    let made = std::process::Command::new("tar")
        .arg("-C")
        .arg(&folder)
        .args(["-cf", "-", "one", "two"])
        .output();
    std::fs::remove_dir_all(&folder).unwrap();
    let Ok(made) = made.map(|made| made.stdout) else {
        return println!("skipped: no program tar");
    };
    assert_eq!(captured(&made).0, [&b"first"[..], b"second"]);
}
