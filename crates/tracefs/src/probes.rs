//! Probes: events that a recording adds to functions of the kernel (kprobes) and of programs (uprobes).
//!
//! Source: the kernel's `Documentation/trace/kprobetrace.rst` and `uprobetracer.rst`.

use std::path::Path;

use crate::elf::function_offset;
use crate::settings::Settings;
use crate::undo_log::Undo;
use crate::{Error, Tracefs, tracefs};

/// The group of all probes of this program.
const GROUP: &str = "traceloom";
/// The kernel refuses longer names; a prefix is added.
const LONGEST_NAME: usize = 40;
/// Names of the events at the start and at the return of a call, before the probe's own name. The reader
/// makes slices of them.
const CALL: [&str; 2] = ["traceloom_call_", "traceloom_return_"];

/// A probe.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Probe {
    place: Place,
    /// Its name in the trace.
    name: String,
    /// What it records, in the kernel's syntax: `dfd=%di`.
    args: Vec<String>,
    /// Whether each call becomes a slice.
    is_call: bool,
}

#[derive(Clone, PartialEq, Eq, Debug)]
enum Place {
    /// A function of the kernel, with an offset.
    Kernel(String),
    /// A file, and a function with an offset, or an offset in the file.
    User { file: String, function: String },
}

impl Probe {
    /// Parses `[NAME=]FUNCTION[+OFFSET] [ARGUMENT…]`. With `is_call`, each call becomes a slice.
    ///
    /// # Errors
    /// A message for the user.
    pub fn kernel(text: &str, is_call: bool) -> Result<Self, String> {
        let (name, place, args) = split(text)?;
        Self::new(name, place, Place::Kernel(place.to_owned()), args, is_call)
    }

    /// Parses `[NAME=]FILE:FUNCTION[+OFFSET] [ARGUMENT…]`, with an absolute path. The function may also
    /// be an offset in the file, `0x1234`.
    ///
    /// # Errors
    /// A message for the user.
    pub fn user(text: &str, is_call: bool) -> Result<Self, String> {
        let (name, place, args) = split(text)?;
        let parts = place
            .rsplit_once(':')
            .filter(|(file, _)| file.starts_with('/'));
        let (file, function) = parts.ok_or_else(|| {
            format!("{place} is not a place in a program; write /path/to/file:function")
        })?;
        let place = Place::User {
            file: file.to_owned(),
            function: function.to_owned(),
        };
        Self::new(name, function, place, args, is_call)
    }

    fn new(
        name: Option<&str>,
        function: &str,
        place: Place,
        args: Vec<String>,
        is_call: bool,
    ) -> Result<Self, String> {
        let is_allowed = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let name = match name {
            Some(name) if name.chars().all(is_allowed) && name.len() <= LONGEST_NAME => {
                name.to_owned()
            }
            Some(name) => {
                return Err(format!(
                    "{name} cannot be the name of a probe: use at most {LONGEST_NAME} letters, digits and _"
                ));
            }
            None => {
                let name = function.replace(|c| !is_allowed(c), "_");
                name.chars().take(LONGEST_NAME).collect()
            }
        };
        if function.is_empty() || name.is_empty() {
            return Err("a probe needs the name of a function".to_owned());
        }
        // The kernel requires names that do not begin with a digit.
        let begins_with_digit = name.starts_with(|c: char| c.is_ascii_digit());
        let name = if begins_with_digit {
            format!("_{name}")
        } else {
            name
        };
        Ok(Self {
            place,
            name,
            args,
            is_call,
        })
    }

    /// The file of tracefs that creates it.
    fn file(&self) -> &'static str {
        match self.place {
            Place::Kernel(_) => "kprobe_events",
            Place::User { .. } => "uprobe_events",
        }
    }

    /// The events (`system/name`) that it creates.
    pub fn events(&self) -> Vec<String> {
        let names = if self.is_call {
            CALL.map(|prefix| format!("{prefix}{}", self.name)).to_vec()
        } else {
            vec![self.name.clone()]
        };
        names.iter().map(|name| format!("{GROUP}/{name}")).collect()
    }

    /// Checks that the kernel has such probes, the name is free, and the function exists. Changes nothing.
    ///
    /// # Errors
    /// [`Error::NoProbes`], [`Error::ProbeExists`], [`Error::Probe`].
    pub fn check(&self, tree: &dyn Tracefs) -> Result<(), Error> {
        let (file, kind) = match self.place {
            Place::Kernel(_) => ("kprobe_events", "functions of the kernel"),
            Place::User { .. } => ("uprobe_events", "functions of programs"),
        };
        if !tree.exists(file) {
            return Err(Error::NoProbes { file, kind });
        }
        let mut events = self.events().into_iter();
        if let Some(event) = events.find(|event| tree.exists(&format!("events/{event}"))) {
            let path = tree.path(file).display().to_string();
            return Err(Error::ProbeExists { event, path });
        }
        self.lines().map(drop)
    }

    /// The lines that create its events, in the order of [`events`](Self::events).
    fn lines(&self) -> Result<Vec<String>, Error> {
        let place = match &self.place {
            Place::Kernel(function) => function.clone(),
            Place::User { file, function } => {
                format!(
                    "{file}:{:#x}",
                    offset(file, function).map_err(|reason| self.refused(reason))?
                )
            }
        };
        let kinds: &[char] = if self.is_call { &['p', 'r'] } else { &['p'] };
        let lines = kinds.iter().zip(self.events()).map(|(kind, event)| {
            let args = self.args.iter().filter(|arg| {
                // The returned value is only known at the return, arguments only at the start.
                !self.is_call || arg.contains("$retval") == (*kind == 'r')
            });
            let args: String = args.map(|arg| format!(" {arg}")).collect();
            format!("{kind}:{event} {place}{args}")
        });
        Ok(lines.collect())
    }

    fn refused(&self, reason: String) -> Error {
        Error::Probe {
            probe: self.name.clone(),
            reason,
        }
    }
}

