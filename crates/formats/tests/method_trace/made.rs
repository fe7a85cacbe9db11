//! Hand-made traces.

use crate::support::{read_events, read_events_cut};

#[test]
fn a_key_section_alone_is_understood() {
    let error = read_events(b"*version\n3\n*threads\n*methods\n*end\n").unwrap_err();
    assert!(error.to_string().contains(".data"), "{error}");
}

#[test]
fn the_front_may_be_cut_anywhere() {
    let mut bytes =
        b"*version\n2\nclock=wall\n*threads\n1\tmain\n*methods\n0x4\tA\tb\t()V\n*end\n".to_vec();
    bytes.extend(b"SLOW\x02\x00\x10\x00\x10\x00\x00\x00\x00\x00\x00\x00");
    bytes.extend(b"\x01\x00\x04\x00\x00\x00\x07\x00\x00\x00");
    let whole = read_events(&bytes).unwrap();
    assert_eq!((whole.events.len(), whole.events[0].wall_ns), (1, 7_000));
    for cut in 0..bytes.len() {
        assert_eq!(
            read_events_cut(&bytes, &[cut, cut + 3]).unwrap(),
            whole,
            "cut at {cut}"
        );
    }
}
