//! Methods that no compiler writes, and random methods. Once woven, they return the same values, and the JVM's verifier
//! accepts them.

mod jvm;
mod random;

use std::path::Path;

use random::random_class;
use testkit::class_file::{Assembler, Body, class_files, frames};
use traceloom_weave::{Build, Call, Plan, SkipReason, weave_class};

const STATIC: u16 = 0x9;
const INT_TO_INT: &str = "(I)I";

fn weave(bytes: &[u8]) -> (Option<Vec<u8>>, Vec<(usize, SkipReason)>) {
    let plan = |number: usize| Plan::Weave {
        id: 1 + number as u32,
        text: String::new(),
    };
    let woven = weave_class(bytes, &Call::recorder(), plan).unwrap();
    (woven.bytes, woven.skipped)
}

/// Runs all methods of the plain and the woven classes in one JVM, and compares the results.
fn check(classes: &[(String, Vec<u8>)]) {
    if !jvm::is_there(&["java", "javac"]) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    std::fs::create_dir(at("plain")).unwrap();
    for (name, bytes) in classes {
        std::fs::write(at("plain").join(format!("{name}.class")), bytes).unwrap();
    }
    let build = Build {
        call: Call::recorder(),
        ..Build::new()
    };
    let (report, _) = build.run(&[at("plain")], &at("woven")).unwrap();
    assert_eq!(report.failures, []);
    jvm::compile(
        folder.path(),
        &["Cases.java", "traceloom/Recorder.java"],
        &[],
    );
    println!(
        "{}",
        run(folder.path(), &at("plain"), &at("woven"), classes).trim()
    );
}

fn run(folder: &Path, plain: &Path, woven: &Path, classes: &[(String, Vec<u8>)]) -> String {
    let mut args = vec!["-Xverify:all", "-cp", folder.to_str().unwrap(), "Cases"];
    args.extend([plain.to_str().unwrap(), woven.to_str().unwrap()]);
    args.extend(classes.iter().map(|(name, _)| name.as_str()));
    jvm::run("java", &args)
}

fn one_method(major: u16, body: &Body) -> Vec<u8> {
    let mut class = Assembler::new(major);
    class.method(STATIC, "m", INT_TO_INT, body);
    class.finish("One")
}

/// `if (x == 0) goto end`, then `units` times `if (x == 0) return 0`, then `end: return x`.
fn far(units: usize, with_frames: bool) -> Body {
    let mut code = vec![26, 153, 0, 0];
    let mut targets = Vec::new();
    for _ in 0..units {
        code.extend([26, 154, 0, 5, 3, 172]);
        targets.push((code.len(), 1, None));
    }
    let end = (code.len() - 1) as u16;
    code[2..4].copy_from_slice(&end.to_be_bytes());
    code.extend([26, 172]);
    Body {
        max_stack: 1,
        max_locals: 1,
        code,
        handlers: Vec::new(),
        frames: with_frames.then(|| frames(&targets)),
    }
}

/// `start: x--; … if (x > 0) goto start; return x`. The jump back over the whole method is a `goto`, or a conditional
/// jump that is followed by a frame.
fn far_back(units: usize, by_goto: bool) -> Body {
    let mut code = vec![132, 0, 255];
    let mut targets = vec![(0, 1, None)];
    for _ in 0..units {
        code.extend([26, 16, 77, 160, 0, 5, 3, 172]);
        targets.push((code.len(), 1, None));
    }
    let back = |code: &Vec<u8>| (-(code.len() as i32) as i16).to_be_bytes();
    if by_goto {
        code.extend([26, 158, 0, 6]);
        let [high, low] = back(&code);
        code.extend([167, high, low]);
    } else {
        code.push(26);
        let [high, low] = back(&code);
        code.extend([157, high, low]);
    }
    targets.push((code.len(), 1, None));
    code.extend([26, 172]);
    Body {
        max_stack: 2,
        max_locals: 1,
        code,
        handlers: Vec::new(),
        frames: Some(frames(&targets)),
    }
}

