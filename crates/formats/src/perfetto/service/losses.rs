//! Packet losses per buffer.

use std::collections::BTreeMap;

use super::super::packet::LOSS_REASONS;
use super::super::survey::Survey;
use super::super::wire::{Field, Fields};
use super::stats::Stats;

/// Adds up the losses of the sequences that a `TraceStats` assigns to each buffer.
pub(super) fn of_buffers(stats: &[u8], survey: &Survey<'_>, machine: i64, out: &mut Stats) {
    let mut sums: BTreeMap<i64, [i64; 2 + LOSS_REASONS.len()]> = BTreeMap::new();
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
        let mut set = |name: String, value| out.set(name, Some(buffer), machine, value);
        set("traced_buf_sequence_packet_loss".to_owned(), sum[0]);
        set(
            "traced_buf_incremental_sequences_dropped".to_owned(),
            sum[1],
        );
        for ((_, reason), value) in LOSS_REASONS.iter().zip(&sum[2..]) {
            set(format!("traced_buf_data_loss_{reason}"), *value);
        }
    }
}
