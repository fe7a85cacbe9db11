//! Woven programs behave the same, and every method that they enter is recorded.

mod jvm;

use std::collections::BTreeMap;
use std::path::Path;

use jvm::Counts;
use traceloom_weave::{Build, Call, MethodMap, Names, Rules};

const TOOLS: &[&str] = &["java", "javac", "jimage"];

/// Weaves everything with calls of the recorder.
fn recorder() -> Build {
    Build {
        call: Call::recorder(),
        ..Build::new()
    }
}

/// Calls by `class method descriptor`.
fn by_name(counts: &Counts, map: &MethodMap) -> BTreeMap<String, u64> {
    let named = counts.calls.iter().map(|(id, count)| {
        let method = map.get(*id).expect("every id is in the map");
        let name = format!("{} {} {}", method.class, method.name, method.descriptor);
        (name, *count)
    });
    named.collect()
}

/// Compares recorded calls with the entries counted by the JVM's debugger, for all methods of the map. Returns the
/// number of calls.
fn assert_same_counts(
    woven: &BTreeMap<String, u64>,
    entered: &BTreeMap<String, u64>,
    map: &MethodMap,
) -> u64 {
    for method in &map.methods {
        let name = format!("{} {} {}", method.class, method.name, method.descriptor);
        assert_eq!(woven.get(&name), entered.get(&name), "{name}");
    }
    woven.values().sum()
}

#[test]
fn every_entry_and_exit_is_recorded() {
    if !jvm::is_there(TOOLS) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    jvm::compile(
        &at("plain"),
        &["Corners.java", "traceloom/Recorder.java"],
        &[],
    );
    jvm::compile(folder.path(), &["Entries.java"], &[]);
    let (report, map) = recorder().run(&[at("plain")], &at("woven")).unwrap();
    assert_eq!(report.failures, []);
    assert_eq!(report.skipped["empty"], 1, "the empty finalizer");

    let plain = jvm::run("java", &["-cp", at("plain").to_str().unwrap(), "Corners"]);
    let counts = format!("-Dweave.counts={}", at("counts").display());
    let woven = at("woven");
    let args = [
        "-Xverify:all",
        &counts,
        "-cp",
        woven.to_str().unwrap(),
        "Corners",
    ];
    assert_eq!(jvm::run("java", &args), plain);

    let counts = Counts::read(&at("counts"));
    assert_eq!((counts.wrong, counts.open), (0, 0));
    for thread in ["main", "worker-0", "worker-3"] {
        assert!(counts.threads.iter().any(|name| name == thread), "{thread}");
    }
    let class_path = format!("-cp {}", at("plain").display());
    let mut entered = jvm::entries(folder.path(), &class_path, "Corners", "Corners*");
    // One constructor was left by an exception of the superclass constructor. Its section begins after that call, so it
    // was not recorded.
    *entered
        .get_mut("Corners$Derived <init> (ZLjava/lang/Object;)V")
        .unwrap() -= 1;
    let calls = assert_same_counts(&by_name(&counts, &map), &entered, &map);
    println!(
        "{calls} calls of {} methods, as many as the debugger counted",
        map.methods.len()
    );
    assert!(calls > 1000, "{calls}");
}

/// Weaves the JDK's compiler. It then still compiles a program to the same bytes.
#[test]
fn a_woven_compiler_gives_the_same_output() {
    if !jvm::is_there(TOOLS) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let module = jvm::extract("jdk.compiler", folder.path());
    let (report, map) = recorder().run(&[module], &at("woven")).unwrap();
    assert_eq!(report.failures, []);
    // The recorder must be a class of the module, whose code does not see the class path.
    jvm::compile(&at("woven"), &["traceloom/Recorder.java"], &[]);
    println!(
        "{} methods of {} classes woven",
        report.woven_methods, report.woven_classes
    );

    jvm::compile(&at("plain"), &["Entries.java"], &[]);
    let counts = format!("-Dweave.counts={}", at("counts").display());
    let patch = format!("jdk.compiler={}", at("woven").display());
    let (into, source) = (at("again"), jvm::source("Entries.java"));
    let main = "jdk.compiler/com.sun.tools.javac.Main";
    let compile = ["-g", "-nowarn", "-d", into.to_str().unwrap(), &source];
    let mut args = vec![
        "-Xverify:all",
        &counts,
        "--patch-module",
        &patch,
        "-m",
        main,
    ];
    args.extend(compile);
    jvm::run("java", &args);

    assert_same_folders(&at("plain"), &at("again"));
    let counts = Counts::read(&at("counts"));
    assert_eq!(counts.wrong, 0);
    // The compiler calls System.exit inside main, so that section stays open.
    assert!(counts.open <= 1, "{}", counts.open);
    let woven = by_name(&counts, &map);
    println!("{} calls, all closed", woven.values().sum::<u64>());

    // Compare only the scanner and its tokens, because the debugger is slow.
    let options = format!("-m {main} {}", compile.join(" "));
    jvm::compile(folder.path(), &["Entries.java"], &[]);
    let filter = "com.sun.tools.javac.parser.Tokens*,com.sun.tools.javac.parser.Scanner*";
    let entered = jvm::entries(folder.path(), "-Xint", &options, filter);
    let is_counted = |name: &str| {
        let class = name.split(' ').next().unwrap();
        filter
            .split(',')
            .any(|filter| class.starts_with(filter.trim_end_matches('*')))
    };
    let methods = map
        .methods
        .iter()
        .filter(|method| is_counted(&method.class));
    let map = MethodMap {
        methods: methods.cloned().collect(),
        ..map.clone()
    };
    let calls = assert_same_counts(
        &woven
            .into_iter()
            .filter(|(name, _)| is_counted(name))
            .collect(),
        &entered,
        &map,
    );
    println!(
        "{calls} calls of {} methods, as many as the debugger counted",
        map.methods.len()
    );
    assert!(calls > 1000, "{calls}");
}

