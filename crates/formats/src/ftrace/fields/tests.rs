//! Payloads and their expected fields.

use super::fields;
use crate::ftrace::event::{Field, Value};

fn read(event: &str, payload: &str) -> String {
    let mut out = Vec::new();
    fields(event.as_bytes(), payload.as_bytes(), &mut out);
    let show = |field: &Field<'_>| {
        let key = String::from_utf8_lossy(field.key);
        match field.value {
            Value::Int(value) => format!("{key}={value}"),
            Value::Hex(value) => format!("{key}={value:#x}"),
            Value::Text(text) => format!("{key}={:?}", String::from_utf8_lossy(text)),
        }
    };
    out.iter().map(show).collect::<Vec<_>>().join(" ")
}

#[test]
fn every_shape() {
    for (payload, expected) in [
        (
            "comm=rs:main Q:Reg pid=17 delay=4 [ns]",
            r#"comm="rs:main Q:Reg" pid=17 delay=4"#,
        ),
        (
            "dev 8,13 ino 58 pos 0 flags 0x1 ",
            r#"dev="8,13" ino=58 pos=0 flags=0x1"#,
        ),
        (
            "dev = (7,0), ino = 8, ret = -1",
            r#"dev="(7,0)" ino=8 ret=-1"#,
        ),
        (
            "cmd=25,addr=0x002c6b98,size=0x8",
            "cmd=25 addr=0x2c6b98 size=0x8",
        ),
        ("vec=9 [action=RCU]", r#"vec=9 action="RCU""#),
        (
            "req_power={15 42} total=2",
            r#"req_power="{15 42}" total=2"#,
        ),
        ("my_field=foo=bar=baz", r#"my_field="foo=bar=baz""#),
        ("dest=1, text=\"a=b c\", n=2", r#"dest=1 text="a=b c" n=2"#),
        ("only words here", r#"="only words here""#),
        ("cpu: 3 freq: 800000", "cpu=3 freq=800000"),
        ("name: value, n: 3", r#"name="value" n=3"#),
        (
            "dev 0:5 ino 1 page=(null) pfn=4",
            r#"dev="0:5" ino=1 page="(null)" pfn=4"#,
        ),
        (
            "mm_id=1 curr=1 type=MM_ANONPAGES size=4096B",
            r#"mm_id=1 curr=1 type="MM_ANONPAGES" size=4096"#,
        ),
        ("a=18446744073709551600", r#"a="18446744073709551600""#),
        (
            "cpus=00000000,00000006 freq=1",
            r#"cpus="00000000,00000006" freq=1"#,
        ),
        ("a= b=1", r#"a="" b=1"#),
        (
            "dev 254,0 ino 5 caller ext4_dirty_inode+0x5c/0x80",
            r#"dev="254,0" ino=5 caller="ext4_dirty_inode+0x5c/0x80""#,
        ),
        (
            "dev 8,1 ino 7 flags HINT_DATA|NOCHECK len 1 lblk 0",
            r#"dev="8,1" ino=7 flags="HINT_DATA|NOCHECK" len=1 lblk=0"#,
        ),
        (
            "dev 254,0 ino 5 found 1 [0/8) 1234 W",
            r#"dev="254,0" ino=5 found=1 ="[0/8) 1234 W""#,
        ),
        (
            "dev 254,0 blocks 1, rsv_blocks 0, type 2, ino 0, caller __f+0x1/0x2",
            r#"dev="254,0" blocks=1 rsv_blocks=0 type=2 ino=0 caller="__f+0x1/0x2""#,
        ),
        ("a: 1, b: 2, c: some text", r#"a=1 b=2 c="some text""#),
        ("cpu 3 went away", r#"="cpu 3 went away""#),
        ("flags CREATE ino 5", r#"="flags CREATE ino 5""#),
        ("", ""),
    ] {
        assert_eq!(read("some_event", payload), expected, "{payload}");
    }
}

#[test]
fn formats_of_their_own() {
    assert_eq!(
        read(
            "block_rq_issue",
            "8,0 WS 4096 () 12345 + 8 none,0,0 [kworker/u8:1]"
        ),
        r#"dev="8,0" rwbs="WS" bytes=4096 sector=12345 nr_sector=8 ="none,0,0" comm="kworker/u8:1""#
    );
    assert_eq!(
        read("block_rq_complete", "8,0 R () 12345 + 8 [0]"),
        r#"dev="8,0" rwbs="R" sector=12345 nr_sector=8 error=0"#
    );
    assert_eq!(
        read(
            "workqueue_execute_start",
            "work struct 00000000b1a1e8a5: function vmstat_update"
        ),
        r#"work=0xb1a1e8a5 function="vmstat_update""#
    );
    assert_eq!(
        read("clock_enable", "gcc_clk state=1 cpu_id=3"),
        r#"name="gcc_clk" state=1 cpu_id=3"#
    );
    assert_eq!(
        read("ipi_entry", "(Rescheduling interrupts)"),
        r#"reason="Rescheduling interrupts""#
    );
}
