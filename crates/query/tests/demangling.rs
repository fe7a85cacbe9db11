//! Readable names of functions.

mod made;

use made::{ask, session};
use traceloom_query::Value;

/// The row of an answer, as text.
fn shown(sql: &str) -> String {
    let value = |value: &Value| match value {
        Value::Null => "NULL".to_owned(),
        Value::Integer(number) => number.to_string(),
        Value::Text(text) => text.clone(),
        other => panic!("{other:?}"),
    };
    let rows = ask(&mut session(), sql).unwrap().rows;
    let cells: Vec<String> = rows[0].iter().map(value).collect();
    cells.join(" ")
}

#[test]
fn names_of_rust_functions_are_demangled() {
    let sql = "SELECT demangle('_RNvCskwGfYPst2Cb_3foo16example_function'),
                      demangle('_ZN4core3fmt5Write9write_fmt17h0123456789abcdefE'), demangle('main'), demangle(NULL)";
    let found = shown(sql);
    assert!(
        found.contains(
            "::example_function core::fmt::Write::write_fmt::h0123456789abcdef NULL NULL"
        ),
        "{found}"
    );
}

/// As `llvm-cxxfilt` prints them.
#[test]
fn names_of_cpp_functions_are_demangled() {
    let names = [
        ("_ZN3foo3barEi", "foo::bar(int)"),
        (
            "_ZNSt6vectorIiSaIiEE9push_backERKi",
            "std::vector<int, std::allocator<int> >::push_back(int const&)",
        ),
        ("_ZGVZ3foovE1x", "guard variable for foo()::x"),
        ("_ZNK3Foo2opclEv", "Foo::op::operator()() const"),
        ("_Z1fIiEvT_", "void f<int>(int)"),
        ("_Zbroken", "NULL"),
        ("Zebra", "NULL"),
    ];
    for (name, expected) in names {
        let found = shown(&format!("SELECT demangle('{name}')"));
        assert_eq!(found, expected, "{name}");
    }
}

/// Each part of the name refers twice to the part before, so the whole name would have 2^40 parts.
#[test]
fn a_name_that_stands_for_an_endless_one_is_not_demangled() {
    let mut name = "_Z1fSt4pairIiiE".to_owned();
    for step in 0..40 {
        let reference = match step {
            0 => "S".to_owned(),
            step => format!("S{}", (step - 1).to_string().to_uppercase()),
        };
        name += &format!("St4pairI{reference}_{reference}_E");
    }
    let found = shown(&format!("SELECT length(demangle('{name}'))"));
    assert!(
        found == "NULL" || found.parse::<usize>().unwrap() <= 64 << 10,
        "{found}"
    );
}
