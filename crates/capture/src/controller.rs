//! Runs agents side by side: one that fails takes nothing from the others.

use std::time::Duration;

use crate::agent::{Agent, Limits, PartKind, Sink};
use crate::error::{CaptureError, Result};
use crate::marks::Marks;
use crate::status::Status;

/// Something that a person who records should know.
#[derive(Debug)]
#[non_exhaustive]
pub enum Note {
    /// An agent has something to say.
    Said {
        /// The agent.
        agent: String,
        /// What it says.
        text: String,
    },
    /// An agent did not start, stop or hand over all it had.
    Failed {
        /// The agent.
        agent: String,
        /// What it was about to do.
        step: Step,
        /// Why it failed.
        error: CaptureError,
    },
}

/// What an agent is asked to do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Step {
    /// To start recording.
    Start,
    /// To mark a moment for the clocks.
    Mark,
    /// To stop recording.
    Stop,
    /// To hand over what it has.
    Collect,
}

/// Agents, and what became of them.
pub struct Controller<'a> {
    agents: Vec<Box<dyn Agent + 'a>>,
    limits: Limits,
    asked: usize,
    marks: Marks,
}

impl<'a> Controller<'a> {
    /// Of these agents, none started.
    pub fn new(agents: Vec<Box<dyn Agent + 'a>>, limits: Limits) -> Self {
        Self {
            asked: count(&agents),
            agents,
            limits,
            marks: Marks::new(),
        }
    }

    /// How many agents were to record.
    pub fn asked(&self) -> usize {
        self.asked
    }

    /// How many do.
    pub fn running(&self) -> usize {
        count(&self.agents)
    }

    /// Starts all agents in their order; those that fail are left out from then on.
    pub fn start(&mut self, note: &mut dyn FnMut(Note)) {
        let limit = self.limits.start_stop;
        self.agents.retain_mut(|agent| match agent.start(limit) {
            Ok(said) => {
                let agent = agent.name().to_owned();
                said.into_iter().for_each(|text| {
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

    /// Has every agent that can note a clock marker, each one of its own, and remembers when.
    pub fn mark(&mut self, note: &mut dyn FnMut(Note)) {
        let limit = self.limits.start_stop;
        let agents = self.agents.iter_mut().filter(|agent| agent.takes_marks());
        let mut agents: Vec<_> = agents.collect();
        // A clock that is alone needs none.
        let is_missed = agents.len() > 1;
        for agent in &mut agents {
            let noted = self.marks.note(|id| agent.mark(id, limit));
            if let Some(error) = noted.err().filter(|_| is_missed) {
                note(failed(&***agent, Step::Mark, error));
            }
        }
    }

    /// How the recording goes: what the first says that knows. Agents whose recording that disturbs
    /// are asked only if it `may_disturb`. Each has at most `limit` for its answer.
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

    /// Stops all agents, the last started first, so that what began early sees the end of what
    /// began late.
    pub fn stop(&mut self, note: &mut dyn FnMut(Note)) {
        for agent in self.agents.iter_mut().rev() {
            if let Err(error) = agent.stop(self.limits.start_stop) {
                note(failed(&**agent, Step::Stop, error));
            }
        }
    }

    /// Has all agents hand over what they have, in their order, and adds when they noted markers.
    pub fn collect(&mut self, sink: &mut dyn Sink, note: &mut dyn FnMut(Note)) {
        for agent in &mut self.agents {
            if let Err(error) = agent.collect(self.limits.collect, sink) {
                note(failed(&**agent, Step::Collect, error));
            }
        }
        if let Err(error) = self.hand_over_marks(sink) {
            note(Note::Failed {
                agent: "the controller".to_owned(),
                step: Step::Collect,
                error,
            });
        }
    }

    fn hand_over_marks(&self, sink: &mut dyn Sink) -> Result<()> {
        if self.marks.is_empty() {
            return Ok(());
        }
        let hand_over = |sink: &mut dyn Sink| {
            sink.begin(PartKind::ClockMarks, "systraceController")?;
            sink.data(self.marks.to_json().as_bytes())
        };
        hand_over(sink).map_err(CaptureError::Sink)
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
