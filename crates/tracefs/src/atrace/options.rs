//! Parses the command line as GNU `getopt_long(argc, argv, "a:b:cf:k:ns:t:zo:", …)` does: options may
//! follow categories, be grouped (`-cz`) and include their value (`-b4096`). Long options may be
//! abbreviated. `--` ends the options, and the first invalid option ends the parsing.

use std::path::PathBuf;
use std::time::Duration;

use crate::DatVersion;

/// The options and categories of the command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Options {
    /// `-a`: command lines of apps, separated by commas.
    pub apps: Option<String>,
    /// `-b`, KB for each CPU.
    pub buffer_kb: i32,
    /// `-c`.
    pub overwrite: bool,
    /// `-f`.
    pub categories_file: Option<PathBuf>,
    /// `-k`: kernel functions, separated by commas.
    pub functions: String,
    /// `-n`.
    pub ignore_signals: bool,
    /// `-s`, seconds.
    pub initial_sleep_s: i32,
    /// `-t`, seconds.
    pub duration_s: i32,
    /// `-z`.
    pub compress: bool,
    /// `-o`.
    pub output: Option<PathBuf>,
    /// `--list_categories`.
    pub list: bool,
    /// `--only_userspace`.
    pub only_user_space: bool,
    /// The steps of a recording to do.
    pub steps: Steps,
    /// `--compat`: reproduce the defects of Android's atrace.
    pub compat: bool,
    /// `--instance`.
    pub instance: Option<String>,
    /// `--raw`.
    pub raw: bool,
    /// `--raw_version`: the version of the `trace.dat`.
    pub raw_version: Option<String>,
    /// `--raw_compression`: the compression of the `trace.dat`.
    pub raw_compression: Option<String>,
    /// `--categories`: files with `[[category]]` tables.
    pub category_files: Vec<PathBuf>,
    /// The chosen categories.
    pub categories: Vec<String>,
}

/// The steps of a recording. Options such as `--async_start` remove some.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Steps {
    /// Change settings and start recording.
    pub start: bool,
    /// Stop, and restore the settings.
    pub stop: bool,
    /// Write the ring buffer.
    pub dump: bool,
    /// Write events while recording.
    pub stream: bool,
    /// Do not wait between start and stop.
    pub is_async: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            apps: None,
            buffer_kb: 2048,
            overwrite: false,
            categories_file: None,
            functions: String::new(),
            ignore_signals: false,
            initial_sleep_s: 0,
            duration_s: 5,
            compress: false,
            output: None,
            list: false,
            only_user_space: false,
            steps: Steps {
                start: true,
                stop: true,
                dump: true,
                stream: false,
                is_async: false,
            },
            compat: false,
            instance: None,
            raw: false,
            raw_version: None,
            raw_compression: None,
            category_files: Vec::new(),
            categories: Vec::new(),
        }
    }
}

const SHORT: &str = "a:b:cf:k:ns:t:zo:";
/// Long options, and whether they take a value. The last six are not in Android's atrace.
const LONG: [(&str, bool); 12] = [
    ("async_start", false),
    ("async_stop", false),
    ("async_dump", false),
    ("only_userspace", false),
    ("list_categories", false),
    ("stream", false),
    ("compat", false),
    ("instance", true),
    ("raw", false),
    ("raw_version", true),
    ("raw_compression", true),
    ("categories", true),
];

/// Parses the arguments after the program's name. The error is getopt's message without that name.
pub(super) fn parse(args: &[String]) -> Result<Options, String> {
    let mut options = Options::default();
    match options.read(args) {
        // Android's atrace prints the list as soon as it parses this option.
        Err(_) if options.list => Ok(options),
        result => result.map(|()| options),
    }
}

impl Options {
    /// The version of the `trace.dat` that `--raw` writes.
    ///
    /// # Errors
    /// A message for the user if options contradict each other.
    pub fn dat(&self) -> Result<DatVersion, String> {
        let version = (self.raw_version.as_deref(), self.raw_compression.as_deref());
        if version != (None, None) && !self.raw {
            return Err("--raw_version and --raw_compression need --raw".to_owned());
        }
        DatVersion::from_options(version.0, version.1)
    }

    fn read(&mut self, args: &[String]) -> Result<(), String> {
        let posix = std::env::var_os("POSIXLY_CORRECT").is_some();
        let mut rest = args.iter();
        while let Some(arg) = rest.next() {
            if arg == "--" {
                self.categories.extend(rest.by_ref().cloned());
            } else if let Some(long) = arg.strip_prefix("--") {
                self.long(long, &mut rest)?;
            } else if arg.starts_with('-') && arg.len() > 1 {
                self.cluster(&arg[1..], &mut rest)?;
            } else {
                self.categories.push(arg.clone());
                if posix {
                    self.categories.extend(rest.by_ref().cloned());
                }
            }
        }
        Ok(())
    }

    fn cluster(
        &mut self,
        letters: &str,
        rest: &mut std::slice::Iter<'_, String>,
    ) -> Result<(), String> {
        for (at, letter) in letters.char_indices() {
            let place = SHORT.find(letter).filter(|_| letter != ':');
            let place = place.ok_or_else(|| format!("invalid option -- '{letter}'"))?;
            if !SHORT[place + 1..].starts_with(':') {
                self.flag(letter);
                continue;
            }
            let here = &letters[at + letter.len_utf8()..];
            let value = if here.is_empty() {
                rest.next().cloned()
            } else {
                Some(here.to_owned())
            };
            let value =
                value.ok_or_else(|| format!("option requires an argument -- '{letter}'"))?;
            self.value(letter, value);
            break;
        }
        Ok(())
    }

