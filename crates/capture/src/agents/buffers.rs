//! Several buffers: events that are recorded in a trace instance of their own.

use std::collections::BTreeMap;

use traceloom_tracefs::Category;

use super::extra_buffer::ExtraBuffer;
use super::linux::{LinuxAgent, LinuxOptions};
use crate::error::{CaptureError, Result};

impl<'t> LinuxAgent<'t> {
    /// The recorders of the additional buffers, with their names.
    ///
    /// # Errors
    /// If an item is unknown, an event would be recorded twice, or the machine has too little memory.
    pub(crate) fn extra_agents(&self) -> Result<Vec<(String, LinuxAgent<'t>)>> {
        if self.options.buffers.is_empty() {
            return Ok(Vec::new());
        }
        let buffers = self.options.buffers.iter().enumerate();
        let agents = buffers.map(|(number, buffer)| self.extra_agent(number, buffer));
        let agents: Vec<_> = agents.collect::<Result<_>>()?;
        self.check_events_once(&agents)?;
        self.check_memory()?;
        Ok(agents)
    }

    fn extra_agent(&self, number: usize, buffer: &ExtraBuffer) -> Result<(String, LinuxAgent<'t>)> {
        let (mut categories, mut events) = (Vec::new(), Vec::new());
        for item in &buffer.items {
            let is_category = self
                .catalog
                .categories()
                .iter()
                .any(|known| known.name == *item);
            let path = item.replace(':', "/");
            if is_category && !item.contains(['/', ':']) {
                categories.push(item.clone());
            } else if self.tree.exists(&format!("events/{path}/enable")) {
                events.push(path);
            } else {
                return Err(CaptureError::Option(format!(
                    "--buffer {item}: this kernel has no category or event of this name; --list-categories and available_events in its tracefs list all"
                )));
            }
        }
        let options = LinuxOptions {
            categories,
            events,
            buffer_kb: buffer.buffer_kb,
            functions: Vec::new(),
            instance: Some(ExtraBuffer::instance(number)),
            is_extra: true,
            buffers: Vec::new(),
            probes: Vec::new(),
            ..self.options.clone()
        };
        let agent = LinuxAgent::new(self.tree, options);
        let (chosen, errors) = agent.choose();
        match errors.first() {
            Some(error) => Err(CaptureError::Option(format!(
                "--buffer {}: {error}",
                buffer.name()
            ))),
            None if chosen.iter().all(|category| category.events.is_empty()) => {
                Err(CaptureError::Option(format!(
                    "--buffer {}: it has no kernel events",
                    buffer.name()
                )))
            }
            None => Ok((buffer.name(), agent)),
        }
    }

    /// Fails if two buffers would record the same event: it would be in the trace twice.
    fn check_events_once(&self, extra: &[(String, LinuxAgent<'_>)]) -> Result<()> {
        let main = ("the main buffer".to_owned(), self.choose().0);
        let extra = extra
            .iter()
            .map(|(name, agent)| (format!("--buffer {name}"), agent.choose().0));
        let mut places: BTreeMap<String, String> = BTreeMap::new();
        for (name, categories) in std::iter::once(main).chain(extra) {
            for event in self.events_of(&categories) {
                match places.get(&event) {
                    Some(other) if *other != name => {
                        return Err(CaptureError::Option(format!(
                            "{event} would be recorded twice: in {other} and in {name}"
                        )));
                    }
                    _ => _ = places.insert(event, name.clone()),
                }
            }
        }
        Ok(())
    }

    /// The events (`system/name`) of categories that this kernel has.
    fn events_of(&self, categories: &[Category]) -> Vec<String> {
        let events = categories.iter().flat_map(|category| &category.events);
        let paths = events.flat_map(|event| {
            if event.path.contains('/') {
                return vec![event.path.clone()];
            }
            let names = self.tree.list(&format!("events/{}", event.path));
            names
                .iter()
                .map(|name| format!("{}/{name}", event.path))
                .collect()
        });
        paths
            .filter(|path| self.tree.exists(&format!("events/{path}/enable")))
            .collect()
    }

    /// Fails if the machine does not have the memory for all buffers.
    fn check_memory(&self) -> Result<()> {
        let cpus = self.tree.list("per_cpu").len() as u64;
        let sizes = self
            .options
            .buffers
            .iter()
            .map(|buffer| u64::from(buffer.buffer_kb));
        let needed = cpus * (sizes.sum::<u64>() + u64::from(self.options.buffer_kb));
        let Some(available) = available_kb().filter(|&available| available < needed) else {
            return Ok(());
        };
        Err(CaptureError::Option(format!(
            "the buffers need {} MB on {cpus} CPUs, and this machine has {} MB of free memory: choose smaller buffers",
            needed / 1024,
            available / 1024
        )))
    }
}

fn available_kb() -> Option<u64> {
    let memory = std::fs::read_to_string("/proc/meminfo").ok()?;
    let mut lines = memory.lines();
    let line = lines.find_map(|line| line.strip_prefix("MemAvailable:"))?;
    line.split_whitespace().next()?.parse().ok()
}
