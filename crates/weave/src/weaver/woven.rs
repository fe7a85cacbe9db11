//! Recognizing methods that were woven before with the same call.

use super::call::Call;
use crate::class::opcode::{ICONST_0, INVOKESTATIC, LDC, LDC_W, SIPUSH};
use crate::class::{ClassError, ClassFile, Code, Instructions, to_modified_utf8};

/// Whether a method calls the first of the pair as the weaver does: with a constant id, or with a text that is only
/// digits or the method's own name. A program's own calls of `beginSection` have other texts.
pub(crate) fn is_woven(
    class: &ClassFile<'_>,
    code: &Code<'_>,
    call: &Call,
    full_name: &str,
) -> Result<bool, ClassError> {
    let mut before = None;
    for instruction in Instructions::new(&code.code) {
        let instruction = instruction?;
        let at = instruction.at as usize;
        if instruction.opcode == INVOKESTATIC
            && let Some(before) = before
            && is_enter(class, index(&code.code, at + 1), call)?
            && is_id(class, &code.code, before, full_name)
        {
            return Ok(true);
        }
        before = Some(at);
    }
    Ok(false)
}

fn index(code: &[u8], at: usize) -> u16 {
    u16::from_be_bytes([code[at], code[at + 1]])
}

/// Whether the class refers to the first method of the pair at all.
pub(crate) fn calls(class: &ClassFile<'_>, call: &Call) -> bool {
    let text = to_modified_utf8(call.class());
    class.pool.find([&text])[0] != 0
}

fn is_enter(class: &ClassFile<'_>, member: u16, call: &Call) -> Result<bool, ClassError> {
    let pool = &class.pool;
    let member = pool.member(member)?;
    let (name, descriptor) = call.enter();
    Ok(pool.class(member.class)? == to_modified_utf8(call.class())
        && pool.utf8(member.name)? == to_modified_utf8(name)
        && pool.utf8(member.descriptor)? == to_modified_utf8(&descriptor))
}

/// Whether the instruction at `at` pushes an id.
fn is_id(class: &ClassFile<'_>, code: &[u8], at: usize, full_name: &str) -> bool {
    let constant = match code[at] {
        ICONST_0..=8 | 16..=SIPUSH => return true,
        LDC => u16::from(code[at + 1]),
        LDC_W => index(code, at + 1),
        _ => return false,
    };
    match class.pool.string(constant) {
        Ok(text) => {
            let is_number = !text.is_empty() && text.iter().all(u8::is_ascii_digit);
            is_number || text == to_modified_utf8(full_name)
        }
        Err(_) => class.pool.is_number(constant),
    }
}
