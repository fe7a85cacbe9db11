use super::*;

const MAPPING: &str = "\
# {\"id\":\"com.android.tools.r8.mapping\",\"version\":\"2.2\"}
com.example.Feed -> a.b:
# {\"id\":\"sourceFile\",\"fileName\":\"Feed.kt\"}
    1:3:void com.example.Json.parse(java.lang.String):40:42 -> a
    1:3:void load(com.example.Feed):17 -> a
    4:9:void load(com.example.Feed):18:23 -> a
    1:1:int size():30:30 -> b
    int count(int) -> c
    int total(long) -> c
com.example.Json -> a.c:
";

fn mapping() -> Mapping {
    Mapping {
        text: MAPPING.as_bytes().to_vec(),
    }
}

#[test]
fn methods_get_class_name_and_signature_back() {
    let mapping = mapping();
    let names = mapping.names();
    let load = names.method("a.b", "a", "(La/b;)V", 5).unwrap();
    assert_eq!(
        (load.class.as_str(), load.name.as_str()),
        ("com.example.Feed", "load")
    );
    assert_eq!(load.signature, "(Lcom/example/Feed;)V");
    assert_eq!(load.file.as_deref(), Some("Feed.kt"));
    assert_eq!(names.method("x.y", "a", "()V", 0), None);
}

#[test]
fn inlined_frames_at_the_entry_are_named() {
    let mapping = mapping();
    let load = mapping.names().method("a.b", "a", "(La/b;)V", 2).unwrap();
    assert_eq!(load.name, "load [inlined com.example.Json.parse]");
}

#[test]
fn overloads_are_told_apart_by_their_parameters() {
    let mapping = mapping();
    let names = mapping.names();
    assert_eq!(names.method("a.b", "c", "(I)I", -1).unwrap().name, "count");
    assert_eq!(names.method("a.b", "c", "(J)I", -1).unwrap().name, "total");
    assert_eq!(names.method("a.b", "c", "", -1).unwrap().name, "c");
}

/// From retrace's own tests: overloads that differ only in their new signatures, a method of a
/// merged class, and comments that are not signatures of methods.
#[test]
fn methods_whose_signature_r8_changed_are_found() {
    let mapping = Mapping {
        text: b"\
# {'id':'com.android.tools.r8.mapping','version':'2.2'}
some.Class -> b:
# {'id':'sourceFile','fileName':'Class.java'}
    1:1:some.Class full(int):0:0 -> a
    # {'id':'com.android.tools.r8.residualsignature','signature':'()Lb;'}
    int plain(some.Class) -> a
    int other(long) -> a
      # { id:'com.android.tools.r8.residualsignature',signature:'(Lb;I)I' }
    2:5:void inlined.Code.run():4:4 -> c
    2:5:void some.Merged.bar(int,some.Class[]):42:42 -> c
      # {\"id\":\"com.android.tools.r8.residualsignature\",\"signature\":\"([Lb;)V\"}
    int wrong(int) -> d
    # {'id':'com.android.tools.r8.residualsignature','signature':'I'}
    1:1:void one(int) -> e
    # {'id':'com.android.tools.r8.residualsignature','signature':'()V'}
    2:2:void two(int) -> e
    # {'id':'com.android.tools.r8.residualsignature','signature':'()V'}
"
        .to_vec(),
    };
    let names = mapping.names();
    let found = |name: &str, signature: &str| {
        let method = names.method("b", name, signature, -1).unwrap();
        format!("{}.{}{}", method.class, method.name, method.signature)
    };
    assert_eq!(found("a", "()Lb;"), "some.Class.full(I)Lsome/Class;");
    assert_eq!(found("a", "(Lb;)I"), "some.Class.plain(Lsome/Class;)I");
    assert_eq!(found("a", "(Lb;I)I"), "some.Class.other(J)I");
    assert_eq!(found("a", "(J)I"), "some.Class.a(J)I", "this one is gone");
    assert_eq!(found("c", "([Lb;)V"), "some.Merged.bar(I[Lsome/Class;)V");
    assert_eq!(found("d", "(I)I"), "some.Class.wrong(I)I");
    assert_eq!(found("e", "()V"), "some.Class.e()V", "two were merged");
    let at_line = names.method("b", "c", "([Lb;)V", 3).unwrap();
    assert_eq!(at_line.name, "bar [inlined inlined.Code.run]");
    assert_eq!(at_line.signature, "(I[Lsome/Class;)V");
}

#[test]
fn names_inside_slices_are_found() {
    let mapping = mapping();
    let names = mapping.names();
    assert_eq!(names.text("a.c").as_deref(), Some("com.example.Json"));
    assert_eq!(
        names.text("inflate a.b.b x").as_deref(),
        Some("inflate com.example.Feed.size x")
    );
    assert_eq!(
        names
            .text("monitor contention at void a.b.a(a.b)(SourceFile:5) waiters=0")
            .as_deref(),
        Some(
            "monitor contention at void com.example.Feed.load(com.example.Feed)(SourceFile:5) waiters=0"
        ),
    );
    // Several line ranges, one with inlined code: still one method.
    assert_eq!(
        names.text("a.b.a").as_deref(),
        Some("com.example.Feed.load")
    );
    // Overloads with the same name cannot be distinguished without a signature.
    assert_eq!(names.text("a.b.c").as_deref(), Some("com.example.Feed.c"));
    assert_eq!(names.text("Choreographer#doFrame 12.5"), None);
}
