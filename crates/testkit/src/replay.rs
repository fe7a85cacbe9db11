//! Repeating short traces: real call patterns, long enough to be timed.

/// Repeats the records of a version 3 method trace `times` times, one after the other in time. `None` if `trace` is not
/// such a trace.
pub fn replay(trace: &[u8], times: u32) -> Option<Vec<u8>> {
    const END: &[u8] = b"\n*end\n";
    const RECORD: usize = 14;
    let header = trace.windows(END.len()).position(|window| window == END)? + END.len();
    let u16_at = |at: usize| {
        Some(u16::from_le_bytes(
            trace.get(header + at..)?.first_chunk().copied()?,
        ))
    };
    if !trace[header..].starts_with(b"SLOW") || u16_at(4)? != 3 || u16_at(16)? as usize != RECORD {
        return None;
    }
    let (front, records) = trace.split_at_checked(header + u16_at(6)? as usize)?;
    let (records, _) = records.as_chunks::<RECORD>();
    let time = |record: &[u8; RECORD], at: usize| {
        u32::from_le_bytes([record[at], record[at + 1], record[at + 2], record[at + 3]])
    };
    let longest = |at: usize| {
        records
            .iter()
            .map(|record| time(record, at))
            .max()
            .unwrap_or(0)
    };
    let (cpu, wall) = (longest(6) + 1, longest(10) + 1);
    let mut out = front.to_vec();
    for round in 0..times {
        for record in records {
            let mut record = *record;
            let shifted =
                |at: usize, by: u32| time(&record, at).wrapping_add(by.wrapping_mul(round));
            let (cpu, wall) = (shifted(6, cpu), shifted(10, wall));
            record[6..10].copy_from_slice(&cpu.to_le_bytes());
            record[10..14].copy_from_slice(&wall.to_le_bytes());
            out.extend(record);
        }
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::replay;

    #[test]
    fn the_second_round_comes_after_the_first() {
        let trace = crate::app_trace();
        let (bytes, records) = (trace.to_bytes(), trace.records.len() * 14);
        let twice = replay(&bytes, 2).unwrap();
        assert_eq!(twice.len(), bytes.len() + records);
        assert_eq!(twice[..bytes.len()], bytes);
        let wall = |at: usize| u32::from_le_bytes(twice[at + 10..at + 14].try_into().unwrap());
        assert!(wall(bytes.len()) > wall(bytes.len() - 14));
        assert!(replay(b"*version\n1\n", 2).is_none());
    }
}
