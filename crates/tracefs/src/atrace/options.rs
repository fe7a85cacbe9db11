//! The command line, read as GNU `getopt_long(argc, argv, "a:b:cf:k:ns:t:zo:", …)` reads it:
//! options may follow categories, cluster (`-cz`), carry their value (`-b4096`), long ones may be
//! shortened while they stay clear, `--` ends them, and the first wrong one ends the reading.

use std::path::PathBuf;

use crate::DatVersion;

/// What the command line asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Options {
    /// `-a`: command lines of apps, between commas.
    pub apps: Option<String>,
    /// `-b`, KB for each CPU.
    pub buffer_kb: i32,
    /// `-c`.
    pub overwrite: bool,
    /// `-f`.
    pub categories_file: Option<PathBuf>,
    /// `-k`: kernel functions, between commas.
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
    /// What is left to do of the steps of a recording.
    pub steps: Steps,
    /// `--compat`: as the original does it, also where that is wrong.
    pub compat: bool,
    /// `--instance`.
    pub instance: Option<String>,
    /// `--raw`.
    pub raw: bool,
    /// `--raw_version`: which `trace.dat` it writes.
    pub raw_version: Option<String>,
    /// `--raw_compression`: how that is packed.
    pub raw_compression: Option<String>,
    /// `--categories`: files of `[[category]]` tables.
    pub own_categories: Vec<PathBuf>,
    /// The categories that were named.
    pub categories: Vec<String>,
}

/// The steps of a recording. Each of the long options takes some away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Steps {
    /// Set up and begin.
    pub start: bool,
    /// Stop, and put the settings back.
    pub stop: bool,
    /// Write the buffer.
    pub dump: bool,
    /// Write what is recorded as it comes.
    pub stream: bool,
    /// Do not wait in between.
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
            own_categories: Vec::new(),
            categories: Vec::new(),
        }
    }
}

const SHORT: &str = "a:b:cf:k:ns:t:zo:";
/// Long options, and whether they take a value. The last six are ours.
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

/// Reads the arguments behind the program's name. `Err` is getopt's complaint, behind that name.
pub(super) fn parse(args: &[String]) -> Result<Options, String> {
    let mut options = Options::default();
    match options.read(args) {
        // The original lists and is gone as soon as it sees that option.
        Err(_) if options.list => Ok(options),
        result => result.map(|()| options),
    }
}

impl Options {
    /// The `trace.dat` that `--raw` writes.
    ///
    /// # Errors
    /// What does not go together, for people.
    pub fn dat(&self) -> Result<DatVersion, String> {
        let version = (self.raw_version.as_deref(), self.raw_compression.as_deref());
        if version != (None, None) && !self.raw {
            return Err("--raw_version and --raw_compression are for --raw".to_owned());
        }
        DatVersion::chosen(version.0, version.1)
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
            _ => self.own_categories.push(value.into()),
        }
    }
}

/// The option that a name, or the beginning of one, stands for. Of several that begin so, getopt
/// takes the first one if all are of a kind.
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

/// C's `atoi`: the number in front, 0 where there is none; bits above the 32nd are lost.
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
    fn long_options_may_be_short() {
        let options = parsed("--async_du --inst=a --comp").unwrap();
        assert!(!options.steps.start && !options.steps.stop && options.steps.dump);
        assert_eq!(options.instance.as_deref(), Some("a"));
        assert!(parsed("--async").unwrap().steps.start);
        let error = parsed("--c").unwrap_err();
        let expected = "option '--c' is ambiguous; possibilities: '--compat' '--categories'";
        assert_eq!(error, expected);
    }

    #[test]
    fn what_is_wrong_is_said_as_getopt_says_it() {
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
    fn numbers_are_read_as_atoi_reads_them() {
        let numbers = ["16MB", "-3", "+4", "x", "", "4294967297", " 7"].map(number);
        assert_eq!(numbers, [16, -3, 4, 0, 0, 1, 7]);
    }
}
