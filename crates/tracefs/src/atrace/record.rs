//! A recording, step by step, with what the original says at each.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::os::fd::AsFd;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::time::Duration;

use super::options::Options;
use super::{compat, raw, signals, tell};
use crate::category::Category;
use crate::{
    Catalog, Config, DatVersion, Ended, Error, Properties, Session, Stop, SyncPrecision, Tracefs,
    dump_compressed, dump_text, stream_rest, stream_text,
};

/// What to do, where, and with what.
pub(super) struct Job<'a> {
    pub options: &'a Options,
    pub catalog: &'a Catalog,
    pub tree: &'a dyn Tracefs,
    pub properties: &'a dyn Properties,
    /// The categories of the command line.
    pub chosen: Vec<Category>,
    /// What `--raw` writes.
    pub dat: DatVersion,
}

/// How it went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// As it was asked for.
    Done,
    /// A signal ended it, or the reader went.
    Aborted,
    /// It never began; why, was told.
    NotStarted,
}

impl Job<'_> {
    pub fn run(&self) -> Result<Outcome, Error> {
        let stop = signals::stop().map_err(Error::Guardian)?;
        signals::catch(self.options.ignore_signals);
        let sleep = seconds(self.options.initial_sleep_s);
        if stop.wait(sleep, None).map_err(Error::Input)? == Ended::Asked {
            say("\ntrace aborted.\n");
            return Ok(Outcome::Aborted);
        }
        let mut session = match self.begin() {
            Ok(session) => session,
            Err(error) => {
                tell(&error.to_string());
                tell("unable to start tracing");
                return Ok(Outcome::NotStarted);
            }
        };
        for warning in session.take_warnings() {
            tell(&warning.to_string());
        }
        let result = self.raw_or_text(&mut session, stop);
        let ended = self.end(session);
        let outcome = result?;
        ended.map(|()| outcome)
    }

    fn begin(&self) -> Result<Session<'_>, Error> {
        let config = self.config()?;
        if !self.options.steps.start {
            return Session::adopt(self.tree, self.properties, &config);
        }
        if let (true, Some(path)) = (
            self.options.steps.dump && !self.options.compat,
            &self.options.output,
        ) {
            // Better now than after the recording.
            may_write(path)?;
        }
        Session::start(self.tree, self.properties, self.catalog, &config)
    }

    fn config(&self) -> Result<Config, Error> {
        let options = self.options;
        let mut categories = self.chosen.clone();
        categories.extend(self.categories_of_file()?);
        let apps = options.apps.iter().flat_map(|apps| apps.split(','));
        let functions = options.functions.split(',').filter(|name| !name.is_empty());
        Ok(Config {
            categories,
            apps: apps.map(str::to_owned).collect(),
            buffer_kb: options.buffer_kb.max(1) as u32,
            overwrite: options.overwrite,
            functions: functions.map(str::to_owned).collect(),
            instance: options.instance.clone(),
            only_user_space: options.only_user_space,
            sync_precision: if options.compat {
                SyncPrecision::Float
            } else {
                SyncPrecision::Exact
            },
            alone: !options.compat,
            // One that only looks must not end the recording when it dies.
            guarded: options.steps.start || options.steps.stop,
            ..Config::default()
        })
    }

    /// The categories of `-f`. There, unlike on the command line, none may be wrong.
    fn categories_of_file(&self) -> Result<Vec<Category>, Error> {
        let Some(path) = self
            .options
            .categories_file
            .as_deref()
            .filter(|_| self.options.steps.start)
        else {
            return Ok(Vec::new());
        };
        let text = std::fs::read_to_string(path).map_err(Error::file("opening", path))?;
        let names: Vec<String> = if self.options.compat {
            text.lines()
                .next()
                .unwrap_or_default()
                .split(' ')
                .map(str::to_owned)
                .collect()
        } else {
            text.split_whitespace().map(str::to_owned).collect()
        };
        let names: Vec<String> = names.into_iter().filter(|name| !name.is_empty()).collect();
        let (mut chosen, errors) = self.catalog.choose(&names, self.tree, self.properties);
        if !errors.is_empty() {
            return Err(Error::CategoriesFile(errors));
        }
        if self.options.compat {
            // The original reads the file when the tags are set already.
            chosen.iter_mut().for_each(|category| category.tags = 0);
        }
        Ok(chosen)
    }

    fn raw_or_text(&self, session: &mut Session<'_>, stop: &Stop) -> Result<Outcome, Error> {
        if self.options.raw && !self.options.only_user_space {
            raw::record(self, session, stop)
        } else {
            self.record(session, stop)
        }
    }

    fn record(&self, session: &mut Session<'_>, stop: &Stop) -> Result<Outcome, Error> {
        let (steps, kernel) = (self.options.steps, !self.options.only_user_space);
        let mut ended = Ended::Time;
        if steps.start && kernel {
            if !steps.stream {
                say("capturing trace...");
            }
            ended = self.wait(session, stop)?;
        }
        if steps.stop && kernel {
            session.stop()?;
            if steps.stream && ended == Ended::Asked && !self.options.compat {
                stream_rest(session.tree(), &mut unbuffered(&io::stdout())?)?;
            }
        }
        if steps.dump && kernel {
            match ended {
                Ended::Time => {
                    say(" done\n");
                    let dumped = self.dump(session);
                    session.clear()?;
                    dumped?;
                }
                Ended::Asked | Ended::NoReader => {
                    say("\ntrace aborted.\n");
                    session.clear()?;
                }
            }
        }
        Ok(match ended {
            Ended::Time => Outcome::Done,
            Ended::Asked | Ended::NoReader => Outcome::Aborted,
        })
    }

    fn wait(&self, session: &Session<'_>, stop: &Stop) -> Result<Ended, Error> {
        let stdout = io::stdout();
        if self.options.steps.stream {
            let mut out = unbuffered(&stdout)?;
            return stream_text(session.tree(), &mut out, stop);
        }
        if self.options.steps.is_async {
            return Ok(Ended::Time);
        }
        let time = seconds(self.options.duration_s);
        let reader = self.options.output.is_none().then(|| stdout.as_fd());
        stop.wait(time, reader).map_err(Error::Input)
    }

    fn dump(&self, session: &Session<'_>) -> Result<(), Error> {
        let mut out = match &self.options.output {
            None => unbuffered(&io::stdout())?,
            Some(path) => match open_output(path) {
                Ok(file) => file,
                Err(error) => return self.cannot_open(path, error),
            },
        };
        out.write_all(b"TRACE:\n").map_err(Error::Output)?;
        if self.options.compress {
            dump_compressed(session.tree(), &mut out)
        } else {
            dump_text(session.tree(), &mut out)
        }
    }

    fn cannot_open(&self, path: &Path, error: io::Error) -> Result<(), Error> {
        if self.options.compat {
            let number = error.raw_os_error().unwrap_or_default();
            say(&format!(
                "Failed to open '{}', err={number}",
                path.display()
            ));
            return Ok(());
        }
        Err(Error::file("opening", path)(error))
    }

    fn end(&self, session: Session<'_>) -> Result<(), Error> {
        if !self.options.steps.stop {
            return session.leave_running();
        }
        let warnings = if self.options.compat {
            compat::clean_up(self, session)
        } else if self.options.only_user_space {
            session.restore_user_space()?
        } else if session.has_changes() {
            session.restore()
        } else {
            // Somebody else began the recording: what there was before is not known.
            compat::clean_up(self, session)
        };
        warnings
            .iter()
            .for_each(|warning| tell(&warning.to_string()));
        Ok(())
    }
}

pub(super) fn seconds(number: i32) -> Duration {
    Duration::from_secs(number.max(0) as u64)
}

/// Progress, for programs that wait for it.
pub(super) fn say(text: &str) {
    let mut out = io::stdout();
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}

/// Standard output without the line buffer of the standard library.
pub(super) fn unbuffered(stdout: &io::Stdout) -> Result<File, Error> {
    let file = stdout.as_fd().try_clone_to_owned().map_err(Error::Output)?;
    Ok(file.into())
}

pub(super) fn open_output(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    let options = options.write(true).create(true).truncate(true).mode(0o644);
    options.open(path)
}

/// Opens the output and leaves it as it is: an existing one whole, a new one gone.
fn may_write(path: &Path) -> Result<(), Error> {
    let new = !path.exists();
    if !new && !path.is_file() {
        return Ok(()); // a pipe would wait for its reader
    }
    let mut options = OpenOptions::new();
    let opened = options.append(true).create(true).mode(0o644).open(path);
    opened.map_err(Error::file("opening", path))?;
    if new {
        let _ = std::fs::remove_file(path);
    }
    Ok(())
}
