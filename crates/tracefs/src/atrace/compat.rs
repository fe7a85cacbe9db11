//! How the original leaves a device: everything at a default of its own, whatever was before.

use std::io;

use super::record::Job;
use crate::error::reason;
use crate::{Event, Session, Warning, properties};

/// Cleans up like the original, and forgets what there was. An instance goes as a whole.
pub(super) fn clean_up(job: &Job<'_>, session: Session<'_>) -> Vec<Warning> {
    let mut warnings = Vec::new();
    let mut check = |what: &str, result: io::Result<()>| {
        if let Err(error) = result {
            let (what, why) = (what.to_owned(), reason(&error));
            warnings.push(Warning::NotRestored { what, why });
        }
    };
    for (name, value) in [(properties::TAGS, "0"), (properties::APP_NUMBER, "")] {
        check(name, job.properties.set(name, value));
    }
    if !job.options.only_user_space {
        if session.tree().name().is_none() {
            defaults(job, &mut check);
        }
        let name = properties::USER_INITIATED;
        check(name, job.properties.set(name, ""));
    }
    job.properties.announce();
    warnings.extend(session.forget());
    warnings
}

fn defaults(job: &Job<'_>, check: &mut dyn FnMut(&str, io::Result<()>)) {
    let tree = job.tree;
    let mut switches: Vec<String> = job.catalog.events().map(Event::switch).collect();
    switches.sort();
    switches.dedup();
    let mut write = |file: &str, value: &str| check(file, tree.write(file, value));
    for switch in switches.iter().filter(|switch| tree.is_writable(switch)) {
        write(switch, "0");
    }
    write("options/overwrite", "1");
    write("buffer_size_kb", "1");
    let mut tgid = ["options/print-tgid", "options/record-tgid"].into_iter();
    if let Some(option) = tgid.find(|option| tree.exists(option)) {
        write(option, "0");
    }
    if tree.is_writable("current_tracer") {
        write("current_tracer", "nop");
    }
    // Kernels without function tracing refuse even to empty the list.
    if !job.options.functions.is_empty() {
        check("set_ftrace_filter", tree.truncate("set_ftrace_filter"));
    }
}
