//! Converts the options of `capture` to atrace's options.

use traceloom_capture::agents::AtraceOptions;

use super::device_folder::device_folder;
use super::options::CaptureArgs;
use super::record::limits;

/// The options of atrace.
pub fn atrace_options(args: &CaptureArgs) -> AtraceOptions {
    AtraceOptions {
        categories: args.chosen(),
        buffer_kb: args.buf_size,
        apps: args.android.app.clone(),
        functions: args.ktr.clone(),
        seconds: args.time,
        compress: !args.android.no_compress,
        program: None,
        keep: limits(args).collect,
        folder: device_folder(),
    }
}
