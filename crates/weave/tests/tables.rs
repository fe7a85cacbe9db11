//! Tables that javac writes for code. For a woven class, `javap` must print the same tables as for
//! the plain class, with the new offsets.

mod jvm;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use traceloom_weave::{Build, BuildError, Call, Rules};

const TOOLS: &[&str] = &["java", "javac", "javap"];

/// The code of a method, as printed by `javap`.
#[derive(Debug, Default)]
struct Printed {
    /// Offsets and instructions. Jumps are without their targets.
    code: Vec<(u32, String)>,
    /// Lines of the tables, by table.
    tables: BTreeMap<String, Vec<String>>,
}

/// The methods of all classes in a folder, by class, name and descriptor.
fn javap(folder: &Path) -> BTreeMap<String, Printed> {
    let classes = jvm::classes(folder).into_iter();
    let classes: Vec<String> = classes
        .map(|class| class.to_str().unwrap().to_owned())
        .collect();
    let mut args = vec!["-v", "-p"];
    args.extend(classes.iter().map(String::as_str));
    let text = jvm::run("javap", &args);
    let mut methods: BTreeMap<String, Printed> = BTreeMap::new();
    let mut class = "";
    let (mut name, mut table) = (String::new(), String::new());
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        let indent = line.len() - line.trim_start().len();
        let content = line.trim();
        if let Some(path) = line.strip_prefix("Classfile ") {
            class = path.rsplit('/').next().unwrap_or(path);
        }
        if let Some(next) = lines.peek()
            && let Some(descriptor) = next.trim().strip_prefix("descriptor: ")
        {
            name = format!("{class} {content} {descriptor}");
            table.clear();
        }
        match indent {
            // Attributes of the class follow the last method.
            0 if !content.is_empty() => table.clear(),
            // An attribute of the method, not of its code.
            4 => {
                table = if content == "Code:" {
                    "Code".to_owned()
                } else {
                    String::new()
                }
            }
            6 if !table.is_empty() && content.contains(':') && !content.starts_with("stack=") => {
                table = content.split(':').next().unwrap().to_owned();
            }
            _ if table == "Code" => {
                // Skip the cases of a switch, which are lines with two numbers.
                if let Some((at, text)) = content.split_once(": ")
                    && let Ok(at) = at.parse()
                    && text.parse::<u32>().is_err()
                {
                    let method = methods.entry(name.clone()).or_default();
                    method.code.push((at, instruction(text)));
                }
            }
            _ if !table.is_empty()
                && content.starts_with(|c: char| c.is_ascii_digit() || c == 'l') =>
            {
                let method = methods.entry(name.clone()).or_default();
                let lines = method.tables.entry(table.clone()).or_default();
                lines.push(content.to_owned());
            }
            _ => {}
        }
    }
    methods
}

/// An instruction without its targets, which weaving changes.
fn instruction(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let jumps = words[0].starts_with("if") || words[0].starts_with("goto");
    let keep = if jumps || words[0].ends_with("switch") {
        1
    } else {
        words.len()
    };
    words[..keep].join(" ")
}

/// New offsets in the woven code, by the old offset of an instruction.
#[derive(Debug, Default)]
struct Places {
    /// The offset of the instruction itself.
    own: BTreeMap<u32, u32>,
    /// The target of jumps to it: before the call that closes the section, but after the call that opens it.
    with_call: BTreeMap<u32, u32>,
    /// The offset of the handler that was added after the code.
    handler: Option<u32>,
}

/// Finds the plain instructions in the woven code. Only calls of the recorder, and loads of their ids, may be between
/// them, and only the handler after them.
fn places(plain: &Printed, woven: &Printed) -> Places {
    let mut places = Places::default();
    let mut rest = woven.code.iter().peekable();
    for (at, text) in &plain.code {
        let mut call = None;
        loop {
            let (new, found) = rest
                .next()
                .unwrap_or_else(|| panic!("{at}: {text} is gone"));
            let next = rest.peek().map_or("", |(_, next)| next.as_str());
            if next.contains("traceloom/Recorder.") {
                call = next.contains("Recorder.o:").then(|| call.unwrap_or(*new));
                rest.next();
                continue;
            }
            assert_eq!(found, text, "was at {at}");
            places.own.insert(*at, *new);
            places.with_call.insert(*at, call.unwrap_or(*new));
            break;
        }
    }
    places.handler = rest.next().map(|(at, _)| *at);
    let behind: Vec<&str> = rest
        .map(|(_, text)| text.split(' ').next().unwrap())
        .collect();
    assert!(
        behind.is_empty() || behind == ["invokestatic", "athrow"],
        "{behind:?}"
    );
    places
}

