//! The losses that the survey finds.

use traceloom_trace::{Place, RepairKind, TraceBuilder};

/// Losses by kind.
#[derive(Debug, Default)]
pub(super) struct Losses {
    /// Packets that need state after a loss, before their sequence clears its state.
    pub without_state: Tally,
    /// The number of these packets in sequences that no packet starts with `SEQ_INCREMENTAL_STATE_CLEARED`.
    pub without_start: u64,
    pub broken: Tally,
    pub after_loss: Tally,
    pub in_kernel: Tally,
    /// Packets whose timestamps are missing, have too many bits, or are relative to a lost one.
    pub without_time: Tally,
    /// Packets of sequences that change their state too often for the size of the file.
    pub too_many_states: Tally,
}

/// The number of losses of a kind, and the offset of the first one.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Tally {
    count: u64,
    first: u64,
}

impl Losses {
    /// Reports the losses.
    pub fn report(&self, out: &mut TraceBuilder) {
        let Losses {
            without_state,
            without_start,
            broken,
            after_loss,
            in_kernel,
            too_many_states,
            without_time,
        } = *self;
        broken.report(
            RepairKind::TornRecord,
            "a packet is incomplete or broken",
            out,
        );
        after_loss.report(
            RepairKind::LostEvents,
            "packets are missing before this one",
            out,
        );
        let detail = if without_start == without_state.count {
            "a packet needs the state of its sequence, but no packet of the sequence starts it \
             (SEQ_INCREMENTAL_STATE_CLEARED)"
        } else {
            "a packet needs names that were in a lost packet"
        };
        without_state.report(RepairKind::LostEvents, detail, out);
        let detail = "the kernel's buffer of a CPU overflowed";
        in_kernel.report(RepairKind::LostEvents, detail, out);
        let detail = "a time is missing, has too many bits or is relative to a lost one";
        without_time.report(RepairKind::Unplaced, detail, out);
        let detail = "the state of a sequence changes too often";
        too_many_states.report(RepairKind::BeyondLimit, detail, out);
    }
}

impl Tally {
    pub fn add(&mut self, offset: u64) {
        if self.count == 0 {
            self.first = offset;
        }
        self.count += 1;
    }

    fn report(self, kind: RepairKind, detail: &str, out: &mut TraceBuilder) {
        let place = Place::at_offset(self.first);
        out.repair(kind, self.count, place, || detail.to_owned());
    }
}
