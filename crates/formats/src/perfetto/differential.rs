//! Compares packets and fields with those of another protobuf decoder: Python's, with the descriptors that Perfetto
//! publishes on PyPI. `tests/perfetto_fields.py` documents its output.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::rc::Rc;

use super::descriptors::{Descriptors, FieldType, Kind, MessageType};
use super::packet::{Packet, Packets, payload};
use super::wire::{Field, Fields, Value};

/// A Python with the package `perfetto`: the one that `cargo xtask test` installs, or the system's.
fn python() -> Option<PathBuf> {
    let made = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/python/bin/python3");
    let all = [made, PathBuf::from("python3")];
    all.into_iter().find(|python| {
        let import = "import perfetto.protos.perfetto.trace.perfetto_trace_pb2";
        let run = Command::new(python).args(["-c", import]).output();
        run.is_ok_and(|output| output.status.success())
    })
}

/// The lowest field number that `track_event.proto` reserves for extensions.
const FIRST_EXTENSION: u32 = 1000;

/// The types of the messages seen so far.
#[derive(Default)]
struct Types {
    descriptors: Descriptors,
    known: HashMap<String, Rc<MessageType<'static>>>,
}

impl Types {
    fn message(&mut self, name: &str) -> Rc<MessageType<'static>> {
        let known = self.known.entry(name.to_owned());
        let find = || Rc::new(self.descriptors.message(name).unwrap());
        known.or_insert_with(find).clone()
    }
}

/// The fields of a message with their paths. Sorted by field number when they are printed.
struct Flat<'d> {
    types: &'d mut Types,
    out: Vec<(Vec<(u32, usize)>, String)>,
}

impl Flat<'_> {
    fn message(&mut self, name: &str, bytes: &[u8], path: &[(u32, usize)]) {
        let message = self.types.message(name);
        let mut counts: BTreeMap<u32, usize> = BTreeMap::new();
        for field in Fields::new(bytes) {
            // Python's package does not declare the extensions of track events.
            if name == "TrackEvent" && field.number >= FIRST_EXTENSION {
                continue;
            }
            let Some(known) = message.field(field.number) else {
                continue;
            };
            for value in values(known, field) {
                let count = counts.entry(field.number).or_default();
                let mut path = path.to_vec();
                path.push((
                    field.number,
                    if known.repeated { *count } else { usize::MAX },
                ));
                *count += 1;
                self.value(known, value, path);
            }
        }
    }

    fn value(&mut self, known: &FieldType<'static>, value: Value<'_>, path: Vec<(u32, usize)>) {
        if let (Kind::Message(of), Value::Bytes(bytes)) = (known.kind, value) {
            return self.message(of, bytes, &path);
        }
        let shown = shown(known.kind, value);
        match self.out.iter_mut().find(|(known, _)| *known == path) {
            // Of several values, the last one is used.
            Some((_, last)) => *last = shown,
            None => self.out.push((path, shown)),
        }
    }

    fn line(mut self) -> String {
        self.out.sort();
        let mut line = String::new();
        for (path, value) in self.out {
            let part = |(number, at): &(u32, usize)| match *at {
                usize::MAX => number.to_string(),
                at => format!("{number}[{at}]"),
            };
            let path: Vec<String> = path.iter().map(part).collect();
            write!(line, " {}={value}", path.join(".")).unwrap();
        }
        line
    }
}

/// The values of a field, which may be packed.
fn values<'a>(known: &FieldType, field: Field<'a>) -> Vec<Value<'a>> {
    let is_number = !matches!(known.kind, Kind::Message(_) | Kind::Text | Kind::Bytes);
    match field.value {
        Value::Bytes(_) if is_number => field.numbers().map(Value::Number).collect(),
        value => vec![value],
    }
}

fn shown(kind: Kind, value: Value<'_>) -> String {
    match (kind, value) {
        (_, Value::Bytes(bytes)) => bytes.iter().map(|byte| format!("{byte:02x}")).collect(),
        (Kind::Double, Value::Number(bits)) => format!("{bits:016x}"),
        (Kind::Float, Value::Number(bits)) => format!("{bits:08x}"),
        (Kind::Zigzag, Value::Number(bits)) => {
            ((bits >> 1) as i64 ^ -((bits & 1) as i64)).to_string()
        }
        (Kind::Bool, Value::Number(bits)) => u64::from(bits != 0).to_string(),
        (Kind::Signed | Kind::Enum(_), Value::Number(bits)) => (bits as i64).to_string(),
        (_, Value::Number(bits)) => bits.to_string(),
    }
}

