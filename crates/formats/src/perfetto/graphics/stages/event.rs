//! The numeric fields of a `GpuRenderStageEvent`.

use super::super::super::wire::Fields;

/// The numeric fields of an event.
#[derive(Clone, Debug, Default)]
pub(super) struct Event {
    pub id: Option<u64>,
    pub dur: u64,
    pub gpu: u32,
    pub queue: u64,
    pub queue_iid: Option<u64>,
    pub stage: Option<u64>,
    pub stage_iid: Option<u64>,
    pub context: Option<u64>,
    pub target: u64,
    pub pass: u64,
    pub pass_instance: u64,
    pub commands: u64,
    pub submission: u64,
    pub name_iid: Option<u64>,
    pub kernel: Option<u64>,
}

impl Event {
    pub fn read(fields: Fields<'_>) -> Self {
        let mut event = Self::default();
        for field in fields {
            let number = field.uint();
            match field.number {
                1 => event.id = Some(number),
                2 => event.dur = number,
                3 => event.queue = u64::from(number as u32),
                4 => event.stage = Some(number),
                5 => event.context = Some(number),
                8 => event.target = number,
                9 => event.pass = number,
                10 => event.submission = number,
                11 => event.gpu = number as u32,
                12 => event.commands = number,
                13 => event.queue_iid = Some(number),
                14 => event.stage_iid = Some(number),
                16 => event.pass_instance = number,
                19 => event.kernel = Some(number),
                20 => event.name_iid = Some(number),
                _ => {}
            }
        }
        event
    }
}
