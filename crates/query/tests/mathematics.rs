//! SQLite's mathematics.

mod made;

use made::{ask, session};
use traceloom_query::Value;

/// The answers of SQLite 3.40's command-line program.
#[test]
fn texts_and_odd_bases_are_numbers_as_in_sqlite() {
    let mut session = session();
    for (call, expected) in [
        ("ceil('5')", Value::Integer(5)),
        ("ceil('5.5')", Value::Real(6.0)),
        ("ceil(-2.5)", Value::Real(-2.0)),
        ("trunc(7)", Value::Integer(7)),
        ("floor('abc')", Value::Null),
        ("ceil('-inf')", Value::Null),
        ("sqrt('inf')", Value::Null),
        ("sqrt('nan')", Value::Null),
        ("sqrt('0x10')", Value::Null),
        ("sqrt('4x')", Value::Null),
        ("sqrt(x'34')", Value::Null),
        ("sqrt(char(160) || '4')", Value::Null),
        ("sqrt(char(11) || '4 ')", Value::Real(2.0)),
        ("sqrt('+4')", Value::Real(2.0)),
        ("sqrt('4.')", Value::Real(2.0)),
        ("sqrt('.25')", Value::Real(0.5)),
        ("sqrt('4e0')", Value::Real(2.0)),
        ("ln('1e400')", Value::Real(f64::INFINITY)),
        ("log(2, '8')", Value::Real(3.0)),
        ("log(2, 0)", Value::Null),
        ("log(1, 8)", Value::Null),
        ("log(0.5, 8)", Value::Null),
        ("log(-1, 3)", Value::Null),
        ("mod(-7, 3)", Value::Real(-1.0)),
        ("mod(7, 0)", Value::Null),
        ("pow(0, -1)", Value::Real(f64::INFINITY)),
        ("pow(-1, 0.5)", Value::Null),
    ] {
        let rows = ask(&mut session, &format!("SELECT {call}")).unwrap().rows;
        assert_eq!(rows, [[expected]], "{call}");
    }
}
