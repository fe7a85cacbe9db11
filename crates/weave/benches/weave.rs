//! Weaving speed of one core: all classes of the JDK's java.base, from bytes to bytes.

use std::hint::black_box;
use std::path::Path;
use std::process::Command;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use traceloom_weave::class::ClassFile;
use traceloom_weave::{Call, Plan, weave_class};

/// The classes of java.base; `None` without a JDK.
fn classes() -> Option<Vec<Vec<u8>>> {
    let folder = tempfile::tempdir().ok()?;
    let java = Command::new("sh")
        .args(["-c", "readlink -f $(command -v java)"])
        .output()
        .ok()?;
    let java = String::from_utf8(java.stdout).ok()?;
    let modules = Path::new(java.trim())
        .parent()?
        .parent()?
        .join("lib/modules");
    let into = ["extract", "--include", "regex:/java\\.base/.*", "--dir"];
    let extracted = Command::new("jimage")
        .args(into)
        .arg(folder.path())
        .arg(modules)
        .status();
    let mut classes = Vec::new();
    collect(folder.path(), &mut classes);
    extracted.ok()?.success().then_some(classes)
}

fn collect(folder: &Path, into: &mut Vec<Vec<u8>>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        match path.is_dir() {
            true => collect(&path, into),
            false if path.extension().is_some_and(|ending| ending == "class") => {
                into.extend(std::fs::read(path));
            }
            false => {}
        }
    }
}

fn weave_all(classes: &[Vec<u8>], call: &Call) -> usize {
    let mut id = 0;
    let mut weave = |bytes: &Vec<u8>| {
        let plan = |_| {
            id += 1;
            Plan::Weave {
                id,
                text: id.to_string(),
            }
        };
        let woven = weave_class(bytes, call, plan).expect("a class of the JDK");
        woven.bytes.map_or(0, |bytes| bytes.len())
    };
    classes.iter().map(&mut weave).sum()
}

fn benchmark(criterion: &mut Criterion) {
    let Some(classes) = classes() else {
        println!("skipped: no JDK with jimage");
        return;
    };
    let mut group = criterion.benchmark_group("java.base");
    group.sample_size(10);
    group.throughput(Throughput::Elements(classes.len() as u64));
    group.bench_function("copy the bytes", |bench| {
        bench.iter(|| {
            classes
                .iter()
                .map(|class| black_box(class.clone()).len())
                .sum::<usize>()
        });
    });
    group.bench_function("read and write", |bench| {
        let again = |class: &Vec<u8>| ClassFile::read(class).map_or(0, |class| class.write().len());
        bench.iter(|| classes.iter().map(again).sum::<usize>());
    });
    for call in [Call::section(), Call::recorder()] {
        group.bench_function(format!("weave {}", call.to_text()), |bench| {
            bench.iter(|| weave_all(&classes, &call));
        });
    }
    group.finish();
}

criterion_group!(benches, benchmark);
criterion_main!(benches);
