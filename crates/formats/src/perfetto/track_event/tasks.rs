//! Processes and threads that packets describe. They are added in packet order, even if they have no events.

use traceloom_trace::TraceBuilder;

use super::super::packet::payload;
use super::super::wire::Fields;
use super::interpret::TrackEvents;

impl TrackEvents<'_> {
    /// Begins the events of a machine.
    pub fn begin(&mut self, machine: i64) {
        self.machine = machine;
    }

    /// Adds the process or thread that a packet describes.
    pub fn packet(&mut self, ts: i64, (number, content): (u32, &[u8]), out: &mut TraceBuilder) {
        self.active.packet(ts, (number, content));
        if number != payload::TRACK_DESCRIPTOR {
            return;
        }
        let mut descriptor = Fields::new(content);
        let is_task = |number| matches!(number, 3 | 4);
        if descriptor.clone().any(|field| is_task(field.number))
            && let Some(uuid) = descriptor.find(|field| field.number == 1)
        {
            self.tracks.owner(uuid.uint(), out);
            self.tracks.contradicting(uuid.uint(), content, out);
        }
    }

    /// Adds the described processes and threads that are still missing.
    pub(super) fn tasks(&mut self, out: &mut TraceBuilder) {
        if std::mem::replace(&mut self.has_tasks, true) {
            return;
        }
        let survey = self.survey;
        let tasks = survey.tracks.tasks().iter();
        for task in tasks.filter(|task| survey.machine(task.machine) == self.machine) {
            self.tracks.owner(task.uuid, out);
            let bytes = survey.source.get(task.span);
            self.tracks.contradicting(task.uuid, bytes, out);
        }
    }
}
