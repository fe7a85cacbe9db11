//! Tracing of kernel functions, with the function graph tracer.

use crate::settings::Settings;
use crate::{Error, Tracefs, tree};

const TRACER: &str = "current_tracer";
const FILTER: &str = "set_ftrace_filter";
/// Absolute times, CPU and task in each row. The last one Android's kernels alone had.
const OPTIONS: [&str; 4] = [
    "options/funcgraph-abstime",
    "options/funcgraph-cpu",
    "options/funcgraph-proc",
    "options/funcgraph-flat",
];

/// Traces the functions, or makes sure that no tracer runs. Without functions, the files of the
/// function tracer are not touched: many kernels do not have it.
pub(crate) fn set_up(settings: &mut Settings<'_>, functions: &[String]) -> Result<(), Error> {
    if functions.is_empty() {
        let tree = settings.tree();
        let other = tree.is_writable(TRACER) && tree::read(tree, TRACER)? != "nop";
        return if other {
            settings.set(TRACER, "nop")
        } else {
            Ok(())
        };
    }
    if let Some(why) = refusal(settings.tree()) {
        return Err(Error::NoFunctionTracing(why));
    }
    // The filter comes first: without it the tracer would begin with every function there is.
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

/// Why this kernel traces no functions: it was built without, or whoever runs it forbids it.
fn refusal(tree: &dyn Tracefs) -> Option<String> {
    const TRACERS: &str = "available_tracers";
    if let Ok(tracers) = tree.read(TRACERS)
        && !tracers.split(' ').any(|tracer| tracer == "function_graph")
    {
        return Some(format!("its tracers are {tracers}, without function_graph"));
    }
    let error = tree::read(tree, FILTER).err()?;
    Some(error.to_string())
}

fn verify(tree: &dyn Tracefs, functions: &[String]) -> Result<(), Error> {
    let traced = tree::read(tree, FILTER)?;
    // A kernel with several functions of a name, or with modules, prints more behind it.
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
