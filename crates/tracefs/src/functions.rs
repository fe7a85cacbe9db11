//! Traces kernel functions with the function graph tracer.

use crate::settings::Settings;
use crate::{Error, Tracefs, tracefs};

const TRACER: &str = "current_tracer";
const FILTER: &str = "set_ftrace_filter";
/// Show absolute times, CPU and task in each line. Only Android's kernels have the last option.
const OPTIONS: [&str; 4] = [
    "options/funcgraph-abstime",
    "options/funcgraph-cpu",
    "options/funcgraph-proc",
    "options/funcgraph-flat",
];

/// Sets up the function tracer, or makes sure that no tracer runs if there are no functions. Then the
/// files of the function tracer are not used, since many kernels lack them.
pub(crate) fn set_up(settings: &mut Settings<'_>, functions: &[String]) -> Result<(), Error> {
    if functions.is_empty() {
        let tree = settings.tree();
        let other = tree.is_writable(TRACER) && tracefs::read(tree, TRACER)? != "nop";
        return if other {
            settings.set(TRACER, "nop")
        } else {
            Ok(())
        };
    }
    if let Some(reason) = unsupported_reason(settings.tree()) {
        return Err(Error::NoFunctionTracing(reason));
    }
    // Set the filter first: without it the tracer would trace all functions.
    let lines: Vec<&str> = functions.iter().map(String::as_str).collect();
    settings.set_lines(FILTER, &lines)?;
    verify(settings.tree(), functions)?;
    settings.set(TRACER, "function_graph")?;
    for option in OPTIONS {
        if settings.tree().exists(option) {
            settings.set(option, "1")?;
        }
    }
    Ok(())
}

/// Why functions cannot be traced: the kernel was built without it, or it is locked down.
fn unsupported_reason(tree: &dyn Tracefs) -> Option<String> {
    const TRACERS: &str = "available_tracers";
    if let Ok(tracers) = tree.read(TRACERS)
        && !tracers.split(' ').any(|tracer| tracer == "function_graph")
    {
        return Some(format!("its tracers are {tracers}, without function_graph"));
    }
    let error = tracefs::read(tree, FILTER).err()?;
    Some(error.to_string())
}

fn verify(tree: &dyn Tracefs, functions: &[String]) -> Result<(), Error> {
    let traced = tracefs::read(tree, FILTER)?;
    // For functions in modules, or with ambiguous names, more text follows the name.
    let traced = |function: &str| {
        traced
            .lines()
            .any(|line| line.split(' ').next() == Some(function))
    };
    let plain = functions.iter().filter(|function| !function.contains('*'));
    match plain.into_iter().find(|function| !traced(function)) {
        Some(function) => Err(Error::UnknownFunction(function.clone())),
        None => Ok(()),
    }
}
