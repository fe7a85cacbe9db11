//! The tables that javac writes beside code, moved: what `javap` reads of them in a woven class is held against what it
//! reads in the class as it was.

mod jvm;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use traceloom_weave::{Build, Call, Rules};

const TOOLS: &[&str] = &["java", "javac", "javap"];

/// What `javap` prints of a method's code.
#[derive(Debug, Default)]
struct Printed {
    /// Offsets and instructions, without the offsets that jumps name.
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
            // What stands behind the last method is the class's.
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
                // A switch has lines with numbers alone.
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

/// An instruction without what weaving changes of it: where it jumps to.
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

/// Where the instructions of the plain code are in the woven code.
#[derive(Debug, Default)]
struct Places {
    /// The instruction itself.
    own: BTreeMap<u32, u32>,
    /// Where jumps to it lead: before the call that closes the section, behind the one that opens it.
    with_call: BTreeMap<u32, u32>,
    /// Where the handler begins that is put behind the code.
    handler: Option<u32>,
}

/// Finds the plain instructions in the woven code: between them is nothing but numbers that are loaded and calls of the
/// recorder, and behind them the handler.
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
    /// Where a range begins: the first line and the parameters are there before the call.
    fn start(&self, old: u32) -> u32 {
        if old == 0 { 0 } else { self.with_call[&old] }
    }

    /// Behind a range. Behind the code are the handler, or nothing that is new.
    fn end(&self, old: u32) -> u32 {
        let (last, place) = self.own.last_key_value().expect("there is code");
        let end = self.with_call.get(&old).or(self.handler.as_ref());
        end.copied().unwrap_or_else(|| place + old - last)
    }

    /// A line of a table as it should be now.
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

    /// `0: #12(#13=s#14): NEW, offset=71` and `LOCAL_VARIABLE, {start_pc=3, length=9, index=1; start_pc=…}`.
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

/// A line without what javap says in other words behind `//`, and without its columns.
fn plain_line(table: &str, line: &str) -> String {
    let line = match table {
        "CharacterRangeTable" => line.split("//").next().unwrap(),
        _ => line,
    };
    line.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Compiles a source, weaves it, and holds every table of every method against what it should be. How many lines each
/// table has in all.
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
            // Frames are the verifier's, and handlers are run.
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
fn ranges_of_characters_move_with_the_code() {
    if jvm::is_there(TOOLS) {
        // javac 17 fails to write this table where there are type annotations.
        let counts = check("Corners.java", &["-Xjcov"]);
        assert!(counts["CharacterRangeTable"] > 300, "{counts:?}");
        assert!(counts["LocalVariableTable"] > 50, "{counts:?}");
    }
}

/// Classes and methods that a build with these rules weaves.
fn woven_with(rules: Rules) -> BTreeSet<String> {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    jvm::compile(&at("plain"), &["Annotated.java"], &[]);
    let build = Build {
        call: Call::recorder(),
        rules,
        ..Build::new()
    };
    let (_, map) = build.run(&[at("plain")], &at("woven")).unwrap();
    let methods = map.methods.iter();
    let named: BTreeSet<String> = methods
        .map(|method| format!("{}.{}", method.class, method.name))
        .collect();
    // What the woven classes call is what the map has.
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
    // Of a method, and of a class for all of its methods.
    let included = woven_with(parse("[include]\nannotations = [\"Annotated$Traced\"]"));
    let of_inner = [
        "Annotated$Inner.<init>",
        "Annotated$Inner.counted",
        "Annotated$Inner.quiet",
    ];
    let expected = [&["Annotated.everywhere"], &of_inner[..]].concat();
    assert_eq!(included, names(&expected));
    // One that the JVM does not keep; what is excluded goes before what is included.
    let text = "[include]\nannotations = [\"*$Traced\"]\n[exclude]\nannotations = [\"**$Quiet\"]";
    let expected = [
        "Annotated.everywhere",
        "Annotated$Inner.<init>",
        "Annotated$Inner.counted",
    ];
    assert_eq!(woven_with(parse(text)), names(&expected));
    // Annotations of types are none of the method's.
    let text = "[include]\nannotations = [\"Annotated$Tag\", \"Annotated$Hidden\"]";
    assert_eq!(woven_with(parse(text)), names(&[]));
}
