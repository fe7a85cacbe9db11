//! The steps of a recording, with the messages of Android's atrace.

use std::fs::File;
use std::io::{self, Write};
use std::os::fd::AsFd;
use std::path::Path;

use super::console::{print_error, print_progress};
use super::job::{Job, Outcome};
use super::options::seconds;
use super::output::{check_writable, open_output, unbuffered_stdout, write_opened};
use super::{compat, raw, signals};
use crate::dump::{dump_compressed, dump_text};
use crate::losses::TextLosses;
use crate::stream::{stream_rest, stream_text};
use crate::{Category, Config, Ended, Error, Session, StopSignal, SyncPrecision};

impl Job<'_> {
    /// Does all steps of the recording.
    pub fn run(&self) -> Result<Outcome, Error> {
        let stop = signals::stop_signal().map_err(Error::Guardian)?;
        signals::catch(self.options.ignore_signals);
        let sleep = seconds(self.options.initial_sleep_s);
        if stop.wait(sleep, None).map_err(Error::Input)? == Ended::Requested {
            print_progress("\ntrace aborted.\n");
            return Ok(Outcome::Aborted);
        }
        let mut session = match self.begin() {
            Ok(session) => session,
            Err(error) => {
                print_error(&error.to_string());
                print_error("unable to start tracing");
                return Ok(Outcome::NotStarted);
            }
        };
        for warning in session.take_warnings() {
            print_error(&warning.to_string());
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
        let writes = self.options.steps.dump || self.options.raw;
        if let (true, Some(path)) = (writes && !self.options.compat, &self.options.output) {
            // Fail before the recording, not after it.
            check_writable(path)?;
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
            // A full buffer that does not overwrite would refuse the marks of programs.
            overwrite: options.overwrite || (options.steps.stream && !options.compat),
            functions: functions.map(str::to_owned).collect(),
            instance: options.instance.clone(),
            only_user_space: options.only_user_space,
            sync_precision: if options.compat {
                SyncPrecision::Float
            } else {
                SyncPrecision::Exact
            },
            exclusive: !options.compat,
            // `--async_dump` must not end the recording if it dies.
            guarded: options.steps.start || options.steps.stop,
            ..Config::default()
        })
    }

    /// The categories of `-f`. Unlike on the command line, an invalid one is an error.
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
            // Android's atrace reads the file after it has set the tags.
            chosen.iter_mut().for_each(|category| category.tags = 0);
        }
        Ok(chosen)
    }

    fn raw_or_text(&self, session: &mut Session<'_>, stop: &StopSignal) -> Result<Outcome, Error> {
        if self.options.raw && !self.options.only_user_space {
            raw::record(self, session, stop)
        } else {
            self.record(session, stop)
        }
    }

    fn record(&self, session: &mut Session<'_>, stop: &StopSignal) -> Result<Outcome, Error> {
        let (steps, kernel) = (self.options.steps, !self.options.only_user_space);
        let mut ended = Ended::TimeUp;
        let mut losses = TextLosses::default();
        if steps.start && kernel {
            if !steps.stream {
                print_progress("capturing trace...");
            }
            ended = self.wait(session, stop, &mut losses)?;
        }
        if steps.stop && kernel {
            session.stop()?;
            if steps.stream && ended == Ended::Requested && !self.options.compat {
                stream_rest(session.tree(), &mut unbuffered_stdout()?, &mut losses)?;
            }
        }
        if steps.dump && kernel {
            match ended {
                Ended::TimeUp => {
                    print_progress(" done\n");
                    let dumped = self.dump(session);
                    session.clear()?;
                    dumped?;
                }
                Ended::Requested | Ended::NoReader => {
                    print_progress("\ntrace aborted.\n");
                    session.clear()?;
                }
            }
        }
        Ok(match ended {
            Ended::TimeUp => Outcome::Done,
            Ended::Requested | Ended::NoReader => Outcome::Aborted,
        })
    }

    fn wait(
        &self,
        session: &Session<'_>,
        stop: &StopSignal,
        losses: &mut TextLosses,
    ) -> Result<Ended, Error> {
        let stdout = io::stdout();
        if self.options.steps.stream {
            let mut out = unbuffered_stdout()?;
            return stream_text(session.tree(), &mut out, stop, losses);
        }
        if self.options.steps.is_async {
            return Ok(Ended::TimeUp);
        }
        let time = seconds(self.options.duration_s);
        let reader = self.options.output.is_none().then(|| stdout.as_fd());
        stop.wait(time, reader).map_err(Error::Input)
    }

    fn dump(&self, session: &Session<'_>) -> Result<(), Error> {
        let dump = |out: &mut File| self.dump_to(session, out);
        let Some(path) = &self.options.output else {
            return dump(&mut unbuffered_stdout()?);
        };
        match open_output(path) {
            Ok(file) => write_opened(file, path, dump),
            Err(error) => self.cannot_open(path, error),
        }
    }

    fn dump_to(&self, session: &Session<'_>, out: &mut dyn Write) -> Result<(), Error> {
        out.write_all(b"TRACE:\n").map_err(Error::Output)?;
        if self.options.compress {
            dump_compressed(session.tree(), out)
        } else {
            dump_text(session.tree(), out)
        }
    }

    fn cannot_open(&self, path: &Path, error: io::Error) -> Result<(), Error> {
        if self.options.compat {
            let number = error.raw_os_error().unwrap_or_default();
            print_progress(&format!(
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
            // Another program started the recording, so the old settings are unknown.
            compat::clean_up(self, session)
        };
        warnings
            .iter()
            .for_each(|warning| print_error(&warning.to_string()));
        Ok(())
    }
}
