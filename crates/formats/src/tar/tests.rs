use traceloom_trace::{RepairKind, Trace};

use crate::capture::{capture, captured};
use crate::error::ReadError;
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

/// Applies `change` to the header of a member.
fn changed(mut member: Vec<u8>, change: impl FnOnce(&mut [u8])) -> Vec<u8> {
    change(&mut member[..512]);
    seal(&mut member[..512]);
    member
}

/// The attributes of the next member, as pax writes them.
fn pax(records: &[(&str, &str)]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (key, value) in records {
        let rest = format!(" {key}={value}\n");
        let length = (1..).find(|length: &usize| *length == length.to_string().len() + rest.len());
        bytes.extend(format!("{}{rest}", length.unwrap()).into_bytes());
    }
    member("PaxHeaders/x", b'x', &bytes)
}

/// The details of a kind of repair.
fn detail(trace: &Trace, kind: RepairKind) -> &str {
    let mut rows = trace.repairs.rows().iter();
    rows.find(|row| row.kind == kind)
        .map_or("", |row| row.detail.as_str())
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
    assert_eq!(inputs, [vec![b'x'; 1000], b"first".to_vec()]);
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
        format!("{long}.gnu"),
        format!("{long}.pax"),
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
        pax(&[("size", "3"), ("GNU.sparse.major", "1")]),
        member("c", b'0', b"second"),
        changed(member("d", b'S', b"third"), |header| header[482] = 1),
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
fn a_member_of_another_type_is_named() {
    for kind in [b'S', b'M', b'D', b'Z', b'1'] {
        let packed = tar(&[
            member("a", b'0', b"first"),
            member("b.ftrace", kind, b"lost"),
            member("c", b'0', b"last"),
        ]);
        let (inputs, trace) = captured(&packed);
        assert_eq!(inputs, [&b"first"[..], b"last"]);
        assert_eq!(trace.repairs.count(RepairKind::BrokenBlock), 1);
        let detail = detail(&trace, RepairKind::BrokenBlock);
        let named = format!(
            "b.ftrace: tar: the type of the member is {:?} (",
            kind as char
        );
        assert!(detail.starts_with(&named), "{detail}");
    }
}

#[test]
fn a_sparse_file_alone_is_told() {
    let packed = tar(&[member("a", b'S', b"parts")]);
    let error = capture(&packed, 100, ReadOptions::default()).unwrap_err();
    assert!(
        matches!(error.innermost(), ReadError::Field { .. }),
        "{error}"
    );
}

#[test]
fn the_map_of_a_sparse_file_is_no_member() {
    let mut sparse = changed(member("a", b'S', b"parts"), |header| header[482] = 1);
    let mut maps = vec![0; 1024];
    maps[504] = 1;
    sparse.splice(512..512, maps);
    let (inputs, trace) = captured(&tar(&[sparse, member("b", b'0', b"second")]));
    assert_eq!(inputs, [b"second"]);
    assert_eq!(trace.repairs.count(RepairKind::BrokenBlock), 1);
    assert_eq!(trace.repairs.count(RepairKind::TornRecord), 0);
}

#[test]
fn a_sparse_file_of_pax_is_named() {
    let sparse = [
        ("GNU.sparse.major", "1"),
        ("GNU.sparse.name", "real.ftrace"),
        ("path", "x"),
    ];
    let packed = tar(&[
        pax(&sparse),
        member("GNUSparseFile.1/real.ftrace", b'0', b"1\n0\n512\n"),
        member("b", b'0', b"second"),
    ]);
    let (inputs, trace) = captured(&packed);
    assert_eq!(inputs, [b"second"]);
    let detail = detail(&trace, RepairKind::BrokenBlock);
    assert!(
        detail.starts_with("real.ftrace: ") && detail.contains("a sparse file"),
        "{detail}"
    );
}

#[test]
fn another_name_of_a_file_is_counted() {
    let link = changed(member("b", b'1', b""), |header| header[157] = b'a');
    let link_of_pax = [pax(&[("linkpath", "long")]), member("c", b'1', b"")].concat();
    let (inputs, trace) = captured(&tar(&[member("a", b'0', b"first"), link, link_of_pax]));
    assert_eq!(inputs, [b"first"]);
    assert_eq!(trace.repairs.count(RepairKind::SkippedEntry), 2);
    let detail = detail(&trace, RepairKind::SkippedEntry);
    assert!(detail.contains("b (another name of a)"), "{detail}");
}

#[test]
fn folders_and_links_are_not_counted() {
    let packed = tar(&[
        member("folder/", b'5', b""),
        member("old/", b'0', b""),
        member("link", b'2', b""),
        member("fifo", b'6', b""),
        member("all", b'g', b"9 a=b\nxy\n"),
        member("a", b'0', b"first"),
    ]);
    let (inputs, trace) = captured(&packed);
    assert_eq!(inputs, [b"first"]);
    assert!(trace.repairs.rows().is_empty());
}

#[test]
fn the_size_of_pax_wins() {
    let large = changed(member("a", b'0', b"first"), |header| {
        header[124..135].fill(b'0')
    });
    let packed = tar(&[pax(&[("size", "5")]), large, member("b", b'0', b"second")]);
    assert_eq!(captured(&packed).0, [&b"first"[..], b"second"]);
}

#[test]
fn archives_one_after_the_other_are_read() {
    let second = tar(&[member("b", b'0', b"second")]);
    let packed = [tar(&[member("a", b'0', b"first")]), vec![0; 8192], second].concat();
    let (inputs, trace) = captured(&packed);
    assert_eq!(inputs, [&b"first"[..], b"second"]);
    assert!(trace.repairs.rows().is_empty());
}

#[test]
fn bytes_after_the_end_are_counted() {
    let whole = tar(&[member("a", b'0', b"first")]);
    let (inputs, trace) = captured(&[&whole[..], b"garbage"].concat());
    assert_eq!(inputs, [b"first"]);
    let row = &trace.repairs.rows()[0];
    assert_eq!((row.kind, row.count), (RepairKind::TrailingBytes, 7));
    assert_eq!(row.first.offset, Some(whole.len() as u64));
    let padded = [whole, vec![0; 9_000]].concat();
    assert!(captured(&padded).1.repairs.rows().is_empty());
}

#[test]
fn an_archive_without_an_end_is_torn() {
    let packed = member("a", b'0', b"first");
    let (inputs, trace) = captured(&packed);
    assert_eq!(inputs, [b"first"]);
    assert_eq!(trace.repairs.count(RepairKind::TornRecord), 1);
}

#[test]
fn a_pair_is_one_trace() {
    let packed = tar(&[
        member("x/t.data", b'0', b"SLOW data"),
        member("lone.data", b'0', b"?"),
        member("x/t.key", b'0', b"keys "),
    ]);
    let (inputs, trace) = captured(&packed);
    assert_eq!(inputs, [b"keys SLOW data"]);
    assert_eq!(trace.repairs.count(RepairKind::SkippedEntry), 1);
}

#[test]
fn pairs_of_the_same_name_stay_apart() {
    let packed = tar(&[
        member("t.key", b'0', b"keys 1 "),
        member("t.data", b'0', b"data 1"),
        member("t.key", b'0', b"keys 2 "),
        member("t.data", b'0', b"data 2"),
        member("t.data", b'0', b"data 3"),
    ]);
    let expected = [&b"data 3"[..], b"keys 1 data 1", b"keys 2 data 2"];
    assert_eq!(captured(&packed).0, expected);
}

/// GNU tar's archives of a file with a hole.
#[test]
fn real_sparse_files_are_named() {
    use std::io::{Seek, SeekFrom, Write};
    let folder = std::env::temp_dir().join(format!("traceloom-sparse-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let mut file = std::fs::File::create(folder.join("holes.ftrace")).unwrap();
    for part in 0..60 {
        file.seek(SeekFrom::Start(part << 16)).unwrap();
        file.write_all(b"# tracer: nop\n").unwrap();
    }
    std::fs::write(folder.join("two"), b"second").unwrap();
    for format in [
        &["--format=gnu"][..],
        &["--format=posix"],
        &["--format=posix", "--sparse-version=0.1"],
    ] {
        let mut tar = std::process::Command::new("tar");
        let made = tar
            .arg("-C")
            .arg(&folder)
            .args(format)
            .args(["-S", "-cf", "-", "holes.ftrace", "two"])
            .output();
        let Some(made) = made.ok().filter(|made| made.status.success()) else {
            println!("skipped: no GNU tar");
            break;
        };
        let (inputs, trace) = captured(&made.stdout);
        assert_eq!(inputs.last().unwrap(), b"second");
        // A disk that does not support holes produces a plain file.
        if inputs.len() == 1 {
            let detail = detail(&trace, RepairKind::BrokenBlock);
            assert!(detail.starts_with("holes.ftrace: "), "{detail}");
        }
        assert_eq!(trace.repairs.count(RepairKind::TornRecord), 0);
    }
    std::fs::remove_dir_all(&folder).unwrap();
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
