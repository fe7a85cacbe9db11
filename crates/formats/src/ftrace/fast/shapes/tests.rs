//! Comparing gives the same fields as the general rule.

use proptest::prelude::*;

use super::*;
use crate::ftrace::fields::trimmed_fields;

/// Lines of one event: the same keys with different values, and sometimes other text.
fn lines() -> impl Strategy<Value = Vec<String>> {
    const KEYS: &[&str] = &[
        "dev ",
        "cpu: ",
        "ino=",
        "index=",
        "a-b=",
        "size=",
        "longer_than_eight=",
        "x ",
        "caller ",
        "=",
    ];
    const VALUES: &[&str] = &[
        "0",
        "12",
        "254,0",
        "254:0:",
        "-7",
        "0x1f",
        "1234567890",
        "4096B",
        "name",
        "a b",
        "",
        "(7,0)",
        "\"q\"",
        "{1 2}",
        ">5",
        "=5",
        "1=2",
        "5,",
        "5,,",
        "[3]",
        "a|b",
        "\tz",
        "é1",
        "SYNC|A",
        "SYNC|A,",
        "W",
        "f+0x5c/0x80",
    ];
    let keys = proptest::collection::vec(proptest::sample::select(KEYS), 1..5);
    let values = proptest::collection::vec(proptest::sample::select(VALUES), 5);
    let gaps =
        proptest::collection::vec(proptest::sample::select(vec![" ", " ", " ", ", ", "  "]), 5);
    let line = (values, gaps, proptest::bool::weighted(0.2));
    (keys, proptest::collection::vec(line, 2..8)).prop_map(|(keys, lines)| {
        let line = |(values, gaps, plain): (Vec<&str>, Vec<&str>, bool)| {
            let parts = keys.iter().enumerate().map(|(nth, key)| {
                let gap = if plain { " " } else { gaps[nth] };
                let value = if plain { "77" } else { values[nth] };
                format!("{gap}{key}{value}")
            });
            parts.collect::<String>()
        };
        lines.into_iter().map(line).collect()
    })
}

proptest! {
    #[test]
    fn comparing_equals_the_general_rule(lines in lines()) {
        let mut shapes = Shapes::default();
        for line in &lines {
            let text = line.as_bytes().trim_ascii();
            let mut expected = Vec::new();
            let is_general = trimmed_fields(b"event", text, &mut expected);
            let mut found = Vec::new();
            let shape = shapes.find(b"event");
            if shapes.read(shape, text, &mut found).is_some() {
                prop_assert_eq!(&found, &expected, "{:?}", line);
            }
            match shape {
                NO_SHAPE => _ = shapes.learn(b"event", (text, is_general), &expected),
                known => _ = shapes.matching(known, &expected),
            }
        }
    }
}

#[test]
fn plain_lines_are_compared() {
    let mut shapes = Shapes::default();
    for (event, first, next) in [
        (
            "ext4_x",
            "dev 254,0 ino 5 pos 0",
            "dev 8,1 ino 4144444444 pos -1",
        ),
        (
            "writeback_x",
            "bdi 254:0: ino=6 state=I_SYNC",
            "bdi 8:0: ino=1 state=A|B",
        ),
        ("cpu_x", "cpu: 3 freq: 800000", "cpu: 0 freq: 9"),
        (
            "ext4_y",
            "dev 254,0 ino 5 caller ext4_dirty_inode+0x5c/0x80",
            "dev 8,1 ino 77 caller ext4_da_write_end+0x100/0x2f0",
        ),
    ] {
        let mut fields = Vec::new();
        let is_general = trimmed_fields(event.as_bytes(), first.as_bytes(), &mut fields);
        assert_eq!(shapes.find(event.as_bytes()), NO_SHAPE);
        let shape = shapes.learn(event.as_bytes(), (first.as_bytes(), is_general), &fields);
        assert_eq!(shapes.find(event.as_bytes()), shape);
        let (mut found, mut expected) = (Vec::new(), Vec::new());
        assert!(
            shapes.read(shape, next.as_bytes(), &mut found).is_some(),
            "{next}"
        );
        trimmed_fields(event.as_bytes(), next.as_bytes(), &mut expected);
        assert_eq!(found, expected);
    }
}

#[test]
fn more_events_than_there_is_room_for_have_no_shape() {
    let mut shapes = Shapes::default();
    let names: Vec<String> = (0..3 * MOST_SHAPES)
        .map(|nth| format!("event_{nth}"))
        .collect();
    for name in &names {
        shapes.learn(name.as_bytes(), (b"", true), &[]);
    }
    let known = names
        .iter()
        .filter(|name| shapes.find(name.as_bytes()) != NO_SHAPE);
    assert_eq!(known.count(), MOST_SHAPES);
}
