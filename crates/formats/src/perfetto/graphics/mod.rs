//! GPUs and graphics: counters, render stages, Vulkan, and the buffers between apps and the display.

mod args;
mod buffers;
mod counters;
mod gpus;
mod groups;
mod memory;
mod scoped;
mod stages;
#[cfg(test)]
mod tests;
mod units;
mod vulkan;

use traceloom_trace::{SliceId, TraceBuilder};

use super::packet::payload;
use super::sequence::State;
use super::survey::Survey;
use super::wire::Fields;

pub(super) use args::ArgList;
pub(super) use scoped::Scoped;

/// Converts graphics packets to slices, counters and records.
pub(super) struct Graphics<'s> {
    gpus: gpus::Gpus,
    counters: counters::GpuCounters<'s>,
    stages: stages::Stages<'s>,
    buffers: buffers::Buffers,
    vulkan: vulkan::Vulkan,
    memory: memory::VulkanMemory<'s>,
}

impl<'s> Graphics<'s> {
    pub fn new(survey: &'s Survey<'s>) -> Self {
        Self {
            gpus: gpus::Gpus::default(),
            counters: counters::GpuCounters::new(survey),
            stages: stages::Stages::new(survey),
            buffers: buffers::Buffers::default(),
            vulkan: vulkan::Vulkan::default(),
            memory: memory::VulkanMemory::new(survey),
        }
    }

    /// Reads a packet whose content is in the field `number`. Returns whether it is a graphics packet. In a packet
    /// without a timestamp, only descriptions are read.
    pub fn packet(
        &mut self,
        ts: i64,
        (number, content): (u32, &[u8]),
        state: State,
        out: &mut TraceBuilder,
    ) -> bool {
        let fields = Fields::new(content);
        let gpus = &mut self.gpus;
        match number {
            payload::GPU_INFO => gpus.info(fields, out),
            payload::GPU_COUNTERS => self.counters.event(ts, fields, state, gpus, out),
            payload::VULKAN_API => self.vulkan.event(ts, fields, out),
            payload::VULKAN_MEMORY => self.memory.event(ts, fields, state, out),
            payload::RENDER_STAGE => {
                let debug_names = &self.vulkan.names;
                self.stages
                    .event(ts, fields, state, (gpus, debug_names), out);
            }
            payload::GPU_FREQUENCY => counters::frequency(ts, fields, gpus, out),
            payload::GPU_MEMORY => counters::memory(ts, fields, gpus, out),
            payload::GRAPHICS_FRAME => self.buffers.event(ts, fields, out),
            payload::GPU_LOG => vulkan::log(ts, fields, out),
            _ => return false,
        }
        true
    }

    /// The `GpuCorrelation` of an event of a thread, whose slice is given.
    pub fn correlate(&mut self, slice: SliceId, correlation: Fields<'_>, out: &mut TraceBuilder) {
        self.stages.thread_event(slice, correlation, out);
    }

    /// Ends the counters, writes the GPUs, and reports problems.
    pub fn finish(&mut self, out: &mut TraceBuilder) {
        self.counters.finish(out);
        self.buffers.finish(out);
        self.stages.finish(out);
        self.gpus.finish(out);
    }
}
