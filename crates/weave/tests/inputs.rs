//! Folders and archives: classes are woven, other files are copied, and the output is reproducible.

use std::io::{Cursor, Read, Write};
use std::path::{Path, PathBuf};

use tempfile::TempDir;
use testkit::class_file::{Assembler, Body};
use traceloom_weave::class::ClassFile;
use traceloom_weave::{Build, BuildError, Call, MethodMap};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipArchive, ZipWriter};

/// A class whose methods call another method, so that they can throw.
fn class(name: &str, methods: &[&str]) -> Vec<u8> {
    let mut class = Assembler::new(52);
    let [high, low] = class.method_ref("Other", "f", "(I)I").to_be_bytes();
    for method in methods {
        let body = Body {
            max_stack: 1,
            max_locals: 1,
            code: vec![26, 184, high, low, 172],
            handlers: Vec::new(),
            frames: None,
        };
        class.method(0x9, method, "(I)I", &body);
    }
    class.finish(name)
}

fn archive(entries: &[(&str, &[u8])]) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (number, (name, bytes)) in entries.iter().enumerate() {
        let time = zip::DateTime::from_date_and_time(2020, 2, 1 + number as u8, 3, 4, 6).unwrap();
        let method = match number % 2 {
            0 => CompressionMethod::Deflated,
            _ => CompressionMethod::Stored,
        };
        let options = SimpleFileOptions::default()
            .last_modified_time(time)
            .compression_method(method);
        if name.ends_with('/') {
            zip.add_directory(*name, options).unwrap()
        } else {
            zip.start_file(*name, options).unwrap()
        }
        zip.write_all(bytes).unwrap();
    }
    zip.set_comment("a comment").unwrap();
    zip.finish().unwrap().into_inner()
}

/// Name, content, time and compression of every entry.
fn entries(bytes: &[u8]) -> Vec<(String, Vec<u8>, String)> {
    let mut zip = ZipArchive::new(Cursor::new(bytes)).unwrap();
    let read = |number| {
        let mut entry = zip.by_index(number).unwrap();
        let mut content = Vec::new();
        entry.read_to_end(&mut content).unwrap();
        let facts = format!("{:?} {:?}", entry.last_modified(), entry.compression());
        (entry.name().unwrap().into_owned(), content, facts)
    };
    (0..ZipArchive::new(Cursor::new(bytes)).unwrap().len())
        .map(read)
        .collect()
}

fn app() -> Vec<u8> {
    let (feed, row) = (
        class("a/Feed", &["load", "open"]),
        class("a/Row", &["bind"]),
    );
    archive(&[
        ("META-INF/", b""),
        ("META-INF/MANIFEST.MF", b"Manifest-Version: 1.0\n"),
        ("META-INF/APP.SF", b"Signature-Version: 1.0\n"),
        ("META-INF/APP.RSA", b"\x30"),
        ("a/Feed.class", &feed),
        ("a/Row.class", &row),
        ("META-INF/versions/9/a/Row.class", &row),
        ("res/picture.png", &[7; 1000]),
        ("broken.class", b"\xca\xfe\xba\xbe\0\0"),
    ])
}

