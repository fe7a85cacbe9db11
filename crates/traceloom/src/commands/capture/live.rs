//! `--live`: the page that shows a recording while it goes on.

use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use traceloom_capture::live::{Window, WindowLimits, WindowStats};
use traceloom_capture::{Agent, Limits, PartKind, Sink};
use traceloom_formats::{AnyReader, ReadError, ReadOptions, Reader, Target};
use traceloom_trace::{Trace, TraceBuilder};
use traceloom_view::{Handle, LiveOptions, LiveStats, Server, ServerError, ServerOptions};

use super::args::CaptureArgs;
use super::wait::{Ended, Wait};
use crate::commands::view::{announce, open_browser};
use crate::input::InputArgs;

/// What the page shows where `--ring` says nothing.
const USUAL_WINDOW_NS: i64 = 30_000_000_000;

/// Text that is held for snapshots, at most.
const WINDOW_BYTES: usize = 96 << 20;

/// Text that the first snapshots are made of, at most: how fast this machine is, they tell.
const FIRST_BYTES: usize = 8 << 20;

/// Text that a snapshot is made of in any case.
const LEAST_BYTES: usize = 1 << 20;

/// What a snapshot may take to make: of a recording so dense that it would take longer, a shorter
/// piece is shown.
const LONGEST: Duration = Duration::from_millis(300);

/// A snapshot is made no sooner than this after the one before it.
const LEAST_INTERVAL: Duration = Duration::from_millis(400);

/// What is recorded counts first: of the time, snapshots take one part of so many.
const REST_FOR_EACH: u32 = 2;

/// The bounds of a trace in which nothing has a time: marks of the clocks alone, for example.
const NO_BOUNDS: (i64, i64) = (0, 0);

/// How long a list of the processes is good.
const PROCESSES_FOR: Duration = Duration::from_secs(10);

/// How long the page may take to hear that nothing was recorded.
const LAST_WORD: Duration = Duration::from_secs(2);

/// Choices for showing a recording.
#[derive(clap::Args, Clone, Debug)]
pub struct LiveArgs {
    /// Show the recording in the browser while it goes on: the last 30 seconds, or those of --ring
    ///
    /// The whole is written when it ends; the page shows it then, until Ctrl-C.
    #[arg(long, help_heading = "Live")]
    pub live: bool,

    /// The port that the page is served on [default: a free one]
    #[arg(
        long,
        value_name = "N",
        default_value_t = 0,
        hide_default_value = true,
        requires = "live",
        help_heading = "Live"
    )]
    pub port: u16,

    /// Only print the URL, open no browser
    #[arg(long, requires = "live", help_heading = "Live")]
    pub no_open: bool,
}

impl CaptureArgs {
    /// Refuses what cannot be shown while it is recorded.
    ///
    /// # Errors
    /// Says what.
    pub fn check_live(&self) -> Result<()> {
        if !self.live.live {
            return Ok(());
        }
        if self.from_file.is_some() {
            bail!("--live shows what is being recorded; traceloom view shows a file");
        }
        if self.method.method.is_some() && self.chosen().is_empty() {
            bail!(
                "a method trace comes only when it has ended; name categories to see those live beside --method"
            );
        }
        Ok(())
    }
}

/// Why a recording ended, in the words of whoever ended it.
#[derive(Clone, Default)]
pub struct Because(Arc<Mutex<Option<String>>>);

impl Because {
    /// The first one counts.
    pub fn set(&self, why: &str) {
        let mut because = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        because.get_or_insert_with(|| why.to_owned());
    }

    fn get(&self) -> Option<String> {
        let because = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        because.clone()
    }
}

/// Gives the list of processes as it is now, as tables like those of `ps`.
pub type Processes = Box<dyn FnMut() -> Vec<u8> + Send>;

/// The server that shows a recording.
pub struct Show {
    handle: Handle,
    url: String,
    serving: JoinHandle<Result<(), ServerError>>,
    window: Arc<Window>,
    because: Because,
    processes: Option<Processes>,
}

impl Show {
    /// Serves the page, where `--live` asks for it.
    ///
    /// # Errors
    /// If the port is taken.
    pub fn new(args: &CaptureArgs, wait: &Wait, processes: Processes) -> Result<Option<Self>> {
        if !args.live.live {
            return Ok(None);
        }
        let window = Arc::new(Window::new(WindowLimits {
            keep_ns: args.ring.unwrap_or(USUAL_WINDOW_NS),
            max_bytes: WINDOW_BYTES,
        }));
        let (counted, ends) = (Arc::clone(&window), wait.sender());
        let server = Server::bind(ServerOptions {
            port: args.live.port,
            live: Some(LiveOptions {
                stats: Arc::new(move || stats(&counted)),
                stop: Arc::new(move || _ = ends.send(Ended::Page)),
            }),
            ..ServerOptions::default()
        })?;
        Ok(Some(Self {
            handle: server.handle(),
            url: server.url(),
            serving: thread::spawn(move || server.run()),
            window,
            because: Because::default(),
            processes: Some(processes),
        }))
    }

    /// What the recorder fills.
    pub fn window(&self) -> Arc<Window> {
        Arc::clone(&self.window)
    }

    /// Who ends the recording tells why here.
    pub fn because(&self) -> Because {
        self.because.clone()
    }

    /// Makes snapshots as pages want them, from now on until the recording has ended; says where
    /// the page is.
    ///
    /// # Errors
    /// If that cannot be said.
    pub fn begin(&mut self, args: &CaptureArgs) -> Result<()> {
        let processes = self.processes.take().unwrap_or(Box::new(Vec::new));
        let snapshots = Snapshots {
            handle: self.handle.clone(),
            window: self.window(),
            options: InputArgs::default_for_capture().read_options("")?,
            processes,
            known: None,
        };
        thread::spawn(move || snapshots.make());
        announce(&self.url)?;
        if !args.live.no_open {
            open_browser(&self.url);
        }
        Ok(())
    }

