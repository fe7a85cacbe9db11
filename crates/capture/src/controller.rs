//! Runs several agents at once. A failed agent does not affect the others.

use std::time::Duration;

use crate::agent::{Agent, Limits, PartKind, Sink, hand_over};
use crate::clock_markers::ClockMarkers;
use crate::error::{CaptureError, Result};
use crate::status::Status;

/// A message for the user.
#[derive(Debug)]
#[non_exhaustive]
pub enum Note {
    /// A message of an agent.
    Said {
        /// The agent.
        agent: String,
        /// The message.
        text: String,
    },
    /// A step of an agent failed.
    Failed {
        /// The agent.
        agent: String,
        /// The step.
        step: Step,
        /// The error.
        error: CaptureError,
    },
}

/// A step of an agent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Step {
    /// Start recording.
    Start,
    /// Write a clock marker.
    Mark,
    /// Stop recording.
    Stop,
    /// Hand over the recorded data.
    Collect,
}

/// Runs several agents at once.
pub struct Controller<'a> {
    agents: Vec<Box<dyn Agent + 'a>>,
    limits: Limits,
    asked: usize,
    markers: ClockMarkers,
}

impl<'a> Controller<'a> {
    /// A controller of agents that have not been started.
    pub fn new(agents: Vec<Box<dyn Agent + 'a>>, limits: Limits) -> Self {
        Self {
            asked: count(&agents),
            agents,
            limits,
            markers: ClockMarkers::new(),
        }
    }

    /// Number of agents that should record, without aids.
    pub fn asked(&self) -> usize {
        self.asked
    }

    /// Number of agents that started, without aids.
    pub fn running(&self) -> usize {
        count(&self.agents)
    }

    /// Starts all agents in order. Agents that fail are removed.
    pub fn start(&mut self, note: &mut dyn FnMut(Note)) {
        let limit = self.limits.start_stop;
        self.agents.retain_mut(|agent| match agent.start(limit) {
            Ok(messages) => {
                let agent = agent.name().to_owned();
                messages.into_iter().for_each(|text| {
                    note(Note::Said {
                        agent: agent.clone(),
                        text,
                    });
                });
                true
            }
            Err(error) => {
                note(failed(&**agent, Step::Start, error));
                false
            }
        });
    }

    /// Makes every agent that supports it write a clock marker, and records the time of each.
    pub fn mark(&mut self, note: &mut dyn FnMut(Note)) {
        let limit = self.limits.start_stop;
        let agents = self.agents.iter_mut().filter(|agent| agent.takes_marks());
        let mut agents: Vec<_> = agents.collect();
        // A single clock needs no synchronization.
        let is_needed = agents.len() > 1;
        for agent in &mut agents {
            let marked = self.markers.add(|id| agent.mark(id, limit));
            if let Some(error) = marked.err().filter(|_| is_needed) {
                note(failed(&***agent, Step::Mark, error));
            }
        }
    }

    /// The progress of the recording, from the first agent that can report it. Agents whose recording would be affected
    /// are queried only if `may_disturb`. Each may take at most `limit`.
    pub fn status(&mut self, limit: Duration, may_disturb: bool) -> Option<Status> {
        let mut agents = self.agents.iter_mut();
        agents.find_map(|agent| {
            if may_disturb || !agent.status_disturbs() {
                agent.status(limit)
            } else {
                None
            }
        })
    }

    /// Why an agent's recording has ended before it was stopped, if one has.
    pub fn broke_off(&mut self) -> Option<String> {
        let mut agents = self.agents.iter_mut();
        agents.find_map(|agent| agent.broke_off())
    }

    /// Stops all agents in reverse order, so that the first agents cover the whole recording.
    pub fn stop(&mut self, note: &mut dyn FnMut(Note)) {
        for agent in self.agents.iter_mut().rev() {
            if let Err(error) = agent.stop(self.limits.start_stop) {
                note(failed(&**agent, Step::Stop, error));
            }
        }
    }

    /// Collects the data of all agents in order, then the times of the clock markers.
    pub fn collect(&mut self, sink: &mut dyn Sink, note: &mut dyn FnMut(Note)) {
        for agent in &mut self.agents {
            if let Err(error) = agent.collect(self.limits.collect, sink) {
                note(failed(&**agent, Step::Collect, error));
            }
        }
        if let Err(error) = self.collect_markers(sink) {
            note(Note::Failed {
                agent: "the controller".to_owned(),
                step: Step::Collect,
                error,
            });
        }
    }

    fn collect_markers(&self, sink: &mut dyn Sink) -> Result<()> {
        if self.markers.is_empty() {
            return Ok(());
        }
        let json = self.markers.to_json();
        let name = "systraceController";
        hand_over(sink, PartKind::ClockMarks, name, json.as_bytes())
    }
}

fn count(agents: &[Box<dyn Agent + '_>]) -> usize {
    agents.iter().filter(|agent| !agent.is_aid()).count()
}

fn failed(agent: &dyn Agent, step: Step, error: CaptureError) -> Note {
    Note::Failed {
        agent: agent.name().to_owned(),
        step,
        error,
    }
}