struct Folder(TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn at(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn put(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let path = self.at(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, bytes).unwrap();
        path
    }
}

fn is_woven(bytes: &[u8]) -> bool {
    let class = ClassFile::read(bytes).unwrap();
    class.pool.find([b"endSection"])[0] != 0
}

#[test]
fn only_the_classes_and_the_signature_of_a_jar_change() {
    let folder = Folder::new();
    let jar = folder.put("app.jar", &app());
    let (report, map) = Build::new().run(&[jar], &folder.at("out")).unwrap();
    let names: Vec<String> = map
        .methods
        .iter()
        .map(|method| method.full_name())
        .collect();
    assert_eq!(
        names,
        ["a.Feed.load", "a.Feed.open", "a.Row.bind"],
        "both versions of a class have the same ids"
    );
    assert_eq!(
        (report.classes, report.woven_classes, report.woven_methods),
        (4, 3, 4)
    );
    assert_eq!(report.unsigned.len(), 1);
    assert!(
        report.unreadable[0].0.ends_with("app.jar!broken.class"),
        "{:?}",
        report.unreadable
    );

    let written = std::fs::read(folder.at("out/app.jar")).unwrap();
    let (before, after) = (entries(&app()), entries(&written));
    let left: Vec<_> = before
        .iter()
        .filter(|(name, ..)| !name.contains("/APP."))
        .collect();
    assert_eq!(left.len(), after.len());
    for (old, new) in left.into_iter().zip(&after) {
        assert_eq!(
            (&old.0, &old.2),
            (&new.0, &new.2),
            "name, time and compression of the entry"
        );
        let is_class = old.0.starts_with("a/") || old.0.contains("/a/");
        assert_eq!(old.1 == new.1, !is_class, "{}", old.0);
        assert!(!is_class || is_woven(&new.1));
    }
    assert_eq!(
        ZipArchive::new(Cursor::new(&written)).unwrap().comment(),
        b"a comment"
    );
}

#[test]
fn a_jar_without_woven_classes_stays_signed() {
    let folder = Folder::new();
    let jar = folder.put("app.jar", &app());
    let mut build = Build::new();
    build.rules.exclude.packages = vec!["a".to_owned()];
    let (report, map) = build.run(&[jar], &folder.at("woven.jar")).unwrap();
    assert_eq!(
        (
            report.woven_methods,
            report.skipped["rule"],
            map.methods.len()
        ),
        (0, 4, 0)
    );
    assert!(std::fs::read(folder.at("woven.jar")).unwrap() == app());
}

#[test]
fn archives_in_archives_are_opened() {
    let folder = Folder::new();
    let odd = archive(&[("x", b"y")]);
    let aar = archive(&[
        ("AndroidManifest.xml", b"<manifest/>"),
        ("classes.jar", &app()),
        ("libs/other.jar", &odd),
        ("res/raw/data.zip", b"not a zip"),
    ]);
    let aar = folder.put("lib.aar", &aar);
    let (report, _) = Build::new().run(&[aar], &folder.at("out.aar")).unwrap();
    assert_eq!(report.woven_classes, 3);
    let written = entries(&std::fs::read(folder.at("out.aar")).unwrap());
    let inner = entries(&written[1].1);
    assert!(
        inner
            .iter()
            .any(|(name, bytes, _)| name == "a/Feed.class" && is_woven(bytes))
    );
    assert!(written[2].1 == odd, "a jar without classes is unchanged");
}

fn put_many(folder: &Folder) -> Vec<PathBuf> {
    for number in 0..40 {
        let name = format!("C{number}");
        folder.put(
            &format!("classes/b/{name}.class"),
            &class(&format!("b/{name}"), &["f", "g"]),
        );
    }
    folder.put("classes/b/notes.txt", b"as it is");
    folder.put("classes/lib/app.jar", &app());
    vec![folder.put("app.jar", &app()), folder.at("classes")]
}

fn files(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let (mut found, mut folders) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(inside) = folders.pop() {
        for entry in std::fs::read_dir(inside).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path)
            } else {
                let bytes = std::fs::read(&path).unwrap();
                found.push((path.strip_prefix(folder).unwrap().to_owned(), bytes));
            }
        }
    }
    found.sort();
    found
}

#[test]
fn threads_and_cache_change_nothing() {
    let folder = Folder::new();
    let inputs = put_many(&folder);
    let mut build = Build::new();
    build.threads = Some(1);
    let (_, first) = build.run(&inputs, &folder.at("one")).unwrap();
    build.threads = Some(5);
    let (_, second) = build.run(&inputs, &folder.at("five")).unwrap();
    assert_eq!(first, second);
    let one = files(&folder.at("one"));
    assert_eq!(one.len(), 43);
    assert!(one == files(&folder.at("five")));

    build.cache = Some(folder.at("cache.zip"));
    let (cold, _) = build.run(&inputs, &folder.at("cold")).unwrap();
    let (warm, map) = build.run(&inputs, &folder.at("warm")).unwrap();
    assert_eq!(
        (cold.cached_classes, warm.cached_classes),
        (0, cold.woven_classes)
    );
    assert_eq!((warm.woven_methods, &map), (cold.woven_methods, &first));
    assert!(one == files(&folder.at("cold")) && one == files(&folder.at("warm")));

    // If one class changes, only that class is woven again.
    folder.put("classes/b/C7.class", &class("b/C7", &["f", "g", "h"]));
    build.base = Some(map);
    let (changed, map) = build.run(&inputs, &folder.at("warm")).unwrap();
    assert_eq!(changed.woven_classes - changed.cached_classes, 1);
    assert_eq!(map.methods.len(), first.methods.len() + 1);
    assert!(
        first
            .methods
            .iter()
            .all(|method| map.get(method.id) == Some(method))
    );

    // A file that is not a cache counts as an empty cache.
    folder.put("cache.zip", b"not a zip");
    let (cold, _) = build.run(&inputs, &folder.at("cold")).unwrap();
    assert_eq!(cold.cached_classes, 0);
}

