//! Counters that the recorder polls or that drivers report: `/proc`, the battery, power rails.
//!
//! Each packet has several values with the same timestamp. [`Counters`] passes the packet to the module for its
//! content. [`named`] finds the track of a counter.

mod device;
mod disk;
mod energy;
mod figures;
mod named;
mod process;
mod system;
#[cfg(test)]
mod tests;

pub(super) use named::push;
use traceloom_trace::TraceBuilder;

use super::kernel::Kernel;
use super::packet::payload;
use super::sequence::State;
use super::survey::Survey;
use super::wire::Fields;

/// Converts packets to counter values.
pub(super) struct Counters<'s> {
    disks: disk::Disks,
    energy: energy::Energy<'s>,
    /// The size of a memory page, bytes.
    page_size: u64,
}

impl<'s> Counters<'s> {
    pub fn new(survey: &'s Survey<'s>) -> Self {
        Self {
            disks: disk::Disks::default(),
            energy: energy::Energy::new(survey),
            page_size: 4_096,
        }
    }

    /// Reads a packet whose content is in the field `number`. In a packet without a timestamp, only descriptions of
    /// counters are read.
    pub fn packet(
        &mut self,
        ts: i64,
        (number, content): (u32, &[u8]),
        state: State,
        kernel: &mut Kernel<'_>,
        out: &mut TraceBuilder,
    ) {
        let fields = Fields::new(content);
        match number {
            payload::SYSTEM_INFO => self.system_info(fields),
            payload::POWER_RAILS => self.energy.rails(ts, fields, state, out),
            payload::ENERGY_BREAKDOWN => self.energy.breakdown(ts, fields, out),
            payload::ENTITY_STATES => self.energy.entity_states(ts, fields, out),
            payload::PROCESS_STATS => process::process_stats(ts, fields, kernel, out),
            payload::SYS_STATS => {
                self.disks.sys_stats(ts, &fields, out);
                system::sys_stats(ts, fields, self.page_size, out);
            }
            payload::BATTERY => energy::battery(ts, fields, out),
            payload::DISPLAY_STATE => device::display_state(ts, fields, out),
            payload::SYSTEM_PROPERTIES => device::properties(ts, fields, out),
            _ => {}
        }
    }

    /// Writes the statistics about problems.
    pub fn finish(&self, out: &mut TraceBuilder) {
        self.energy.finish(out);
    }

    fn system_info(&mut self, fields: Fields<'_>) {
        const PAGE_SIZE: u32 = 6;
        let size = fields
            .filter(|field| field.number == PAGE_SIZE)
            .map(|field| field.uint());
        // No machine has pages larger than 16 MiB.
        let size = size.last().filter(|size| (1..=1 << 24).contains(size));
        self.page_size = size.unwrap_or(4_096);
    }
}
