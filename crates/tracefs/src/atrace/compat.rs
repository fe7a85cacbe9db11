//! Leaves the settings as Android's atrace does: at fixed defaults, whatever they were before.

use std::io;

use super::job::Job;
use crate::error::reason;
use crate::{Event, Session, Warning, system_properties};

/// Sets the defaults and forgets the old settings. Removes a trace instance.
pub(super) fn clean_up(job: &Job<'_>, session: Session<'_>) -> Vec<Warning> {
    let mut warnings = Vec::new();
    let mut check = |what: &str, result: io::Result<()>| {
        if let Err(error) = result {
            let (what, reason) = (what.to_owned(), reason(&error));
            warnings.push(Warning::NotRestored { what, reason });
        }
    };
    for (name, value) in [
        (system_properties::TAGS, "0"),
        (system_properties::APP_NUMBER, ""),
    ] {
        check(name, job.properties.set(name, value));
    }
    if !job.options.only_user_space {
        if session.tree().name().is_none() {
            set_defaults(job, &mut check);
        }
        let name = system_properties::USER_INITIATED;
        check(name, job.properties.set(name, ""));
    }
    job.properties.announce();
    warnings.extend(session.forget());
    warnings
}

fn set_defaults(job: &Job<'_>, check: &mut dyn FnMut(&str, io::Result<()>)) {
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
    // Kernels without function tracing do not even allow clearing the list.
    if !job.options.functions.is_empty() {
        check("set_ftrace_filter", tree.truncate("set_ftrace_filter"));
    }
}