/// The name, the place and the arguments.
fn split(text: &str) -> Result<(Option<&str>, &str, Vec<String>), String> {
    let mut words = text.split_whitespace();
    let place = words.next().ok_or("a probe needs the name of a function")?;
    let args: Vec<String> = words.map(str::to_owned).collect();
    Ok(match place.split_once('=') {
        Some((name, place)) => (Some(name), place, args),
        None => (None, place, args),
    })
}

/// The offset of a function, or of `function+offset`, in a file.
fn offset(file: &str, function: &str) -> Result<u64, String> {
    let number = |text: &str| match text.strip_prefix("0x") {
        Some(hex) => u64::from_str_radix(hex, 16).ok(),
        None => text.parse().ok(),
    };
    if let Some(offset) = number(function) {
        return Ok(offset);
    }
    let (name, into) = function.split_once('+').unwrap_or((function, "0"));
    let into = number(into).ok_or_else(|| format!("{into} is not an offset"))?;
    let bytes = std::fs::read(Path::new(file)).map_err(|error| format!("{file}: {error}"))?;
    let begin = function_offset(&bytes, name);
    let begin = begin.ok_or_else(|| {
        format!("{file} has no function {name} among its symbols; give its offset as {file}:0x…")
    })?;
    begin
        .checked_add(into)
        .ok_or_else(|| format!("{into} is not an offset"))
}

/// Creates the events of probes. They are removed with all other changes.
pub(crate) fn set_up(settings: &mut Settings<'_>, probes: &[Probe]) -> Result<(), Error> {
    for probe in probes {
        probe.check(settings.tree().root())?;
        for (event, line) in probe.events().iter().zip(probe.lines()?) {
            settings.record(Undo::Probe {
                file: probe.file().to_owned(),
                event: event.clone(),
                switch: settings
                    .tree()
                    .name_in_root(&format!("events/{event}/enable")),
            });
            let tree = settings.tree().root();
            tree.append(probe.file(), &format!("{line}\n"))
                .map_err(|error| probe.refused(reason(tree, &error)))?;
        }
    }
    Ok(())
}

/// Enables the events of probes.
pub(crate) fn enable(settings: &Settings<'_>, probes: &[Probe]) -> Result<(), Error> {
    let mut events = probes.iter().flat_map(Probe::events);
    events.try_for_each(|event| {
        tracefs::write(settings.tree(), &format!("events/{event}/enable"), "1")
    })
}

/// Why the kernel refused a probe: its last message, or the system's error.
fn reason(tree: &dyn Tracefs, error: &std::io::Error) -> String {
    let log = tree.read("error_log").unwrap_or_default();
    let mut lines = log.lines().rev();
    let said = lines.find_map(|line| line.split_once(" error: "));
    let said = said.filter(|_| error.raw_os_error() == Some(libc::EINVAL));
    said.map_or_else(
        || crate::error::reason(error),
        |(_, said)| said.trim().to_owned(),
    )
}

#[cfg(test)]
mod tests {
    use super::Probe;

    #[test]
    fn what_the_kernel_is_told() {
        let lines = |probe: Result<Probe, String>| probe.unwrap().lines().unwrap();
        let plain = Probe::kernel("do_sys_openat2 dfd=%di", false);
        assert_eq!(
            lines(plain),
            ["p:traceloom/do_sys_openat2 do_sys_openat2 dfd=%di"]
        );
        let call = Probe::kernel("open=do_sys_openat2+0 dfd=%di fd=$retval", true);
        let expected = [
            "p:traceloom/traceloom_call_open do_sys_openat2+0 dfd=%di",
            "r:traceloom/traceloom_return_open do_sys_openat2+0 fd=$retval",
        ];
        assert_eq!(lines(call), expected);
        let user = Probe::user("/bin/sh:0x10", false);
        assert_eq!(lines(user), ["p:traceloom/_0x10 /bin/sh:0x10"]);
    }

    #[test]
    fn what_is_not_a_probe() {
        for text in ["", " ", "a b=c=", "a-b=f"] {
            let probe = Probe::kernel(text, false);
            assert!(probe.is_err() || text == "a b=c=", "{text}: {probe:?}");
        }
        for text in ["malloc", "libc.so:malloc", "/lib/libc.so", "/lib/libc.so:"] {
            assert!(Probe::user(text, false).is_err(), "{text}");
        }
        let missing = Probe::user("/no/such/file:malloc", false).unwrap();
        assert!(
            missing
                .lines()
                .unwrap_err()
                .to_string()
                .contains("/no/such/file")
        );
    }
}
