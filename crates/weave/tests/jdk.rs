//! All classes of the JDK's java.base: writing gives the bytes that were read, and the JVM's verifier accepts the woven
//! classes.

mod jvm;

use std::path::Path;

use traceloom_weave::class::{ClassFile, Code, Frames};
use traceloom_weave::{Build, Call};

const TOOLS: &[&str] = &["java", "javac", "jimage"];

/// Reads a class including its code and frames, and writes every part again. Also counts methods with code and frame
/// tables.
fn rewritten(bytes: &[u8]) -> (Vec<u8>, [usize; 2]) {
    let mut class = ClassFile::read(bytes).unwrap();
    let mut counts = [0; 2];
    let pool = class.pool.clone();
    for method in &mut class.methods {
        for attribute in &mut method.attributes {
            if pool.utf8(attribute.name).unwrap() != b"Code" {
                continue;
            }
            counts[0] += 1;
            let content = attribute.content.to_vec();
            let mut code = Code::read(&content, attribute.at).unwrap();
            for inside in &mut code.attributes {
                if pool.utf8(inside.name).unwrap() == b"StackMapTable" {
                    counts[1] += 1;
                    let frames = Frames::read(&inside.content, inside.at).unwrap();
                    inside.content = frames.write().into();
                }
            }
            attribute.content = code.write().into();
        }
    }
    (class.write(), counts)
}

#[test]
fn every_class_is_written_as_it_was_read() {
    if !jvm::is_there(TOOLS) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let classes = jvm::classes(&jvm::extract("java.base", folder.path()));
    let (mut methods, mut tables) = (0, 0);
    for path in &classes {
        let bytes = std::fs::read(path).unwrap();
        assert!(
            ClassFile::read(&bytes).unwrap().write() == bytes,
            "{}",
            path.display()
        );
        let (again, counts) = rewritten(&bytes);
        assert!(again == bytes, "{}", path.display());
        methods += counts[0];
        tables += counts[1];
    }
    println!(
        "{} classes, {methods} methods and {tables} frame tables are the same",
        classes.len()
    );
    assert!(classes.len() > 3000, "{}", classes.len());
}

/// Weaves java.base, starts the JVM with it, and lets the JVM verify all its classes.
fn verify(folder: &Path, base: &Path, (call, class, source): (&str, &str, &str)) {
    let at = |name: &str| folder.join(name);
    let build = Build {
        call: call.parse::<Call>().unwrap(),
        ..Build::new()
    };
    let (report, _) = build.run(&[base.to_owned()], &at("woven")).unwrap();
    assert_eq!(report.failures, []);
    assert_eq!(report.unreadable, []);
    let growth = report.bytes_after as f64 / report.bytes_before as f64;
    println!(
        "{} methods woven with {call}: {growth:.3} times as big",
        report.woven_methods
    );
    assert!(growth < 1.25);
    stand_in(folder, class, source);
    let names = names(base);
    std::fs::write(at("names.txt"), names.join("\n")).unwrap();
    let printed = jvm::run(
        "java",
        &[
            "-Xverify:all",
            &format!(
                "-Xlog:class+init=info:file={}",
                at("verified.log").display()
            ),
            "--patch-module",
            &format!("java.base={}", at("woven").display()),
            "-cp",
            folder.to_str().unwrap(),
            "Verify",
            at("names.txt").to_str().unwrap(),
        ],
    );
    assert!(
        printed.contains(&format!("linked {}", names.len())),
        "{printed}"
    );
    let log = std::fs::read_to_string(at("verified.log")).unwrap();
    let verified = log.matches("End class verification for: ").count();
    println!("the JVM verified {verified} of {} classes", names.len());
    // HotSpot does not verify a few classes: Object, Class, String, Throwable and generated accessors.
    assert!(verified + 20 > names.len(), "{verified}");
}

fn names(base: &Path) -> Vec<String> {
    let classes = jvm::classes(base);
    let inside = classes
        .iter()
        .filter_map(|path| path.strip_prefix(base).ok()?.to_str());
    let names = inside.filter_map(|path| path.strip_suffix(".class"));
    names
        .filter(|name| *name != "module-info")
        .map(|name| name.replace('/', "."))
        .collect()
}

/// Adds the class that woven code calls to the woven classes. java.base cannot call classes outside itself.
fn stand_in(folder: &Path, class: &str, source: &str) {
    let path = folder.join(class).with_extension("java");
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(&path, source).unwrap();
    let patch = format!("java.base={}", folder.display());
    let into = folder.join("woven");
    let (into, path) = (into.to_str().unwrap(), path.to_str().unwrap());
    jvm::run(
        "javac",
        &["-nowarn", "--patch-module", &patch, "-d", into, path],
    );
}

/// Each call, the class that it calls, and the source of that class. It must work before the JVM is initialized.
const CALLS: [(&str, &str, &str); 3] = [
    (
        "section",
        "android/os/Trace",
        "package android.os; public class Trace { static long depth; \
         public static void beginSection(String s) { depth++; } public static void endSection() { depth--; } }",
    ),
    (
        "trace-tag",
        "android/os/Trace",
        "package android.os; public class Trace { static long depth; \
         public static void traceBegin(long t, String s) { depth += t; } \
         public static void traceEnd(long t) { depth -= t; } }",
    ),
    (
        "recorder",
        "traceloom/Recorder",
        "package traceloom; public class Recorder { static long depth; \
         public static void i(int id) { depth++; } public static void o(int id) { depth--; } }",
    ),
];

#[test]
fn woven_classes_pass_the_verifier() {
    if !jvm::is_there(TOOLS) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let base = jvm::extract("java.base", folder.path());
    jvm::compile(folder.path(), &["Verify.java"], &[]);
    for call in CALLS {
        verify(folder.path(), &base, call);
    }
}
