//! Hints: next steps for the user after an error.

mod perfetto;

use std::borrow::Cow;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use traceloom_capture::CaptureError;
use traceloom_formats::ReadError;

/// The next step for the user, if there is one for this error.
pub fn for_error(error: &anyhow::Error) -> Option<Cow<'static, str>> {
    let mut causes = error.chain();
    if let Some(capture) = causes.find_map(|cause| cause.downcast_ref::<CaptureError>()) {
        return for_capture(capture).map(Cow::Borrowed);
    }
    #[cfg(feature = "query")]
    if let Some(query) = error.chain().find_map(|cause| cause.downcast_ref()) {
        return for_query(query).map(Cow::Borrowed);
    }
    let read = error
        .chain()
        .find_map(|cause| cause.downcast_ref::<ReadError>())?;
    for_read(read).map(Cow::Borrowed)
}

/// The next step after wrong arguments, instead of clap's own.
pub fn for_usage(usage: &clap::Error) -> Option<String> {
    let text = |kind| match usage.get(kind) {
        Some(ContextValue::String(text)) => Some(text.as_str()),
        _ => None,
    };
    let is_file = |name: &str| std::path::Path::new(name).is_file();
    match usage.kind() {
        ErrorKind::InvalidSubcommand => {
            let name = text(ContextKind::InvalidSubcommand)?;
            let shown = crate::print::plain(name);
            if !is_file(name) {
                return perfetto::command(name).map(str::to_owned);
            }
            Some(format!(
                "to look at this file: `traceloom info {shown}`, `traceloom view {shown}` or \
                 `traceloom query {shown} \"SELECT …\"`"
            ))
        }
        ErrorKind::UnknownArgument => {
            let argument = text(ContextKind::InvalidArg)?;
            is_file(argument).then(|| ONE_FILE.to_owned())
        }
        _ => None,
    }
}

/// Advice if several traces are given to a command that opens one.
const ONE_FILE: &str = "this command opens one trace; `traceloom report A B -o both.html` puts several \
                        on one time line, and `traceloom diff A B` compares them";

/// How to load the modules that are not built in.
#[cfg(feature = "query")]
const MODULES: &str = "--sql-modules DIR loads Perfetto's own modules; DIR is src/trace_processor/perfetto_sql/stdlib of its repository";

/// Messages about tables of such modules.
#[cfg(feature = "query")]
const IN_MODULES: [&str; 4] = [
    "no such table: chrome_",
    "no such table: v8_",
    "no such table: wattson",
    "no such table: _wattson",
];

/// How to find the right name in a query.
#[cfg(feature = "query")]
fn for_query(error: &traceloom_query::QueryError) -> Option<&'static str> {
    let traceloom_query::QueryError::Sql { message, .. } = error else {
        return None;
    };
    match message {
        // The message itself has advice.
        _ if message.starts_with("no such") && message.contains("; ") => None,
        _ if message.starts_with("there is no module") && message.ends_with(" replaces it") => None,
        _ if IN_MODULES.iter().any(|table| message.starts_with(table)) => Some(MODULES),
        _ if message.starts_with("no such table") => {
            Some("the tables: SELECT name FROM sqlite_schema; docs/sql.md describes them")
        }
        _ if message.starts_with("there is no module") => Some(MODULES),
        _ if message.starts_with("no such column") => Some(
            "the columns of a table: SELECT name FROM pragma_table_info('slice'); docs/sql.md describes them",
        ),
        _ => None,
    }
}

fn for_read(error: &ReadError) -> Option<&'static str> {
    Some(match error.innermost() {
        ReadError::UnknownFormat { .. } => {
            "traceloom opens method traces, systrace and ftrace files, Perfetto traces, Chrome's JSON and \
             more (see `traceloom --help`), also compressed; was the file copied completely?"
        }
        ReadError::Truncated { .. } => "the file is incomplete: copy it again, or record again",
        ReadError::Foreign { advice, .. } => advice,
        ReadError::Empty => {
            "record again: the recorder wrote nothing (was the disk full, or the app killed?)"
        }
        ReadError::Reencoded { .. } => {
            "use adb pull: `adb shell cat` and mail programs may change bytes"
        }
        ReadError::TooBig { .. } => "for example --max-decompressed 64G",
        ReadError::Encrypted | ReadError::Method { .. } => {
            "unpack it with another tool and name the trace itself"
        }
        ReadError::NothingInside {
            format: "systrace-html",
            ..
        } => {
            "if it is a page of systrace or a report of traceloom, it is incomplete: copy it again, or record again"
        }
        ReadError::NothingInside { entries: 0, .. } => {
            "the file is incomplete, or was saved without its trace: copy it again, or record again"
        }
        ReadError::NothingInside { .. } => "unpack it and name the trace itself",
        ReadError::NoMethodEvents { .. } => {
            "this needs a method trace (.trace); for this file, see `traceloom profile`"
        }
        _ => return None,
    })
}

fn for_capture(error: &CaptureError) -> Option<&'static str> {
    Some(match error {
        // Remounting tracefs for a group gives it access to the marker, but not to the settings.
        CaptureError::NeedsRoot { .. } => "run the same command with sudo",
        CaptureError::NoDevice => {
            "connect it, enable USB debugging in its developer options, and check `adb devices`; \
             `--target linux` records this machine instead"
        }
        CaptureError::NoPages => {
            "add --push-agent to record them with traceloom's own atrace, which is removed afterwards"
        }
        #[cfg(target_os = "linux")]
        CaptureError::Tracefs(traceloom_tracefs::Error::NoFunctionTracing(_)) => {
            "leave out --ktr to record everything else"
        }
        CaptureError::Perfetto { message, .. } if message.contains("traced socket") => {
            "turn its service on with `adb shell setprop persist.traced.enable 1`, and try again"
        }
        CaptureError::NothingToRecord { .. } => "--list-categories lists what can be recorded",
        _ => return None,
    })
}