fn assert_same_folders(one: &Path, other: &Path) {
    let names = |folder: &Path| -> Vec<_> {
        let files = jvm::classes(folder);
        files
            .iter()
            .map(|path| path.strip_prefix(folder).unwrap().to_owned())
            .collect()
    };
    assert_eq!(names(one), names(other));
    for name in names(one) {
        let read = |folder: &Path| std::fs::read(folder.join(&name)).unwrap();
        assert!(read(one) == read(other), "{}", name.display());
    }
}

/// Weaves Debian's ant, if it is installed: a jar from real life.
#[test]
fn a_woven_ant_builds_the_same() {
    let jars = Path::new("/usr/share/ant/lib");
    if !jvm::is_there(TOOLS) {
        return;
    }
    if !jars.join("ant.jar").exists() {
        println!("skipped: ant is not installed (Debian's package ant)");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let (report, map) = recorder()
        .run(
            &[jars.join("ant.jar"), jars.join("ant-launcher.jar")],
            &at("woven"),
        )
        .unwrap();
    assert_eq!(report.failures, []);
    let growth = report.bytes_after as f64 / report.bytes_before as f64;
    println!(
        "{} methods of ant woven: {growth:.3} times as big",
        report.woven_methods
    );
    assert!(growth < 1.25);
    jvm::compile(&at("recorder"), &["traceloom/Recorder.java"], &[]);
    let project = "<project default='all'><property name='x' value='7'/><target name='all'>\
        <echo>x is ${x}</echo><mkdir dir='made'/><echo file='made/a.txt' message='a'/>\
        <zip destfile='made/a.zip' basedir='made' includes='*.txt'/><checksum file='made/a.txt' property='sum'/>\
        <echo>${sum}</echo><fail message='as wanted' unless='nothing'/></target></project>";
    std::fs::write(at("build.xml"), project).unwrap();
    let run = |lib: &Path| {
        let class_path = format!(
            "{}:{}:{}",
            lib.join("ant.jar").display(),
            lib.join("ant-launcher.jar").display(),
            at("recorder").display()
        );
        let counts = format!("-Dweave.counts={}", at("counts").display());
        let build = at("build.xml");
        let args = [
            "-Xverify:all",
            &counts,
            "-cp",
            &class_path,
            "org.apache.tools.ant.Main",
            "-q",
            "-f",
            build.to_str().unwrap(),
        ];
        let output = jvm::output("java", &args);
        let text = [output.stdout, output.stderr].concat();
        let text = String::from_utf8(text).unwrap();
        // The time is different in each run.
        text.lines()
            .filter(|line| !line.starts_with("Total time"))
            .collect::<Vec<_>>()
            .join("\n")
    };
    let (plain, woven) = (run(jars), run(&at("woven")));
    assert_eq!(plain, woven);
    assert!(
        plain.contains("as wanted") && plain.contains("0cc175b9c0f1b6a831c399e269772661"),
        "{plain}"
    );
    let counts = Counts::read(&at("counts"));
    assert_eq!(counts.wrong, 0);
    let calls: u64 = by_name(&counts, &map).values().sum();
    println!(
        "{calls} calls in a build with ant, {} still open at System.exit",
        counts.open
    );
    assert!(calls > 10_000, "{calls}");
}

/// Classes that the rules do not include stay byte for byte the same.
#[test]
fn classes_outside_the_rules_are_unchanged() {
    if !jvm::is_there(TOOLS) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    jvm::compile(
        &at("plain"),
        &["Corners.java", "traceloom/Recorder.java"],
        &[],
    );
    let mut build = recorder();
    build.rules = Rules {
        include: Names {
            methods: vec!["Corners$Derived.value".to_owned(), "**.deep".to_owned()],
            ..Names::default()
        },
        ..Rules::default()
    };
    let (report, map) = build.run(&[at("plain")], &at("woven")).unwrap();
    assert_eq!((report.woven_methods, map.methods.len()), (2, 2));
    for path in jvm::classes(&at("plain")) {
        let name = path.strip_prefix(at("plain")).unwrap();
        let is_same =
            std::fs::read(&path).unwrap() == std::fs::read(at("woven").join(name)).unwrap();
        let is_woven = ["Corners.class", "Corners$Derived.class"]
            .map(Path::new)
            .contains(&name);
        assert_eq!(is_same, !is_woven, "{}", name.display());
    }
}
