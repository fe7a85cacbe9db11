//! Losses of the sequences that wrote into each buffer.

use std::collections::BTreeMap;

use super::super::survey::Survey;
use super::super::wire::{Field, Fields};
use super::figures::Figures;

/// The bits of `previous_packet_dropped` that say why packets are missing.
const REASONS: [(u32, &str); 8] = [
    (2, "read_gap"),
    (4, "chunk_corrupted"),
    (8, "orphan_continuation"),
    (16, "reassembly_gap"),
    (32, "reassembly_broken_chain"),
    (64, "overwrite"),
    (128, "writer_abort"),
    (256, "smb_full"),
];

/// Adds up the losses of the sequences that a `TraceStats` assigns to each buffer.
pub(super) fn of_buffers(stats: &[u8], survey: &Survey<'_>, machine: i64, figures: &mut Figures) {
    let mut sums: BTreeMap<i64, [i64; 2 + REASONS.len()]> = BTreeMap::new();
    for writer in Fields::new(stats).filter(|field| field.number == 18) {
        let value = |number| {
            let field = writer.fields().find(|field| field.number == number);
            field.map_or(0, Field::uint)
        };
        let Some(lost) = survey.sequences.losses(value(1) as u32) else {
            continue;
        };
        let sum = sums.entry(value(4) as i64).or_default();
        sum[0] += i64::from(lost.count);
        sum[1] += i64::from(lost.is_unreadable());
        let reasons = sum[2..].iter_mut().zip(lost.reasons);
        reasons.for_each(|(sum, count)| *sum += i64::from(count));
    }
    for (buffer, sum) in sums {
        let mut set = |name: String, value| figures.set(name, Some(buffer), machine, value);
        set("traced_buf_sequence_packet_loss".to_owned(), sum[0]);
        set(
            "traced_buf_incremental_sequences_dropped".to_owned(),
            sum[1],
        );
        for ((_, reason), value) in REASONS.iter().zip(&sum[2..]) {
            set(format!("traced_buf_data_loss_{reason}"), *value);
        }
    }
}

/// Counts the reasons in a `previous_packet_dropped`.
pub(in super::super) fn add_reasons(bits: u32, counts: &mut [u32; REASONS.len()]) {
    for ((bit, _), count) in REASONS.iter().zip(counts) {
        *count += u32::from(bits & bit != 0);
    }
}
