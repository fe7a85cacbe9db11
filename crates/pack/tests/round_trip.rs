//! What is packed comes out again, and damage does no harm.

use proptest::prelude::*;
use traceloom_pack::{HEADER, PackError, pack_module, pack_text, unpacked, unpacked_len};

/// A module with one function of this code.
fn module(code: &[u8]) -> Vec<u8> {
    let section = |id: u8, content: &[u8]| [&[id, content.len() as u8], content].concat();
    let body = [&[code.len() as u8 + 3, 1, 2, 0x7f][..], code].concat();
    let sections = [
        section(1, &[1, 0x60, 0, 0]),
        section(3, &[1, 0]),
        section(5, &[1, 0, 17]),
        section(10, &[&[1][..], &body].concat()),
        section(11, &[1, 0, 0x41, 0, 0x0b, 3, b'a', b'b', b'c']),
    ];
    [b"\0asm\x01\0\0\0".to_vec(), sections.concat()].concat()
}

/// Bytes of a module's sections but the code's size and its functions', which may be wider.
fn without_sizes(module: &[u8], code: &[u8]) -> (Vec<u8>, Vec<u8>) {
    let at = module.windows(code.len()).position(|part| part == code);
    let at = at.expect("the code stands in the module");
    let before = module[..at].to_vec();
    (before[..23].to_vec(), module[at..].to_vec())
}

#[test]
fn operations_of_all_kinds_come_back() {
    let code: &[u8] = &[
        0x02, 0x40, // block without a value
        0x03, 0x7f, // loop with one
        0x41, 0x80, 0x80, 0xc0, 0x00, // i32.const of an address
        0x41, 0x88, 0x80, 0xc0, 0x00, // and the next
        0x41, 0x7f, // i32.const -1
        0x28, 0x02, 0x08, // i32.load, naturally aligned
        0x36, 0x00, 0x81, 0x01, // i32.store, not
        0x20, 0x01, 0x21, 0x00, // local.get, local.set
        0x23, 0x00, 0x24, 0x01, // global.get of the usual, global.set of another
        0x0e, 0x02, 0x00, 0x01, 0x00, // br_table
        0x11, 0x00, 0x00, // call_indirect
        0x42, 0x80, 0x80, 0x80, 0x80, 0x08, // i64.const
        0x43, 0x00, 0x00, 0x80, 0x3f, // f32.const
        0x44, 0, 0, 0, 0, 0, 0, 0xf0, 0x3f, // f64.const
        0xfc, 0x0b, 0x00, // memory.fill
        0xfc, 0x0a, 0x00, 0x00, // memory.copy
        0xfc, 0x02, // i32.trunc_sat_f64_s
        0x0b, 0x0b, 0x0b,
    ];
    let module = module(code);
    let again = unpacked(&pack_module(&module).unwrap()).unwrap();
    assert_eq!(without_sizes(&again, code), without_sizes(&module, code));
    // As long as before, but for four bytes more of each number that may have five.
    assert_eq!(again.len(), module.len() + 3 * 4);
}

#[test]
fn what_is_no_module_is_told() {
    assert_eq!(pack_module(b"\0asm\x01\0\0\0"), Err(PackError::NoCode));
    let vector = module(&[0xfd, 0x00, 0x0b]);
    assert!(matches!(
        pack_module(&vector),
        Err(PackError::Operation(0xfd, _))
    ));
    let whole = module(&[0x0b]);
    assert!(pack_module(&whole[..whole.len() - 14]).is_err());
}

#[test]
fn a_text_of_one_kind_of_line_takes_next_to_nothing() {
    let text = "const answer = ask(question, answers);\n".repeat(1000);
    let packed = pack_text(text.as_bytes()).unwrap();
    assert_eq!(unpacked(&packed).unwrap(), text.as_bytes());
    assert!(packed.len() < 150, "{}", packed.len());
}

#[test]
fn too_much_is_refused() {
    assert_eq!(
        pack_text(&vec![b'a'; (1 << 20) + 1]),
        Err(PackError::TooLong((1 << 20) + 1))
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_text_comes_back(text in proptest::collection::vec(any::<u8>(), 0..600)) {
        let packed = pack_text(&text).unwrap();
        prop_assert_eq!(unpacked_len(&packed), Some(text.len()));
        prop_assert_eq!(unpacked(&packed).unwrap(), text);
    }

    #[test]
    fn damage_gives_as_many_bytes_and_no_more(at in HEADER..70_usize, bits in 1..=255_u8, cut in 0..70_usize) {
        let mut packed = pack_module(&module(&[0x41, 0x80, 0x80, 0xc0, 0x00, 0x1a, 0x02, 0x40, 0x0b, 0x0b])).unwrap();
        let length = unpacked_len(&packed).unwrap();
        if let Some(byte) = packed.get_mut(at) {
            *byte ^= bits;
        }
        packed.truncate(packed.len() - cut.min(packed.len() - HEADER));
        prop_assert_eq!(unpacked(&packed).unwrap().len(), length);
    }
}
