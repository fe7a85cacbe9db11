//! Writes the table of Perfetto's messages that the reader of its traces uses: names, numbers and types of fields.

mod parse;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;

use anyhow::{Context, Result, bail};

use crate::run::{command, printed};
use parse::{Enum, Extension, Field, File, Message};

/// The messages that are read by their table. All messages in their fields follow.
const ROOTS: &[&str] = &[
    "FtraceEvent",
    "TrackEvent",
    "AndroidInputEvent",
    "DisplayState.Changes",
    "InputMethodClientsTraceProto",
    "InputMethodManagerServiceTraceProto",
    "InputMethodServiceTraceProto",
    "LayerState.ChangesLsb",
    "LayerState.ChangesMsb",
    "LayersSnapshotProto",
    "ShellHandlerMappings",
    "ShellTransition",
    "TraceConfig",
    "TransactionTraceEntry",
    "ViewCapture",
    "WindowManagerTraceEntry",
];

/// The folders of the files that are read. If two files have a type of the same name, the one that is read first is
/// used.
const FOLDERS: &[&str] = &[
    "protos/perfetto/trace",
    "protos/perfetto/common",
    "protos/perfetto/config",
    "protos/third_party/android",
    "protos/third_party/chromium",
];

/// The packages whose types are in the table, longest first. Their names are left out.
const PACKAGES: &[&str] = &[
    "perfetto.protos.chrome_enums.",
    "perfetto.protos.",
    "com.android.internal.",
    "chrome_enums.",
    "protos.",
];

const TABLE: &str = "crates/formats/src/perfetto/descriptors/messages.txt";

/// Reads the newest commit of a clone of google/perfetto.
pub fn run(args: &[String]) -> Result<()> {
    let [clone] = args else {
        bail!("usage: cargo xtask protos CLONE, a clone of google/perfetto");
    };
    let protos = Protos::read(clone)?;
    let path = testkit::workspace_root().join(TABLE);
    fs::write(&path, protos.table()?).with_context(|| path.display().to_string())
}

/// All messages and enums by their full name without the package.
#[derive(Default)]
struct Protos {
    messages: BTreeMap<String, Message>,
    enums: BTreeMap<String, Enum>,
    extensions: Vec<Extension>,
}

impl Protos {
    fn read(clone: &str) -> Result<Self> {
        let mut list = command(
            "git",
            &["-C", clone, "ls-tree", "-r", "--name-only", "HEAD"],
        );
        list.args(FOLDERS);
        let mut protos = Protos::default();
        for path in printed(list)?.lines().filter(|path| is_source(path)) {
            let show = command("git", &["-C", clone, "show", &format!("HEAD:{path}")]);
            let file = File::parse(&printed(show)?).with_context(|| path.to_owned())?;
            for (name, message) in file.messages {
                protos.messages.entry(name).or_insert(message);
            }
            for (name, values) in file.enums {
                protos.enums.entry(name).or_insert(values);
            }
            protos.extensions.extend(file.extensions);
        }
        Ok(protos)
    }

    /// The table of everything that the roots need.
    fn table(&self) -> Result<String> {
        let mut seen = BTreeSet::new();
        let mut waiting: Vec<String> = ROOTS.iter().map(|root| (*root).to_owned()).collect();
        let mut lines = BTreeSet::new();
        while let Some(name) = waiting.pop() {
            if !seen.insert(name.clone()) {
                continue;
            }
            if let Some(values) = self.enums.get(&name) {
                lines.insert(enum_line(&name, values)?);
                continue;
            }
            let message = self.messages.get(&name).with_context(|| name.clone())?;
            lines.insert(self.message_line(&name, message, &mut waiting)?);
        }
        Ok(lines.into_iter().collect())
    }

    fn message_line(
        &self,
        name: &str,
        message: &Message,
        waiting: &mut Vec<String>,
    ) -> Result<String> {
        let mut line = format!("message {name}");
        let own = message.fields.iter().map(|field| (name, field));
        let of_message = |extension: &&Extension| plain(&extension.extendee) == name;
        let added = self.extensions.iter().filter(of_message);
        let added = added.flat_map(|extension| {
            let fields = extension.fields.iter();
            fields.map(|field| (extension.scope.as_str(), field))
        });
        for (scope, field) in own.chain(added) {
            let Field {
                number,
                name: field,
                kind,
                repeated,
            } = field;
            let repeated = if *repeated { "*" } else { "" };
            let letter = match scalar(kind) {
                Some(letter) => letter.to_owned(),
                None => {
                    let found = self.resolve(scope, kind)?;
                    waiting.push(found.clone());
                    let letter = if self.enums.contains_key(&found) {
                        'e'
                    } else {
                        'm'
                    };
                    format!("{letter}:{found}")
                }
            };
            write!(line, " {number}:{field}:{repeated}{letter}")?;
        }
        line.push('\n');
        Ok(line)
    }

    /// Finds a type as protobuf does: first inside of the message, then inside of the messages around it.
    fn resolve(&self, scope: &str, kind: &str) -> Result<String> {
        let kind = plain(kind);
        let mut scope = Some(scope);
        while let Some(around) = scope {
            let full = format!("{around}.{kind}");
            if self.is_type(&full) {
                return Ok(full);
            }
            scope = around.rsplit_once('.').map(|(outer, _)| outer);
        }
        if self.is_type(kind) {
            return Ok(kind.to_owned());
        }
        bail!("no type {kind}")
    }

    fn is_type(&self, name: &str) -> bool {
        self.messages.contains_key(name) || self.enums.contains_key(name)
    }
}

/// A name without its package.
fn plain(name: &str) -> &str {
    let name = name.trim_start_matches('.');
    let mut packages = PACKAGES.iter();
    let without = packages.find_map(|package| name.strip_prefix(package));
    without.unwrap_or(name)
}

/// Whether a file is read. One file repeats all others, and another one is for tests.
fn is_source(path: &str) -> bool {
    let apart = ["perfetto_trace.proto", "test_extensions.proto"];
    path.ends_with(".proto") && !apart.iter().any(|name| path.ends_with(name))
}

fn enum_line(name: &str, values: &Enum) -> Result<String> {
    let mut line = format!("enum {name}");
    for (value, name) in &values.values {
        write!(line, " {value}:{name}")?;
    }
    line.push('\n');
    Ok(line)
}

/// The letter of a scalar type.
fn scalar(kind: &str) -> Option<&'static str> {
    Some(match kind {
        "int32" | "int64" => "i",
        "uint32" | "uint64" => "u",
        "sint32" | "sint64" => "z",
        "fixed32" | "fixed64" => "u",
        "sfixed32" | "sfixed64" => "i",
        "bool" => "b",
        "string" => "s",
        "bytes" => "y",
        "double" => "d",
        "float" => "f",
        _ => return None,
    })
}