/// The messages of a packet that the Python script prints as lines.
fn expected_of<'a>(packet: &Packet<'a>) -> Vec<&'a [u8]> {
    match packet.payload {
        Some((payload::FTRACE_EVENTS, bundle)) => {
            let events = Fields::new(bundle).filter(|field| field.number == 2);
            events.map(Field::bytes).collect()
        }
        Some((_, content)) => vec![content],
        None => Vec::new(),
    }
}

/// Whether a file begins with packets. The last one may be incomplete.
fn is_perfetto(path: &Path) -> bool {
    let bytes = std::fs::read(path).unwrap_or_default();
    bytes.first() == Some(&0x0a) && super::begins_with_packets(&bytes)
}

/// The end of the line of a packet that is only a marker for readers of files that are still being written.
const MARK: &str = " 36";

/// Compares the lines of a file.
fn compare(path: &str, lines: &[String], types: &mut Types) {
    let bytes = std::fs::read(path).unwrap();
    let mut lines = lines.iter().peekable();
    for (number, content) in Packets::new(&bytes).enumerate() {
        let place = || format!("{path}, packet {number}");
        let line = lines
            .next()
            .unwrap_or_else(|| panic!("{}: missing", place()));
        let (packet, is_complete) = Packet::read(content);
        if line == "B" {
            continue;
        }
        assert!(is_complete, "{}", place());
        let expected = line.strip_suffix(MARK).unwrap_or(line);
        // 0 for a payload that the Python script does not know.
        let payload = match packet.payload {
            Some((number, _)) if !expected.ends_with(" 0") => number,
            _ => 0,
        };
        let ours = format!(
            "P {} {} {} {} {payload}",
            packet.sequence,
            packet.timestamp.unwrap_or(0),
            packet.clock.unwrap_or(0),
            u8::from(packet.clears_state),
        );
        assert_eq!(
            ours.trim_end_matches(" 0"),
            expected.trim_end_matches(" 0"),
            "{}",
            place()
        );
        let mut messages = expected_of(&packet).into_iter();
        while let Some(line) = lines.next_if(|line| line.starts_with("M ")) {
            let name = line.split(' ').nth(1).unwrap_or_default();
            let mut flat = Flat {
                types,
                out: Vec::new(),
            };
            flat.message(name, messages.next().unwrap(), &[]);
            assert_eq!(format!("M {name}{}", flat.line()), *line, "{}", place());
        }
    }
    assert_eq!(lines.next(), None, "{path}: more packets");
}

#[test]
fn fields_are_those_that_python_decodes() {
    let Some(corpus) = testkit::Corpus::find() else {
        return;
    };
    let Some(python) = python() else {
        return println!("skipped: python3 has no package `perfetto` (pip install perfetto)");
    };
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut run = Command::new(python);
    run.arg(here.join("tests/perfetto_fields.py"))
        .arg(here.join("src/perfetto/descriptors/messages.txt"));
    for folder in ["perfetto-proto", "perfetto-suite/traces"] {
        let files = std::fs::read_dir(corpus.root().join(folder)).unwrap();
        run.args(
            files
                .map(|file| file.unwrap().path())
                .filter(|path| is_perfetto(path)),
        );
    }
    let mut run = run.stdout(Stdio::piped()).spawn().unwrap();
    let (mut file, mut lines, mut checked) = (String::new(), Vec::new(), 0);
    let mut types = Types::default();
    for line in BufReader::new(run.stdout.take().unwrap()).lines() {
        let line = line.unwrap();
        assert!(!line.starts_with('X'), "another name or type: {line}");
        match line.strip_prefix("F ") {
            Some(next) => {
                if !file.is_empty() {
                    compare(&file, &lines, &mut types);
                }
                (file, checked) = (next.to_owned(), checked + 1);
                lines.clear();
            }
            None => lines.push(line),
        }
    }
    assert!(run.wait().unwrap().success());
    compare(&file, &lines, &mut types);
    println!("{checked} files compared");
    assert!(checked > 300);
}