impl Places {
    /// The new start of a range. The first line and the parameters start at 0, before the inserted call.
    fn start(&self, old: u32) -> u32 {
        if old == 0 { 0 } else { self.with_call[&old] }
    }

    /// The new end of a range. A range that ended with the code ends before the handler, or with the new code.
    fn end(&self, old: u32) -> u32 {
        let (last, place) = self.own.last_key_value().expect("there is code");
        let end = self.with_call.get(&old).or(self.handler.as_ref());
        end.copied().unwrap_or_else(|| place + old - last)
    }

    /// A line of a table with the expected new offsets.
    fn moved(&self, table: &str, line: &str) -> String {
        match table {
            "LineNumberTable" => {
                let (head, at) = line.rsplit_once(' ').unwrap();
                format!("{head} {}", self.start(at.parse().unwrap()))
            }
            "LocalVariableTable" | "LocalVariableTypeTable" => {
                let mut words = line.split_whitespace();
                let start: u32 = words.next().unwrap().parse().unwrap();
                let length: u32 = words.next().unwrap().parse().unwrap();
                let (from, end) = (self.start(start), self.end(start + length));
                let rest: Vec<&str> = words.collect();
                format!("{from} {} {}", end - from, rest.join(" "))
            }
            "CharacterRangeTable" => {
                let (numbers, _) = line.split_once("//").unwrap();
                let fields: Vec<&str> = numbers.split(',').map(str::trim).collect();
                let from = self.start(fields[0].parse().unwrap());
                let last = self.end(fields[1].parse::<u32>().unwrap() + 1) - 1;
                format!("{from}, {last}, {}", fields[2..].join(", "))
            }
            _ => self.moved_annotation(line),
        }
    }

    /// The same for annotations: `0: #12(#13=s#14): NEW, offset=71` or
    /// `LOCAL_VARIABLE, {start_pc=3, length=9, index=1; start_pc=…}`.
    fn moved_annotation(&self, line: &str) -> String {
        let number = |text: &str, name: &str| -> Option<u32> {
            let (_, rest) = text.split_once(name)?;
            let end = rest
                .find(|c: char| !c.is_ascii_digit())
                .unwrap_or(rest.len());
            rest[..end].parse().ok()
        };
        if let Some(old) = number(line, "offset=") {
            return line.replace(
                &format!("offset={old}"),
                &format!("offset={}", self.own[&old]),
            );
        }
        let Some((head, ranges)) = line.split_once('{') else {
            return line.to_owned();
        };
        let range = |range: &str| {
            let (old, length) = (
                number(range, "start_pc=").unwrap(),
                number(range, "length=").unwrap(),
            );
            let (from, end) = (self.start(old), self.end(old + length));
            range
                .replace(&format!("start_pc={old},"), &format!("start_pc={from},"))
                .replace(
                    &format!("length={length},"),
                    &format!("length={},", end - from),
                )
        };
        let ranges: Vec<String> = ranges.split(';').map(range).collect();
        format!("{head}{{{}", ranges.join(";"))
    }
}