    fn flag(&mut self, letter: char) {
        match letter {
            'c' => self.overwrite = true,
            'n' => self.ignore_signals = true,
            _ => self.compress = true,
        }
    }

    fn value(&mut self, letter: char, value: String) {
        match letter {
            'a' => self.apps = Some(value),
            'b' => self.buffer_kb = number(&value),
            'f' => self.categories_file = Some(value.into()),
            'k' => self.functions = value,
            's' => self.initial_sleep_s = number(&value),
            't' => self.duration_s = number(&value),
            _ => self.output = Some(value.into()),
        }
    }

    fn long(&mut self, text: &str, rest: &mut std::slice::Iter<'_, String>) -> Result<(), String> {
        let (name, value) = match text.split_once('=') {
            Some((name, value)) => (name, Some(value.to_owned())),
            None => (text, None),
        };
        let (name, takes_value) = find_long(name)?;
        let value = match (takes_value, value) {
            (true, None) => Some(
                rest.next()
                    .cloned()
                    .ok_or_else(|| format!("option '--{name}' requires an argument"))?,
            ),
            (false, Some(_)) => return Err(format!("option '--{name}' doesn't allow an argument")),
            (_, value) => value,
        };
        self.long_option(name, value.unwrap_or_default());
        Ok(())
    }

    fn long_option(&mut self, name: &str, value: String) {
        let steps = &mut self.steps;
        match name {
            "async_start" => {
                (steps.is_async, steps.stop, steps.dump) = (true, false, false);
                self.overwrite = true;
            }
            "async_stop" => (steps.is_async, steps.start) = (true, false),
            "async_dump" => (steps.is_async, steps.start, steps.stop) = (true, false, false),
            "stream" => (steps.stream, steps.dump) = (true, false),
            "only_userspace" => self.only_user_space = true,
            "list_categories" => self.list = true,
            "compat" => self.compat = true,
            "raw" => self.raw = true,
            "raw_version" => self.raw_version = Some(value),
            "raw_compression" => self.raw_compression = Some(value),
            "instance" => self.instance = Some(value),
            _ => self.category_files.push(value.into()),
        }
    }
}

/// Finds an option by its name or a prefix. If several match, getopt takes the first one, unless some
/// take a value and others do not.
fn find_long(name: &str) -> Result<(&'static str, bool), String> {
    let mut candidates = LONG.to_vec();
    candidates.retain(|(long, _)| long.starts_with(name));
    let exact = candidates.iter().find(|(long, _)| *long == name);
    let Some(&first) = exact.or(candidates.first()) else {
        return Err(format!("unrecognized option '--{name}'"));
    };
    let alike = candidates
        .iter()
        .all(|(_, takes_value)| *takes_value == first.1);
    if exact.is_none() && !alike {
        let names = candidates.iter().map(|(long, _)| format!(" '--{long}'"));
        let names: String = names.collect();
        return Err(format!(
            "option '--{name}' is ambiguous; possibilities:{names}"
        ));
    }
    Ok(first)
}

/// Converts a number of seconds. Negative numbers count as 0.
pub(super) fn seconds(number: i32) -> Duration {
    Duration::from_secs(number.max(0) as u64)
}

/// Parses like C's `atoi`: the number at the start, or 0. Bits above the 32nd are lost.
fn number(text: &str) -> i32 {
    let text = text.trim_start_matches([' ', '\t', '\n', '\x0b', '\x0c', '\r']);
    let (negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let digits = digits.bytes().take_while(u8::is_ascii_digit);
    let value = digits.fold(0i64, |value, digit| {
        value
            .saturating_mul(10)
            .saturating_add(i64::from(digit - b'0'))
    });
    (if negative { -value } else { value }) as i32
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> Result<Options, String> {
        let args: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        parse(&args)
    }

    #[test]
    fn options_and_categories_mix() {
        let options = parsed("sched -b4096 -cz irq -t 3 -o out -- -x").unwrap();
        assert_eq!(options.categories, ["sched", "irq", "-x"]);
        assert_eq!((options.buffer_kb, options.duration_s), (4096, 3));
        assert!(options.overwrite && options.compress);
        assert_eq!(options.output, Some("out".into()));
    }

    #[test]
    fn long_options_may_be_abbreviated() {
        let options = parsed("--async_du --inst=a --comp").unwrap();
        assert!(!options.steps.start && !options.steps.stop && options.steps.dump);
        assert_eq!(options.instance.as_deref(), Some("a"));
        assert!(parsed("--async").unwrap().steps.start);
        let error = parsed("--c").unwrap_err();
        let expected = "option '--c' is ambiguous; possibilities: '--compat' '--categories'";
        assert_eq!(error, expected);
    }

    #[test]
    fn error_messages_are_those_of_getopt() {
        assert_eq!(parsed("-q").unwrap_err(), "invalid option -- 'q'");
        assert_eq!(
            parsed("-c -t").unwrap_err(),
            "option requires an argument -- 't'"
        );
        assert_eq!(
            parsed("--poll").unwrap_err(),
            "unrecognized option '--poll'"
        );
        assert_eq!(
            parsed("--stream=1").unwrap_err(),
            "option '--stream' doesn't allow an argument"
        );
        assert!(parsed("--list_categories --poll").unwrap().list);
    }

    #[test]
    fn numbers_are_parsed_like_atoi() {
        let numbers = ["16MB", "-3", "+4", "x", "", "4294967297", " 7"].map(number);
        assert_eq!(numbers, [16, -3, 4, 0, 0, 1, 7]);
    }
}
