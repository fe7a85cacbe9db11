//! What is left out of the engine before its traps, by a module made by hand.

#[path = "../build/traps.rs"]
mod traps;
#[path = "../build/wasm.rs"]
mod wasm;

const END: u8 = 0x0b;
const UNREACHABLE: u8 = 0x00;
const BLOCK: [u8; 2] = [0x02, 0x40];
const BRANCH_IF_0: [u8; 2] = [0x0d, 0];
const DROP: u8 = 0x1a;

const ONE: [u8; 2] = [0x41, 1];

/// The address of a place in the data.
const fn place(nth: u8) -> [u8; 5] {
    // 1,048,576 + 4 + 16 * nth: the places stand behind a path of four bytes.
    [0x41, 0x84 + 16 * nth, 0x80, 0xc0, 0]
}

fn section(id: u8, content: &[u8]) -> Vec<u8> {
    [&[id], &*wasm::number(content.len()), content].concat()
}

/// Functions of no parameters and no result; the second and the fourth are exported.
fn module(bodies: [&[u8]; 4], places: [[u8; 16]; 2]) -> Vec<u8> {
    let sized = |body: &&[u8]| [&*wasm::number(body.len() + 1), &[0], *body].concat();
    let code: Vec<u8> = bodies.iter().flat_map(sized).collect();
    // A segment at 1,048,576 with 36 bytes.
    let data = [
        &[1, 0, 0x41, 0x80, 0x80, 0xc0, 0, END, 36][..],
        b"a.rs",
        &places.concat(),
    ]
    .concat();
    [
        b"\0asm\x01\0\0\0".to_vec(),
        section(1, &[1, 0x60, 0, 0]),
        section(3, &[4, 0, 0, 0, 0]),
        section(7, &[2, 1, b'a', 0, 1, 1, b'b', 0, 3]),
        section(10, &[&[4], &*code].concat()),
        section(11, &data),
    ]
    .concat()
}

/// A `Location`: the path at 1,048,576 with four bytes, line 7, column 9.
const LOCATION: [u8; 16] = [0, 0, 16, 0, 4, 0, 0, 0, 7, 0, 0, 0, 9, 0, 0, 0];

#[test]
fn what_leads_to_a_trap_is_left_out() {
    let names = |nth| [&place(nth)[..], &[DROP]].concat();
    let panics = [&*names(0), &[UNREACHABLE, END]].concat();
    let calls = [
        &BLOCK[..],
        &ONE,
        &BRANCH_IF_0,
        &ONE,
        &[DROP, 0x10, 0, UNREACHABLE, END, END],
    ]
    .concat();
    let unused = [&ONE[..], &[DROP, END]].concat();
    // Leaves by a branch before its end, which is out of reach.
    let returns = [
        &*names(1),
        &ONE,
        &BRANCH_IF_0,
        &ONE,
        &[DROP, UNREACHABLE, END],
    ]
    .concat();
    let before = module([&panics, &calls, &unused, &returns], [LOCATION; 2]);

    let trap = [UNREACHABLE, END];
    let calls = [&BLOCK[..], &ONE, &BRANCH_IF_0, &[UNREACHABLE, END, END]].concat();
    let returns = [&*names(1), &ONE, &BRANCH_IF_0, &[UNREACHABLE, END]].concat();
    let after = module([&trap, &calls, &trap, &returns], [[0; 16], LOCATION]);
    assert_eq!(traps::left_out(&before), Ok(after.clone()));
    assert_eq!(traps::left_out(&after), Ok(after));
}

#[test]
fn what_is_not_known_is_said() {
    let odd = module([&[0xfd, END], &[END], &[END], &[END]], [LOCATION; 2]);
    assert_eq!(
        traps::left_out(&odd),
        Err("operation 0xfd is not known here".to_owned())
    );
    let whole = module([&[END]; 4], [LOCATION; 2]);
    assert!(traps::left_out(&whole[..whole.len() - 60]).is_err());
}