/// A line without the explanation that javap adds after `//`, and without alignment.
fn plain_line(table: &str, line: &str) -> String {
    let line = match table {
        "CharacterRangeTable" => line.split("//").next().unwrap(),
        _ => line,
    };
    line.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Compiles and weaves a source, and checks every table of every method. Returns the total number of lines of each
/// table.
fn check(source: &str, options: &[&str]) -> BTreeMap<String, usize> {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    jvm::compile(&at("plain"), &[source], options);
    let build = Build {
        call: Call::recorder(),
        ..Build::new()
    };
    let (report, _) = build.run(&[at("plain")], &at("woven")).unwrap();
    assert_eq!(report.failures, []);
    jvm::compile(&at("woven"), &["traceloom/Recorder.java"], &[]);
    let main = source.trim_end_matches(".java");
    let run = |folder: &str| {
        jvm::run(
            "java",
            &["-Xverify:all", "-cp", at(folder).to_str().unwrap(), main],
        )
    };
    assert_eq!(run("woven"), run("plain"));

    let mut counts = BTreeMap::new();
    let (plain, woven) = (javap(&at("plain")), javap(&at("woven")));
    for (name, plain) in &plain {
        let woven = &woven[name];
        let places = places(plain, woven);
        for (table, lines) in &plain.tables {
            // The verifier checks the frames, and running the program checks the handlers.
            if ["StackMapTable", "Exception table"].contains(&table.as_str()) {
                continue;
            }
            let lines = lines.iter();
            let expected = lines.map(|line| plain_line(table, &places.moved(table, line)));
            let expected: Vec<String> = expected.collect();
            let found = woven.tables[table].iter();
            let found: Vec<String> = found.map(|line| plain_line(table, line)).collect();
            assert_eq!(found, expected, "{name} {table}");
            *counts.entry(table.clone()).or_default() += found.len();
        }
    }
    println!("{source}: {counts:?}");
    counts
}

#[test]
fn type_annotations_lines_and_variables_move_with_the_code() {
    if !jvm::is_there(TOOLS) {
        return;
    }
    let counts = check("Annotated.java", &["-parameters"]);
    assert!(counts["RuntimeVisibleTypeAnnotations"] >= 18, "{counts:?}");
    assert_eq!(counts["RuntimeInvisibleTypeAnnotations"], 1);
    assert!(counts["LocalVariableTypeTable"] >= 4, "{counts:?}");
    assert!(counts["LineNumberTable"] > 50, "{counts:?}");
}

#[test]
fn character_ranges_move_with_the_code() {
    if jvm::is_there(TOOLS) {
        // javac 17 cannot write this table for a class with type annotations.
        let counts = check("Corners.java", &["-Xjcov"]);
        assert!(counts["CharacterRangeTable"] > 300, "{counts:?}");
        assert!(counts["LocalVariableTable"] > 50, "{counts:?}");
    }
}

/// The methods, with their classes, that a build with these rules weaves.
fn woven_with(rules: Rules) -> BTreeSet<String> {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    jvm::compile(&at("plain"), &["Annotated.java"], &[]);
    let build = Build {
        call: Call::recorder(),
        rules,
        ..Build::new()
    };
    let (_, map) = match build.run(&[at("plain")], &at("woven")) {
        Err(BuildError::NothingIncluded) => return BTreeSet::new(),
        result => result.unwrap(),
    };
    let methods = map.methods.iter();
    let named: BTreeSet<String> = methods
        .map(|method| format!("{}.{}", method.class, method.name))
        .collect();
    // The map has one entry for each method that calls the recorder.
    let calls = |printed: &Printed| {
        printed
            .code
            .iter()
            .any(|(_, text)| text.contains("traceloom/Recorder.i"))
    };
    let printed = javap(&at("woven"));
    assert_eq!(
        printed.values().filter(|printed| calls(printed)).count(),
        map.methods.len()
    );
    named
}

#[test]
fn annotations_choose_methods_and_classes() {
    if !jvm::is_there(TOOLS) {
        return;
    }
    let names = |names: &[&str]| -> BTreeSet<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    };
    let parse = |text: &str| {
        let mut rules = Rules::default();
        rules.add_text(text).unwrap();
        rules
    };
    // An annotation of a method includes the method; one of a class includes all its methods.
    let included = woven_with(parse("[include]\nannotations = [\"Annotated$Traced\"]"));
    let of_inner = [
        "Annotated$Inner.<init>",
        "Annotated$Inner.counted",
        "Annotated$Inner.quiet",
    ];
    let expected = [&["Annotated.everywhere"], &of_inner[..]].concat();
    assert_eq!(included, names(&expected));
    // An annotation that is not visible at run time. Exclusions take precedence over inclusions.
    let text = "[include]\nannotations = [\"*$Traced\"]\n[exclude]\nannotations = [\"**$Quiet\"]";
    let expected = [
        "Annotated.everywhere",
        "Annotated$Inner.<init>",
        "Annotated$Inner.counted",
    ];
    assert_eq!(woven_with(parse(text)), names(&expected));
    // Type annotations are not annotations of the method.
    let text = "[include]\nannotations = [\"Annotated$Tag\", \"Annotated$Hidden\"]";
    assert_eq!(woven_with(parse(text)), names(&[]));
}
