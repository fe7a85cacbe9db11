//! The command line, parsed like GNU `getopt(argc, argv, "d:hg:kos:t:")`: options may follow the
//! file name, may be clustered (`-hk`) and may contain their argument (`-dold`); `--` ends them.
//! The first wrong option is an error.

use std::ffi::{OsStr, OsString};

use super::c_numbers;

/// The graph threshold in percent, if none or an invalid one is given.
const DEFAULT_THRESHOLD: i32 = 20;

/// The options and the traces of a command line.
#[derive(Debug, Default)]
pub(super) struct Options {
    /// The trace; in a diff, *Run 2*.
    pub trace: OsString,
    /// `-d`: the older trace, *Run 1*.
    pub diff: Option<OsString>,
    /// `-g`: the path of the picture of the call graph.
    pub graph: Option<OsString>,
    /// `-k`: keep the DOT text as `<graph>.dot`.
    pub keep_dot: bool,
    /// `-h`: HTML instead of text.
    pub html: bool,
    /// `-o`: print the records instead of a profile.
    pub dump: bool,
    /// `-s`: the prefix of `sortable.js`.
    pub sortable_url: Option<OsString>,
    /// `-t`: percent, 0 to 99.
    pub threshold: i32,
}

/// The usage text after the program's name, as the original prints it.
const USAGE: &str = "\
\x20[-ho] [-s sortable] [-d trace-file-name] [-g outfile] trace-file-name
  -d trace-file-name  - Diff with this trace
  -g outfile          - Write graph to 'outfile'
  -k                  - When writing a graph, keep the intermediate DOT file
  -h                  - Turn on HTML output
  -o                  - Dump the dmtrace file instead of profiling
  -s                  - URL base to where the sortable javascript file
  -t threshold        - Threshold percentage for including nodes in the graph
";

/// Reads the arguments; the first is the program's name. With `posixly_correct`, options end at
/// the first file name, as getopt does if `POSIXLY_CORRECT` is in the environment.
///
/// # Errors
/// The text for standard error: getopt's message, if there is one, and the usage.
pub(super) fn parse(
    mut args: impl Iterator<Item = OsString>,
    posixly_correct: bool,
) -> Result<Options, Vec<u8>> {
    let program = args.next().unwrap_or_default();
    Options::read(args, posixly_correct).map_err(|complaint| {
        let program = program.as_encoded_bytes();
        let mut text = Vec::new();
        if let Some((what, option)) = complaint {
            text = [program, what.as_bytes(), &[option], b"'\n"].concat();
        }
        text.extend_from_slice(b"Copyright (C) 2006 The Android Open Source Project\n\nusage: ");
        text.extend_from_slice(program);
        text.extend_from_slice(USAGE.as_bytes());
        text
    })
}

/// A message of getopt about an option, and the option.
type Complaint = (&'static str, u8);

impl Options {
    /// Fails without a message unless there is exactly one operand.
    fn read(
        mut args: impl Iterator<Item = OsString>,
        posixly_correct: bool,
    ) -> Result<Self, Option<Complaint>> {
        let mut options = Options {
            threshold: DEFAULT_THRESHOLD,
            ..Options::default()
        };
        let mut operands = Vec::new();
        while let Some(arg) = args.next() {
            if arg == "--" {
                break;
            }
            if arg.len() > 1 && arg.as_encoded_bytes()[0] == b'-' {
                options.cluster(&arg, &mut args)?;
                continue;
            }
            operands.push(arg);
            if posixly_correct {
                break;
            }
        }
        operands.extend(args);
        [options.trace] = operands.try_into().map_err(|_| None)?;
        if !(0..100).contains(&options.threshold) {
            options.threshold = DEFAULT_THRESHOLD;
        }
        Ok(options)
    }

    /// Reads a cluster of options; the last may take the next argument as its value.
    fn cluster(
        &mut self,
        arg: &OsStr,
        rest: &mut impl Iterator<Item = OsString>,
    ) -> Result<(), Complaint> {
        let bytes = arg.as_encoded_bytes();
        for at in 1..bytes.len() {
            match bytes[at] {
                b'h' => self.html = true,
                b'k' => self.keep_dot = true,
                b'o' => self.dump = true,
                option @ (b'd' | b'g' | b's' | b't') => {
                    let attached = (at + 1 < bytes.len()).then(|| tail(arg, at + 1));
                    let value = attached.or_else(|| rest.next());
                    let value = value.ok_or((": option requires an argument -- '", option))?;
                    match option {
                        b'd' => self.diff = Some(value),
                        b'g' => self.graph = Some(value),
                        b's' => self.sortable_url = Some(value),
                        _ => self.threshold = c_numbers::atoi(value.as_encoded_bytes()),
                    }
                    return Ok(());
                }
                option => return Err((": invalid option -- '", option)),
            }
        }
        Ok(())
    }
}

/// The part of `arg` from byte `at`, which follows an ASCII letter.
fn tail(arg: &OsStr, at: usize) -> OsString {
    #[cfg(unix)]
    {
        use std::os::unix::ffi::OsStrExt;
        OsStr::from_bytes(&arg.as_bytes()[at..]).to_owned()
    }
    #[cfg(not(unix))]
    {
        arg.to_string_lossy()[at..].into()
    }
}