    /// The recording has ended; its trace is put together now.
    pub fn saving(&self, ended: Ended) {
        self.handle.saving(&self.why(ended));
    }

    fn why(&self, ended: Ended) -> String {
        let told = || self.because.get().unwrap_or_default();
        match ended {
            Ended::Time => "The time is over.".to_owned(),
            Ended::Enter => "Ended in the terminal.".to_owned(),
            Ended::Signal => "Ended by Ctrl-C in the terminal.".to_owned(),
            Ended::Page => "Ended in the page.".to_owned(),
            Ended::Trigger => format!("What was waited for came: {}.", told()),
            Ended::BrokeOff => format!("Nothing more came: {}.", told()),
        }
    }

    /// Shows the whole trace until Ctrl-C.
    ///
    /// # Errors
    /// If the server cannot go on.
    pub fn whole(self, trace: Trace, ended: Ended, written: &str) -> Result<()> {
        let said = format!("{} {written}", self.why(ended));
        // As of now Ctrl-C ends the program in order again.
        let wait = Wait::new();
        eprintln!("The page shows all of it until Ctrl-C: {}", self.url);
        self.handle.recorded(trace, &said);
        wait.for_signal();
        self.handle.stop();
        match self.serving.join() {
            Ok(served) => Ok(served?),
            Err(panic) => std::panic::resume_unwind(panic),
        }
    }

    /// There is no trace; the page says why.
    pub fn nothing(self, error: &anyhow::Error) {
        self.handle.not_recorded(&format!("{error:#}"), LAST_WORD);
        self.handle.stop();
        // What the server says now is of no use to anybody.
        drop(self.serving.join());
    }
}

fn stats(window: &Window) -> LiveStats {
    let stats = window.stats();
    LiveStats {
        events: stats.events,
        lost: stats.lost,
        bytes: stats.bytes,
    }
}

/// Makes a snapshot of the last seconds whenever a page wants one: it reads the window's text,
/// which is of limited size, so that each costs the same however long it has been recorded.
struct Snapshots {
    handle: Handle,
    window: Arc<Window>,
    options: ReadOptions,
    processes: Processes,
    /// The processes, and since when they are known.
    known: Option<(Instant, Arc<Vec<u8>>)>,
}

impl Snapshots {
    fn make(mut self) {
        let (mut shown_bytes, mut most_bytes) = (0, FIRST_BYTES);
        loop {
            if !self.handle.wait_until_wanted(LEAST_INTERVAL) {
                if self.handle.is_recording() {
                    continue;
                }
                return;
            }
            let start = Instant::now();
            let WindowStats { bytes, events, .. } = self.window.stats();
            // Times count from the first event: without one there is nothing to show. What cannot be read is said when the recording has ended.
            if bytes != shown_bytes
                && events > 0
                && let Ok(trace) = self.read(most_bytes)
                && trace.bounds != NO_BOUNDS
            {
                shown_bytes = bytes;
                self.handle.show(trace);
            }
            let cost = start.elapsed();
            most_bytes = next_most(most_bytes, cost);
            thread::sleep(
                LEAST_INTERVAL
                    .saturating_sub(cost)
                    .max(cost * REST_FOR_EACH),
            );
        }
    }

    /// What the window holds; an error where nothing came yet.
    fn read(&mut self, most_bytes: usize) -> Result<Trace, ReadError> {
        let options = ReadOptions {
            name: "recording".to_owned(),
            process_dump: Some(self.processes()),
            ..self.options.clone()
        };
        let text = self.window.text(most_bytes);
        let mut builder = TraceBuilder::new();
        let mut reader = AnyReader::new(options);
        let mut target = Target::Trace(&mut builder);
        reader.feed(&text, &mut target)?;
        reader.finish(&mut target)?;
        Ok(builder.finish())
    }

    fn processes(&mut self) -> Arc<Vec<u8>> {
        let is_good = |since: &Instant| since.elapsed() < PROCESSES_FOR;
        if let Some((_, list)) = self.known.as_ref().filter(|(since, _)| is_good(since)) {
            return Arc::clone(list);
        }
        let list = Arc::new((self.processes)());
        self.known = Some((Instant::now(), Arc::clone(&list)));
        list
    }
}

/// How much a snapshot may hold after one of at most `most_bytes` took `cost`: what takes
/// [`LONGEST`], and no more than twice as much as before, as one that was not full tells little.
fn next_most(most_bytes: usize, cost: Duration) -> usize {
    let share = LONGEST.as_secs_f64() / cost.as_secs_f64().max(1e-3);
    let next = most_bytes as f64 * share.min(2.0);
    (next as usize).clamp(LEAST_BYTES, WINDOW_BYTES)
}

/// What an agent that lists processes has; nothing where it fails: the names are an aid.
pub fn listed(agent: &mut dyn Agent) -> Vec<u8> {
    struct Bytes(Vec<u8>);
    impl Sink for Bytes {
        fn begin(&mut self, _: PartKind, _: &str) -> io::Result<()> {
            Ok(())
        }

        fn data(&mut self, bytes: &[u8]) -> io::Result<()> {
            self.0.extend_from_slice(bytes);
            Ok(())
        }
    }
    let mut bytes = Bytes(Vec::new());
    drop(agent.collect(Limits::default().start_stop, &mut bytes));
    bytes.0
}
