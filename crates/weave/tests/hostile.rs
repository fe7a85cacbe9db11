//! Damaged class files give an error or a class, never a panic. Writing an unchanged class gives the same bytes.

use testkit::class_file::class_files;
use testkit::{Rng, mutate};
use traceloom_weave::class::ClassFile;
use traceloom_weave::{Call, Plan, Rules, Skip, weave_class};

/// Reads a class, applies rules to it and weaves it. Returns whether it is a class file.
fn survives(bytes: &[u8]) -> bool {
    let Ok(class) = ClassFile::read(bytes) else {
        assert!(weave_class(bytes, &Call::section(), |_| Plan::Leave).is_err());
        return false;
    };
    assert!(class.write() == bytes);
    let mut rules = Rules::default();
    rules.include.annotations = vec!["**".to_owned()];
    rules.skip = Skip {
        leaf: true,
        ..Skip::default()
    };
    let _choices_or_error = rules.choose(bytes, &Call::section());
    let plan = |number: usize| Plan::Weave {
        id: 40_000 + number as u32,
        text: number.to_string(),
    };
    for call in [Call::section(), Call::trace_tag(), Call::recorder()] {
        let woven = weave_class(bytes, &call, plan).unwrap();
        if let Some(bytes) = woven.bytes {
            ClassFile::read(&bytes).unwrap();
        }
    }
    true
}

#[test]
fn every_truncated_class_is_an_error() {
    for class in class_files() {
        assert!(survives(&class));
        for length in 0..class.len() {
            assert!(!survives(&class[..length]), "{length}");
        }
    }
}

#[test]
fn damaged_classes_never_panic() {
    let mut rng = Rng::new(20_261);
    let (mut read, mut all) = (0, 0);
    for class in class_files() {
        for _ in 0..5_000 {
            read += u32::from(survives(&mutate(&class, &mut rng)));
            all += 1;
        }
        // Change only one byte, so that most of the results are still class files.
        for at in 0..class.len() {
            for value in [0, 1, 0x7f, 0xff, class[at].wrapping_add(1)] {
                let mut damaged = class.clone();
                damaged[at] = value;
                read += u32::from(survives(&damaged));
                all += 1;
            }
        }
    }
    println!("{read} of {all} damaged class files could still be read");
    assert!(read > 1000, "{read}");
}
