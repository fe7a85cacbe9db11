//! Tests each pair of the table, as text and in binary form.

use testkit::{DatBytes, Machine, RingPages};
use traceloom_trace::{NO_DURATION, RepairKind, Trace};

use super::pair::{Again, Name, On, Pair, parts};
use super::samples::SAMPLES;
use super::table::PAIRS;
use crate::{ReadOptions, read_bytes};

/// A part of a sample: text, or a field.
enum Part {
    Text(&'static str),
    Field(&'static str, &'static str),
}

/// The sample of an event, which may have a condition.
fn sample(event: &str) -> Vec<Part> {
    // A condition may allow several values; the sample has the first.
    let first = event.split('|').next().unwrap_or_default();
    let name = event.split(' ').next().unwrap_or_default();
    let exact = SAMPLES.iter().find(|(names, _)| *names == first);
    let any = || {
        SAMPLES
            .iter()
            .find(|(names, _)| names.split(' ').any(|one| one == name))
    };
    let found = exact.or_else(any);
    let (_, mut rest) = *found.unwrap_or_else(|| panic!("no sample of {event}"));
    let mut all = Vec::new();
    while let Some((before, behind)) = rest.split_once('{') {
        let (field, after) = behind.split_once('}').expect("closed");
        let (key, value) = field.split_once('=').expect("a value");
        all.extend([Part::Text(before), Part::Field(key, value)]);
        rest = after;
    }
    all.push(Part::Text(rest));
    all
}

fn text_of(event: &'static str) -> String {
    let shown = sample(event).into_iter().map(|part| match part {
        Part::Text(text) => text,
        Part::Field(_, value) => value,
    });
    format!("{}: {}", parts(event).0, shown.collect::<String>())
}

fn lines(events: &[(u64, &'static str)]) -> Trace {
    let line = |&(us, event): &(u64, &'static str)| {
        format!("a-1 (    1) [000] .... 1.{us:06}: {}\n", text_of(event))
    };
    let text: String = events.iter().map(line).collect();
    read_bytes(text.as_bytes(), ReadOptions::default()).unwrap()
}

/// The format file of an event, and the bytes of one event.
fn binary(event: &'static str, id: usize) -> (String, Vec<u8>) {
    let (mut fields, mut print, mut args) = (String::new(), String::new(), String::new());
    let mut bytes = [&(id as u16).to_le_bytes()[..], &[1, 0], &1u32.to_le_bytes()].concat();
    let mut later: Vec<(usize, &str)> = Vec::new();
    for part in sample(event) {
        let (key, value) = match part {
            Part::Text(text) => {
                print += text;
                continue;
            }
            Part::Field(key, value) => (key, value),
        };
        let at = bytes.len();
        let field = |kind: &str, size| {
            format!("\tfield:{kind} {key};\toffset:{at};\tsize:{size};\tsigned:0;\n")
        };
        if let Some((major, minor)) = value.split_once(',').filter(|_| key.contains("dev")) {
            let number = major.parse::<u32>().unwrap() << 20 | minor.parse::<u32>().unwrap();
            bytes.extend(number.to_le_bytes());
            fields += &field("dev_t", 4);
            print += "%d,%d";
            args += &format!(
                ", ((unsigned int) ((REC->{key}) >> 20)), ((unsigned int) ((REC->{key}) & ((1U << 20) - 1)))"
            );
        } else if let Ok(number) = value.parse::<i64>() {
            let is_hex = print.ends_with("0x");
            let number = if is_hex {
                i64::from_str_radix(value, 16).unwrap()
            } else {
                number
            };
            bytes.extend(number.to_le_bytes());
            fields += &field("long long", 8);
            print += if is_hex { "%llx" } else { "%lld" };
            args += &format!(", REC->{key}");
        } else {
            later.push((at, value));
            bytes.extend([0; 4]);
            fields += &field("__data_loc char[]", 4);
            print += "%s";
            args += &format!(", __get_str({key})");
        }
    }
    for (at, text) in later {
        let place = (text.len() as u32 + 1) << 16 | bytes.len() as u32;
        bytes[at..at + 4].copy_from_slice(&place.to_le_bytes());
        bytes.extend(text.bytes().chain([0]));
    }
    let name = parts(event).0;
    let format = format!(
        "name: {name}\nID: {id}\nformat:\n\
         \tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\
         \tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n\
         \tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n\
         \tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n{fields}\n\
         print fmt: \"{print}\"{args}\n"
    );
    (format, bytes)
}

fn dat(events: &[(u64, &'static str)]) -> Trace {
    let mut pages = RingPages::new(Machine::USUAL, 4096);
    let mut formats: Vec<(&'static str, String)> = Vec::new();
    for (nth, (us, event)) in events.iter().enumerate() {
        let known = events
            .iter()
            .position(|(_, one)| one == event)
            .unwrap_or(nth);
        let (format, bytes) = binary(event, 900 + known);
        formats.push(("kernel", format));
        pages.push(1_000_000_000 + us * 1000, &bytes);
    }
    let mut file = DatBytes::of(6, Machine::USUAL, vec![pages.finish()]);
    file.only = vec!["sched_switch"];
    file.more_formats = formats;
    file.cmdlines = "1 a\n".to_owned();
    read_bytes(&file.to_bytes(), ReadOptions::default()).unwrap()
}

/// Slices as `kind track name start+duration`, in µs.
fn slices(trace: &Trace) -> Vec<String> {
    let shown = trace.slices.rows().map(|row| {
        let track = trace.tracks.row(row.track_id.0 as usize);
        let dur = match row.dur {
            NO_DURATION => "open".to_owned(),
            dur => (dur / 1000).to_string(),
        };
        format!(
            "{:?} {} {} {}+{dur}",
            track.kind,
            trace.strings.get(track.name),
            trace.strings.get(row.name),
            (row.ts - 1_000_000_000) / 1000,
        )
    });
    shown.collect()
}

/// What is wrong with a trace that should contain one finished slice of the pair.
fn fault(pair: &Pair, trace: &Trace, what: &str) -> Option<String> {
    let all = slices(trace);
    let is_finished = |slice: &&String| slice.ends_with(" 10+5");
    let named = match pair.name {
        Name::Is(name) => all.iter().all(|slice| slice.contains(name)),
        _ => true,
    };
    let unmatched = trace.repairs.count(RepairKind::UnmatchedEnd);
    // One event may end one pair and begin another.
    let enough = all.iter().filter(is_finished).count() == 1;
    (!enough || !named && !pair.track.is_empty() && pair.track != "mmap lock" || unmatched > 0)
        .then(|| format!("{what} {:?}: {all:?}, {unmatched} unmatched", pair.begins))
}

#[test]
fn every_pair_makes_one_finished_slice() {
    let mut faults = Vec::new();
    for pair in PAIRS {
        for begin in pair.begins {
            for end in pair
                .ends
                .iter()
                .take(if *begin == pair.begins[0] { 9 } else { 1 })
            {
                let mut events = vec![(10, *begin), (15, *end)];
                // A released lock must have been waited for first.
                match *begin {
                    "mmap_lock_acquire_returned success=true" => {
                        events.insert(0, (1, "mmap_lock_start_locking"));
                    }
                    "binder_locked" => events.insert(0, (1, "binder_lock")),
                    _ => {}
                }
                faults.extend(fault(pair, &lines(&events), "text"));
                faults.extend(fault(pair, &dat(&events), "binary"));
            }
        }
    }
    assert!(
        faults.is_empty(),
        "{}\n{} faults",
        faults.join("\n"),
        faults.len()
    );
}

#[test]
fn an_end_without_a_begin_is_counted_and_kept() {
    for pair in PAIRS {
        let event = pair.ends[0];
        let trace = lines(&[(10, event)]);
        assert_eq!(trace.repairs.count(RepairKind::UnmatchedEnd), 1, "{event}");
        // A counter or another slice may represent it instead.
        let kept = trace.ftrace_events.len() + trace.slices.len();
        let rows = if kept == 0 {
            trace.counters.len()
        } else {
            kept
        };
        assert_eq!(rows, 1, "{event}");
    }
}

#[test]
fn a_begin_nests_or_ends_or_joins_as_the_table_says() {
    let again = |begin, end| {
        let trace = lines(&[(1, begin), (10, begin), (15, end)]);
        let missing = trace.repairs.count(RepairKind::MissingExit);
        let spans = slices(&trace);
        let spans = spans
            .iter()
            .map(|slice| slice.rsplit(' ').next().unwrap().to_owned());
        (spans.collect::<Vec<_>>().join(" "), missing)
    };
    for pair in PAIRS
        .iter()
        .filter(|pair| pair.on != On::Own && pair.track != "mmap lock")
    {
        let expected = match pair.again {
            Again::Nests => ("1+open 10+5".to_owned(), 0),
            Again::Ends => ("1+9 10+5".to_owned(), 1),
            Again::Joins => ("1+14".to_owned(), 0),
            Again::Waits => ("10+5".to_owned(), 0),
        };
        assert_eq!(again(pair.begins[0], pair.ends[0]), expected, "{pair:?}");
    }
}

#[test]
fn an_end_closes_what_is_inside_it() {
    let events = [
        (1, "regulator_enable"),
        (2, "regulator_set_voltage"),
        (9, "regulator_enable_complete"),
        (11, "regulator_set_voltage_complete"),
    ];
    let trace = lines(&events);
    assert_eq!(
        slices(&trace),
        [
            "ThreadSlice regulator vdd 1+8",
            "ThreadSlice regulator vdd 2+7"
        ]
    );
    assert_eq!(trace.repairs.count(RepairKind::MissingExit), 1);
    assert_eq!(trace.repairs.count(RepairKind::UnmatchedEnd), 1);
}

/// A row of the table in `docs/formats.md`.
fn row(pair: &Pair) -> String {
    let events = |events: &[&str]| {
        let one = |event: &&str| format!("`{}`", event.replace('|', "\\|"));
        events.iter().map(one).collect::<Vec<_>>().join(", ")
    };
    let owner = match pair.on {
        On::Thread | On::Own => "thread",
        On::Cpu => "CPU",
        On::Machine => "machine",
    };
    let name = match pair.name {
        Name::Is(name) => format!("\"{name}\""),
        Name::Of(keys) => format!("`{}`", keys[0]),
        Name::In(before, keys, after) => format!("{before}`{}`{after}", keys[0]),
        Name::Event => "the event".to_owned(),
        Name::Syscall => "the call".to_owned(),
    };
    let keys = match pair.keys {
        [] => "–".to_owned(),
        keys => events(keys),
    };
    let again = match pair.again {
        Again::Nests => "nests",
        Again::Ends => "ends the open one",
        Again::Joins => "joins",
        Again::Waits => "replaces",
    };
    let track = format!("{owner} {}", pair.track);
    let track = track.trim_end();
    format!(
        "| {} | {} | {track} | {name} | {keys} | {again} |\n",
        events(pair.begins),
        events(pair.ends)
    )
}

#[test]
fn the_table_is_documented() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/formats.md");
    let docs = std::fs::read_to_string(path).unwrap();
    let table: String = PAIRS.iter().map(row).collect();
    assert!(
        docs.contains(&table),
        "docs/formats.md must have this table:\n{table}"
    );
}

/// Requires access to this kernel's formats: events of the table that the kernel has must print the
/// fields of the table. This finds mistyped names.
#[test]
fn this_kernel_has_the_fields() {
    let Ok(systems) = std::fs::read_dir("/sys/kernel/tracing/events") else {
        return println!("skipped: no formats of a running kernel");
    };
    let systems: Vec<_> = systems.flatten().map(|entry| entry.path()).collect();
    let mut checked = 0;
    for pair in PAIRS {
        for event in pair.begins.iter().chain(pair.ends) {
            let name = parts(event).0;
            let files = systems
                .iter()
                .map(|system| system.join(name).join("format"));
            let Some(format) = files.flat_map(std::fs::read_to_string).next() else {
                continue;
            };
            checked += 1;
            let has = |key: &str| {
                format.contains(&format!(" {key};")) || format.contains(&format!("{key}="))
            };
            for keys in pair.keys {
                assert!(keys.split('|').any(has), "{event} has no {keys}:\n{format}");
            }
        }
    }
    println!("{checked} events checked");
}