/// Outputs have the permissions of any new file. The cache is private.
#[cfg(unix)]
#[test]
fn permissions_of_outputs() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::new();
    let jar = folder.put("app.jar", &app());
    let mut build = Build::new();
    build.cache = Some(folder.at("cache.zip"));
    build
        .run(std::slice::from_ref(&jar), &folder.at("woven.jar"))
        .unwrap();
    build.rules.exclude.packages = vec!["a".to_owned()];
    build.run(&[jar], &folder.at("same.jar")).unwrap();
    let mode = |name: &str| {
        std::fs::metadata(folder.at(name))
            .unwrap()
            .permissions()
            .mode()
            & 0o777
    };
    assert_eq!(
        (mode("woven.jar"), mode("same.jar")),
        (mode("app.jar"), mode("app.jar"))
    );
    assert_eq!(mode("cache.zip"), 0o600);
    let files = std::fs::read_dir(folder.0.path()).unwrap();
    assert_eq!(files.count(), 4, "no temporary file is left");
}

#[test]
fn all_inputs_in_one_archive() {
    let folder = Folder::new();
    let inputs = put_many(&folder);
    let (report, _) = Build::new().run(&inputs, &folder.at("all.jar")).unwrap();
    let written = entries(&std::fs::read(folder.at("all.jar")).unwrap());
    let count = |name: &str| written.iter().filter(|entry| entry.0 == name).count();
    assert_eq!(
        (
            count("a/Feed.class"),
            count("b/C7.class"),
            count("lib/app.jar")
        ),
        (1, 1, 1)
    );
    let jar = written
        .iter()
        .find(|entry| entry.0 == "lib/app.jar")
        .unwrap();
    assert!(
        entries(&jar.1)
            .iter()
            .any(|(name, bytes, _)| name == "a/Row.class" && is_woven(bytes))
    );
    assert!(report.duplicates.is_empty());
    let twice = [inputs[0].clone(), folder.put("other/app.jar", &app())];
    let (report, _) = Build::new().run(&twice, &folder.at("twice.jar")).unwrap();
    assert_eq!(report.duplicates.len(), 6, "{:?}", report.duplicates);
}

#[test]
fn outputs_that_would_overwrite_an_input_are_refused() {
    let folder = Folder::new();
    let inputs = put_many(&folder);
    let run = |inputs: &[PathBuf], output: &str| {
        Build::new().run(inputs, &folder.at(output)).unwrap_err()
    };
    for (inputs, output) in [
        (&inputs[..1], "app.jar"),
        (&inputs[1..], "classes/woven"),
        (&inputs[..1], ""),
    ] {
        assert!(
            matches!(run(inputs, output), BuildError::OntoInput(_)),
            "{output}"
        );
    }
    let twins = [inputs[0].clone(), folder.put("other/app.jar", &app())];
    assert!(matches!(run(&twins, "out"), BuildError::Collision(_)));
    let text = folder.put("notes.txt", b"");
    assert!(matches!(run(&[text], "out"), BuildError::Kind(_)));
    assert!(!folder.at("out").exists());
}

#[test]
fn full_names_replace_ids_if_they_are_short_enough() {
    let folder = Folder::new();
    let long = "x".repeat(140);
    let input = folder.put("in/Named.class", &class("Named", &["short", &long]));
    let mut build = Build::new();
    build.full_names = true;
    let (_, map) = build.run(&[input], &folder.at("out")).unwrap();
    let bytes = std::fs::read(folder.at("out/Named.class")).unwrap();
    let class = ClassFile::read(&bytes).unwrap();
    assert_ne!(class.pool.find([b"Named.short"])[0], 0);
    assert_eq!(class.pool.find([format!("Named.{long}").as_bytes()])[0], 0);
    assert_ne!(
        class.pool.find([b"2"])[0],
        0,
        "the method with the long name has its id"
    );
    assert_eq!(MethodMap::parse(&map.to_text()), Ok(map));
}

#[test]
fn the_called_class_is_not_woven() {
    let folder = Folder::new();
    let input = folder.put("in/Beat.class", &class("my/Beat", &["i", "o"]));
    let mut build = Build::new();
    build.call = "my.Beat.i(int)/o(int)".parse::<Call>().unwrap();
    let (report, _) = build
        .run(std::slice::from_ref(&input), &folder.at("out"))
        .unwrap();
    assert_eq!(
        (report.woven_methods, report.skipped["call-target"]),
        (0, 2)
    );
    assert!(std::fs::read(input).unwrap() == std::fs::read(folder.at("out/Beat.class")).unwrap());
}
