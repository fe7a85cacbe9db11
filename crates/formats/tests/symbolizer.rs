//! The questions that readers ask a symbolizer, and their use of its answers.

use std::sync::{Arc, Mutex};

use testkit::{PerfRecord, Proto, tiny_perf_data};
use traceloom_formats::{CodeFile, CodePlaces, ReadOptions, Symbolizer, read_bytes};
use traceloom_trace::{ArgValue, Trace};

/// The path, the build id, the meaning of the places, and the places.
type Question = (String, String, CodePlaces, Vec<u64>);

/// Remembers the questions. Names the first place of each file.
#[derive(Debug, Default)]
struct Remembering {
    questions: Mutex<Vec<Question>>,
}

impl Symbolizer for Remembering {
    fn name_functions(
        &self,
        file: &CodeFile<'_>,
        places: &[u64],
        found: &mut dyn FnMut(usize, &str),
    ) {
        let (path, build_id) = (file.path.to_owned(), file.build_id.to_owned());
        let question = (path, build_id, file.places, places.to_vec());
        self.questions.lock().unwrap().push(question);
        found(0, &format!("first of {}", file.path));
        found(places.len(), "beyond the end");
    }
}

/// The questions of a reader, sorted, and the names of frames.
fn asked(bytes: &[u8]) -> (Vec<Question>, Vec<String>) {
    let symbolizer = Arc::new(Remembering::default());
    let options = ReadOptions {
        symbolizer: Some(symbolizer.clone()),
        ..ReadOptions::default()
    };
    let trace = read_bytes(bytes, options).unwrap();
    let mut questions = symbolizer.questions.lock().unwrap().clone();
    questions.sort();
    (questions, names(&trace))
}

fn names(trace: &Trace) -> Vec<String> {
    let cell = |row: usize, column: &str| {
        let column = trace.strings.lookup(column)?;
        trace.records.cell(row, column)
    };
    let tables = trace.records.rows().table.iter().enumerate();
    let frames = tables.filter(|(_, table)| trace.strings.get(*table) == "stack_profile_frame");
    frames
        .map(|(row, _)| match cell(row, "name") {
            Some(ArgValue::Text(name)) => trace.strings.get(name).to_owned(),
            _ => "-".to_owned(),
        })
        .collect()
}

#[test]
fn perf_has_offsets_in_files_and_distances_in_the_kernel() {
    let build_id = |file: &str, digit: u8| {
        let head = PerfRecord::new(67, 0).u32(&[u32::MAX]);
        head.bytes(&[digit; 20]).u32(&[0]).text(file)
    };
    let mut file = tiny_perf_data();
    file.records.push(build_id("[kernel.kallsyms]", 0xab));
    file.records.push(build_id("/lib/libx.so", 0xcd));
    let (questions, mut names) = asked(&file.to_bytes());
    let expected = [
        // Callers are return addresses; the call is just before.
        (
            "/lib/libx.so".to_owned(),
            "cd".repeat(20),
            CodePlaces::FileOffsets {
                mapped_from: 0x2000,
            },
            vec![0x200f, 0x2010, 0x2020],
        ),
        (
            "[kernel.kallsyms]_text".to_owned(),
            "ab".repeat(20),
            CodePlaces::Kernel,
            vec![0x10, 0x1f],
        ),
    ];
    assert_eq!(questions, expected);
    names.sort();
    let first = ["first of /lib/libx.so", "first of [kernel.kallsyms]_text"];
    assert_eq!(names, [&["-"; 3], &first[..]].concat());
}

#[test]
fn simpleperf_asks_for_functions_that_it_did_not_know() {
    let entry = |address: i64, symbol: i64| Proto::new().int(1, address).int(2, 7).int(3, symbol);
    let stack = Proto::new()
        .int(1, 1_000)
        .int(2, 40)
        .message(3, entry(0x20, -1))
        .message(3, entry(0x10, 0));
    let file = Proto::new()
        .int(1, 7)
        .text(2, "/lib/liby.so")
        .text(3, "known");
    let mut bytes = b"SIMPLEPERF\x01\x00".to_vec();
    for record in [
        Proto::new().message(1, stack),
        Proto::new().message(3, file),
    ] {
        bytes.extend((record.bytes().len() as u32).to_le_bytes());
        bytes.extend(record.bytes());
    }
    bytes.extend([0; 4]);
    let (questions, names) = asked(&bytes);
    let path = "/lib/liby.so".to_owned();
    let expected = [(path, String::new(), CodePlaces::Addresses, vec![0x20])];
    assert_eq!(questions, expected);
    assert_eq!(names, ["known", "first of /lib/liby.so"]);
}

#[test]
fn perfetto_has_addresses_with_a_load_bias() {
    let text = |iid: i64, text: &str| Proto::new().int(1, iid).text(2, text);
    let frame = |iid: i64, pc: i64| Proto::new().int(1, iid).int(3, 1).int(4, pc);
    let mapping = Proto::new().int(1, 1).int(2, 1).int(6, 0x1000).int(7, 1);
    let state = Proto::new()
        .message(6, frame(1, 0x1040))
        .message(6, frame(2, 0x1020))
        .message(7, Proto::new().int(1, 1).int(2, 1).int(2, 2))
        .message(16, text(1, "id"))
        .message(17, text(1, "libz.so"))
        .message(19, mapping);
    let sample = Proto::new()
        .int(1, 3)
        .int(2, 7)
        .int(3, 8)
        .int(4, 1)
        .int(5, 2);
    let packet = Proto::new()
        .int(8, 5)
        .int(10, 1)
        .int(13, 1)
        .message(12, state)
        .message(66, sample);
    let (questions, names) = asked(Proto::new().message(1, packet).bytes());
    let places = CodePlaces::BiasedAddresses { load_bias: 0x1000 };
    let (path, build_id) = ("/libz.so".to_owned(), "6964".to_owned());
    assert_eq!(questions, [(path, build_id, places, vec![0x1020, 0x1040])]);
    assert_eq!(names, ["-", "first of /libz.so"]);
}
