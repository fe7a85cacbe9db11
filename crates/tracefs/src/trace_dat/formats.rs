//! The descriptions of pages, records and events that the kernel gives of itself.

use std::collections::BTreeSet;

use crate::undo::enabled_events;
use crate::{Error, Instance, Tracefs, tree};

/// How the ring buffer's pages are laid out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PageLayout {
    /// Bytes of a page, its header included.
    pub page_bytes: usize,
    /// Bytes of the kernel's `long`.
    pub long_bytes: u8,
    /// The kernel's text about it.
    pub text: String,
}

impl PageLayout {
    /// Reads it from `events/header_page`.
    ///
    /// # Errors
    /// If the file cannot be read or does not say.
    pub fn read(instance: &Instance<'_>) -> Result<Self, Error> {
        const FILE: &str = "events/header_page";
        // An instance may have pages of another size.
        let text = if instance.exists(FILE) {
            tree::read(instance, FILE)?
        } else {
            tree::read(instance.whole(), FILE)?
        };
        Self::parse(text + "\n").ok_or_else(|| {
            let silent = std::io::Error::other("it does not say how big a page is");
            Error::file("reading", &instance.path(FILE))(silent)
        })
    }

    fn parse(text: String) -> Option<Self> {
        let field = |name: &str, key: &str| -> Option<usize> {
            let line = text
                .lines()
                .find(|line| line.contains(&format!(" {name};")))?;
            let value = line.split_once(&format!("{key}:"))?.1;
            value.split_once(';')?.0.parse().ok()
        };
        let page_bytes = field("data", "offset")? + field("data", "size")?;
        let long_bytes = field("commit", "size")? as u8;
        let usable = page_bytes.is_power_of_two() && (512..=16 << 20).contains(&page_bytes);
        usable.then_some(Self {
            page_bytes,
            long_bytes,
            text,
        })
    }
}

/// The formats of all events of a system, in the order of their names.
pub(super) fn of_system(tree: &dyn Tracefs, system: &str) -> Vec<String> {
    let folder = format!("events/{system}");
    let files = tree
        .list(&folder)
        .into_iter()
        .map(|event| format!("{folder}/{event}/format"));
    let texts = files.filter_map(|file| tree.read(&file).ok());
    texts.map(|text| text + "\n").collect()
}

/// The systems with an event that is on, but for ftrace's own.
pub(super) fn enabled_systems(instance: &Instance<'_>) -> Vec<String> {
    let events = enabled_events(instance).unwrap_or_else(|_| switched_on(instance));
    let system = |event: &String| Some(event.split_once(':')?.0.to_owned());
    let systems: BTreeSet<String> = events.iter().filter_map(system).collect();
    systems
        .into_iter()
        .filter(|system| system != "ftrace")
        .collect()
}

/// For users who may not read the list of all events: each system's own switch.
fn switched_on(tree: &dyn Tracefs) -> Vec<String> {
    let on = |system: &String| {
        let switch = tree.read(&format!("events/{system}/enable"));
        switch.is_ok_and(|value| value != "0")
    };
    let systems = tree.list("events").into_iter().filter(on);
    systems.map(|system| format!("{system}:*")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_is_as_big_as_its_last_field_ends() {
        let text = "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n\
                    \tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n\
                    \tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n\
                    \tfield: char data;\toffset:16;\tsize:4080;\tsigned:0;\n";
        let layout = PageLayout::parse(text.to_owned()).unwrap();
        assert_eq!((layout.page_bytes, layout.long_bytes), (4096, 8));
        assert_eq!(PageLayout::parse(text.replace("4080", "4081")), None);
        assert_eq!(PageLayout::parse(String::new()), None);
    }
}