#[test]
fn jumps_that_no_longer_reach_their_targets_get_longer_forms() {
    let classes = [
        ("trampoline", 52, far(5400, true)),
        ("inverted", 49, far(5400, false)),
        ("back", 52, far_back(3900, false)),
        ("wide", 52, far_back(3900, true)),
    ];
    let class = |(name, major, body): &(&str, u16, Body)| {
        let mut class = Assembler::new(*major);
        class.method(STATIC, "m", INT_TO_INT, body);
        (format!("Far{name}"), class.finish(&format!("Far{name}")))
    };
    let classes: Vec<_> = classes.iter().map(class).collect();
    for (name, bytes) in &classes {
        let (woven, skipped) = weave(bytes);
        assert_eq!(skipped, [], "{name}");
        assert!(woven.unwrap().len() > bytes.len() + 15_000, "{name}");
    }
    check(&classes);
}

#[test]
fn a_frame_at_the_first_instruction_moves_after_the_call() {
    // 0: x--; if (x > 0) goto 0; return x
    let body = Body {
        max_stack: 1,
        max_locals: 1,
        code: vec![132, 0, 255, 26, 157, 255, 252, 26, 172],
        handlers: Vec::new(),
        frames: Some(vec![0, 1, 0]),
    };
    let small = class_files().pop().unwrap();
    check(&[
        ("One".to_owned(), one_method(52, &body)),
        ("Small".to_owned(), small),
    ]);
}

#[test]
fn old_classes_with_subroutines() {
    let mut class = Assembler::new(48);
    // try { return 10 / x; } finally { x++ }, as compiled before Java 6.
    let code = vec![
        16, 10, // 0: bipush 10
        26, 108, // 2: iload_0, idiv
        60,  // 4: istore_1
        168, 0, 11, // 5: jsr 16
        27, 172, // 8: iload_1, ireturn
        77,  // 10: astore_2
        168, 0, 5, // 11: jsr 16
        44, 191, // 14: aload_2, athrow
        78,  // 16: astore_3
        132, 0, 1, // 17: iinc 0 1
        169, 3, // 20: ret 3
    ];
    let body = Body {
        max_stack: 2,
        max_locals: 4,
        code,
        handlers: vec![[0, 8, 10, 0]],
        frames: None,
    };
    class.method(STATIC, "m", INT_TO_INT, &body);
    check(&[("Old".to_owned(), class.finish("Old"))]);
}

#[test]
fn methods_without_room_are_skipped_and_reported() {
    let nothing = |length: usize| Body {
        max_stack: 1,
        max_locals: 1,
        code: [vec![0; length - 2], vec![26, 172]].concat(),
        handlers: Vec::new(),
        frames: None,
    };
    let (woven, skipped) = weave(&one_method(52, &nothing(65_530)));
    assert_eq!((woven, skipped), (None, vec![(0, SkipReason::TooLarge)]));
    assert_eq!(weave(&one_method(52, &nothing(65_500))).1, []);
    let mut class = Assembler::new(52);
    class.method(STATIC, "m", INT_TO_INT, &nothing(10));
    let mut number = 0;
    while class.constants() < 65_530 {
        number += 1;
        class.int(number);
    }
    let (woven, skipped) = weave(&class.finish("Full"));
    assert_eq!((woven, skipped), (None, vec![(0, SkipReason::PoolFull)]));
}

#[test]
fn a_constructor_that_catches_exceptions_of_the_superclass_constructor_is_skipped() {
    let mut class = Assembler::new(49);
    let init = class
        .method_ref("java/lang/Object", "<init>", "()V")
        .to_be_bytes();
    // try { super() } catch (…) {}: both paths lead to the same instruction. The verifier rejects this, but reading it
    // must not fail.
    let body = Body {
        max_stack: 1,
        max_locals: 1,
        code: vec![42, 183, init[0], init[1], 177, 87, 177],
        handlers: vec![[0, 5, 5, 0]],
        frames: None,
    };
    class.method(1, "<init>", "()V", &body);
    let (woven, skipped) = weave(&class.finish("Caught"));
    assert_eq!((woven, skipped), (None, vec![(0, SkipReason::SuperCall)]));
}

#[test]
fn random_methods_return_the_same_values_once_woven() {
    let classes = (0..60u64).map(|seed| {
        let name = format!("Random{seed}");
        let bytes = random_class(seed, &name);
        (name, bytes)
    });
    check(&classes.collect::<Vec<_>>());
}
