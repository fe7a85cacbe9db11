//! Packed numbers of windows.

/// Decodes starts, ends and ids from a window's packed numbers, as described in PROTOCOL.md.
pub fn stretches(packed: &[u8], has_ids: bool) -> [Vec<f64>; 3] {
    let mut bytes = packed.iter().map(|byte| u128::from(*byte));
    let mut number = || {
        let (mut value, mut shift) = (0u128, 0);
        loop {
            let byte = bytes.next()?;
            value |= (byte & 0x7f) << shift;
            shift += 7;
            if byte < 0x80 {
                return Some(value as i128);
            }
        }
    };
    let signed = |value: i128| {
        if value % 2 == 0 {
            value / 2
        } else {
            -(value / 2) - 1
        }
    };
    let (mut ts, mut id) = (0, 0);
    let mut out = [vec![], vec![], vec![]];
    while let Some(step) = number() {
        ts += signed(step);
        out[0].push(ts as f64);
        out[1].push((ts + number().unwrap()) as f64);
        if has_ids {
            id += signed(number().unwrap());
            out[2].push(id as f64);
        }
    }
    out
}
