//! The command line, read as GNU `getopt(argc, argv, "d:hg:kos:t:")` reads it: options may follow
//! the file name, may be clustered (`-hk`), may carry their argument (`-dold`), `--` ends them, and
//! the first wrong one ends the reading.

use std::ffi::{OsStr, OsString};

use super::cnum;

/// Graph threshold where none, or a senseless one, was given: percent.
const DEFAULT_THRESHOLD: i32 = 20;

/// What the command line asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Options {
    /// The trace; in a diff, *Run 2*.
    pub trace: OsString,
    /// `-d`: the older trace, *Run 1*.
    pub diff: Option<OsString>,
    /// `-g`: where the picture of the call graph goes.
    pub graph: Option<OsString>,
    /// `-k`: keep the DOT text as `<graph>.dot`.
    pub keep_dot: bool,
    /// `-h`: HTML instead of text.
    pub html: bool,
    /// `-o`: print the records instead of a profile.
    pub dump: bool,
    /// `-s`: what stands in front of `sortable.js`.
    pub sortable_url: Option<OsString>,
    /// `-t`: percent, 0 to 99.
    pub threshold: i32,
}

/// A command line that is refused, with what there is to say about it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Refusal {
    program: OsString,
    complaint: Option<Complaint>,
}

#[derive(Debug, PartialEq, Eq)]
enum Complaint {
    InvalidOption(u8),
    MissingArgument(u8),
}

impl Refusal {
    /// getopt's complaint, if it had one, and the usage text.
    pub fn message(&self) -> Vec<u8> {
        let program = self.program.as_encoded_bytes();
        let mut text = Vec::new();
        let mut complain = |what: &str, option: u8| {
            for part in [program, what.as_bytes(), &[option], b"'\n"] {
                text.extend_from_slice(part);
            }
        };
        match self.complaint {
            Some(Complaint::InvalidOption(o)) => complain(": invalid option -- '", o),
            Some(Complaint::MissingArgument(o)) => {
                complain(": option requires an argument -- '", o);
            }
            None => {}
        }
        text.extend_from_slice(b"Copyright (C) 2006 The Android Open Source Project\n\nusage: ");
        text.extend_from_slice(program);
        text.extend_from_slice(USAGE.as_bytes());
        text
    }
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

/// Reads the arguments; the first is the program's name. `posixly_correct` says whether reading
/// options stops at the first file name, as `POSIXLY_CORRECT` in the environment makes getopt do.
pub(super) fn parse(
    mut args: impl Iterator<Item = OsString>,
    posixly_correct: bool,
) -> Result<Options, Refusal> {
    let program = args.next().unwrap_or_default();
    let mut reading = Reading::default();
    let outcome = reading.take(args, posixly_correct);
    match (outcome, <[OsString; 1]>::try_from(reading.operands)) {
        (Err(complaint), _) => Err(Refusal {
            program,
            complaint: Some(complaint),
        }),
        (Ok(()), Err(_)) => Err(Refusal {
            program,
            complaint: None,
        }),
        (Ok(()), Ok([trace])) => {
            let mut options = reading.options;
            options.trace = trace;
            if !(0..100).contains(&options.threshold) {
                options.threshold = DEFAULT_THRESHOLD;
            }
            Ok(options)
        }
    }
}

struct Reading {
    options: Options,
    operands: Vec<OsString>,
}

impl Default for Reading {
    fn default() -> Self {
        Reading {
            options: Options {
                trace: OsString::new(),
                diff: None,
                graph: None,
                keep_dot: false,
                html: false,
                dump: false,
                sortable_url: None,
                threshold: DEFAULT_THRESHOLD,
            },
            operands: Vec::new(),
        }
    }
}

impl Reading {
    fn take(
        &mut self,
        mut args: impl Iterator<Item = OsString>,
        posixly_correct: bool,
    ) -> Result<(), Complaint> {
        while let Some(arg) = args.next() {
            let bytes = arg.as_encoded_bytes();
            if bytes == b"--" {
                break;
            }
            if bytes.len() > 1 && bytes[0] == b'-' {
                self.cluster(&arg, &mut args)?;
                continue;
            }
            self.operands.push(arg);
            if posixly_correct {
                break;
            }
        }
        self.operands.extend(args);
        Ok(())
    }

    /// One argument of options; the last of them may take the next argument as its value.
    fn cluster(
        &mut self,
        arg: &OsStr,
        rest: &mut impl Iterator<Item = OsString>,
    ) -> Result<(), Complaint> {
        let bytes = arg.as_encoded_bytes();
        for at in 1..bytes.len() {
            let option = bytes[at];
            match option {
                b'h' => self.options.html = true,
                b'k' => self.options.keep_dot = true,
                b'o' => self.options.dump = true,
                b'd' | b'g' | b's' | b't' => {
                    let value = if at + 1 < bytes.len() {
                        Some(tail(arg, at + 1))
                    } else {
                        rest.next()
                    };
                    self.set(option, value.ok_or(Complaint::MissingArgument(option))?);
                    return Ok(());
                }
                _ => return Err(Complaint::InvalidOption(option)),
            }
        }
        Ok(())
    }

    fn set(&mut self, option: u8, value: OsString) {
        match option {
            b'd' => self.options.diff = Some(value),
            b'g' => self.options.graph = Some(value),
            b's' => self.options.sortable_url = Some(value),
            _ => self.options.threshold = cnum::atoi(value.as_encoded_bytes()),
        }
    }
}

/// `arg` from byte `at` on, which follows an ASCII letter.
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

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str, posixly_correct: bool) -> Result<Options, Refusal> {
        parse(line.split_whitespace().map(OsString::from), posixly_correct)
    }

    #[test]
    fn options_may_follow_the_file_name_and_cluster() {
        let options = read("p a.trace -hkt5 -dold", false).unwrap();
        assert!(options.html && options.keep_dot && !options.dump);
        assert_eq!(options.threshold, 5);
        assert_eq!(options.diff.as_deref(), Some(OsStr::new("old")));
        assert_eq!(options.trace, "a.trace");
    }

    #[test]
    fn posixly_correct_stops_at_the_file_name() {
        assert!(read("p a.trace -h", true).is_err());
        assert!(read("p -h a.trace", true).unwrap().html);
    }

    #[test]
    fn senseless_thresholds_become_twenty() {
        for given in ["-5", "100", "x1e9", "99999999999"] {
            let want = if given == "x1e9" { 0 } else { 20 };
            assert_eq!(
                read(&format!("p a -t {given}"), false).unwrap().threshold,
                want
            );
        }
    }

    #[test]
    fn the_first_wrong_option_is_named() {
        let message = read("p --help", false).unwrap_err().message();
        assert!(message.starts_with(b"p: invalid option -- '-'\nCopyright"));
        let message = read("p a -hd", false).unwrap_err().message();
        assert!(message.starts_with(b"p: option requires an argument -- 'd'\n"));
    }
}
