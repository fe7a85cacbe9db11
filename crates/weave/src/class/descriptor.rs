//! Parsing descriptors, the types of fields and methods as text: `(IJ[Ljava/lang/String;)V`.

/// Slots of a method's parameters and of its result; `None` if this is not a method descriptor. A long or double takes two
/// slots.
pub(crate) fn method_slots(descriptor: &[u8]) -> Option<(usize, usize)> {
    let mut rest = descriptor.strip_prefix(b"(")?;
    let mut parameters = 0;
    loop {
        if let Some(result) = rest.strip_prefix(b")") {
            let returned = match result {
                b"V" => 0,
                _ => match field_slots(result)? {
                    (slots, b"") => slots,
                    _ => return None,
                },
            };
            return Some((parameters, returned));
        }
        let (slots, after) = field_slots(rest)?;
        parameters += slots;
        rest = after;
    }
}

/// Slots of the type at the start of a text, and the rest of the text.
pub(crate) fn field_slots(descriptor: &[u8]) -> Option<(usize, &[u8])> {
    let dimensions = descriptor.iter().take_while(|byte| **byte == b'[').count();
    let (first, rest) = descriptor[dimensions..].split_first()?;
    let after = match first {
        b'B' | b'C' | b'D' | b'F' | b'I' | b'J' | b'S' | b'Z' => rest,
        b'L' => &rest[rest.iter().position(|byte| *byte == b';')? + 1..],
        _ => return None,
    };
    let slots = if dimensions == 0 && matches!(first, b'J' | b'D') {
        2
    } else {
        1
    };
    Some((slots, after))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn longs_and_doubles_take_two_slots() {
        assert_eq!(method_slots(b"()V"), Some((0, 0)));
        assert_eq!(
            method_slots(b"(IJ[JLjava/lang/String;D[[Lx;)J"),
            Some((8, 2))
        );
        for wrong in ["", "()", "(V)V", "(I", "(Lx)V", "()VV", "()II", "([)V"] {
            assert_eq!(method_slots(wrong.as_bytes()), None, "{wrong}");
        }
    }
}
