//! `--live`: shows a recording in the browser while it runs.

use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use anyhow::Result;
use traceloom_capture::live::{Recent, WindowLimits, WindowStats};
use traceloom_capture::{Agent, Limits, PartKind, Sink};
use traceloom_formats::{AnyReader, ReadError, ReadOptions, Reader, Target};
use traceloom_trace::{Trace, TraceBuilder};
use traceloom_view::{Handle, LiveOptions, LiveStats, Server, ServerError, ServerOptions};

use super::options::CaptureArgs;
use super::wait::{Ended, Wait};
use crate::browser::{Opened, open};
use crate::commands::view::announce;
use crate::input::InputArgs;
use crate::print::message;

/// The time that the page shows without `--ring`, ns.
const USUAL_WINDOW_NS: i64 = 30_000_000_000;

/// The maximum size of the text or the pages kept for snapshots, bytes.
const WINDOW_BYTES: usize = 96 << 20;

/// The maximum size of the data in the first snapshots, bytes. They measure the speed of this
/// machine.
const FIRST_BYTES: usize = 8 << 20;

/// The minimum size of the data in a snapshot, bytes.
const LEAST_BYTES: usize = 1 << 20;

/// The maximum time for a snapshot. A dense recording is shown in shorter pieces.
const LONGEST: Duration = Duration::from_millis(300);

/// The minimum time between two snapshots.
const LEAST_INTERVAL: Duration = Duration::from_millis(400);

/// Recording has priority: after each snapshot, pause for this many times its duration.
const REST_FOR_EACH: u32 = 2;

/// The bounds of a trace without timed rows, such as one with clock marks only.
const NO_BOUNDS: (i64, i64) = (0, 0);

/// How long a process list stays valid.
const PROCESSES_FOR: Duration = Duration::from_secs(10);

/// How long to wait until the page has received the message that nothing was recorded.
const LAST_WORD: Duration = Duration::from_secs(2);

/// The reason why a recording ended. The first one is kept.
#[derive(Clone, Default)]
pub struct Because(Arc<Mutex<Option<String>>>);

impl Because {
    /// Sets the reason, unless there is one already.
    pub fn set(&self, why: &str) {
        let mut because = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        because.get_or_insert_with(|| why.to_owned());
    }

    fn get(&self) -> Option<String> {
        let because = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        because.clone()
    }
}

/// The limits of what the page shows.
pub fn window_limits(args: &CaptureArgs) -> WindowLimits {
    WindowLimits {
        keep_ns: args.ring.unwrap_or(USUAL_WINDOW_NS),
        max_bytes: WINDOW_BYTES,
    }
}

/// Lists the current processes, as tables in the style of `ps`.
pub type Processes = Box<dyn FnMut() -> Vec<u8> + Send>;

/// The server that shows a recording.
pub struct Show {
    handle: Handle,
    url: String,
    serving: JoinHandle<Result<(), ServerError>>,
    window: Arc<dyn Recent>,
    because: Because,
    processes: Option<Processes>,
    /// The file that sends the browser to the URL, until the server ends.
    opened: Option<Opened>,
}

impl Show {
    /// Starts the server, which shows what the recorder puts into `window`.
    ///
    /// # Errors
    /// If the port is taken.
    pub fn new(
        args: &CaptureArgs,
        wait: &Wait,
        window: Arc<dyn Recent>,
        processes: Processes,
    ) -> Result<Self> {
        let (counted, ends) = (Arc::clone(&window), wait.sender());
        let server = Server::bind(ServerOptions {
            port: args.live.port,
            live: Some(LiveOptions {
                stats: Arc::new(move || stats(&*counted)),
                stop: Arc::new(move || _ = ends.send(Ended::Page)),
            }),
            ..ServerOptions::default()
        })?;
        Ok(Self {
            handle: server.handle(),
            url: server.url(),
            serving: thread::spawn(move || server.run()),
            window,
            because: Because::default(),
            processes: Some(processes),
            opened: None,
        })
    }

    /// The place where the reason for the end is stored.
    pub fn because(&self) -> Because {
        self.because.clone()
    }

    /// Starts making snapshots as pages request them, until the recording ends. Prints the URL of
    /// the page.
    ///
    /// # Errors
    /// If the URL cannot be printed.
    pub fn begin(&mut self, args: &CaptureArgs) -> Result<()> {
        let processes = self.processes.take().unwrap_or(Box::new(Vec::new));
        let snapshots = Snapshots {
            handle: self.handle.clone(),
            window: Arc::clone(&self.window),
            options: InputArgs::default_for_capture().read_options(&args.name())?,
            processes,
            known: None,
        };
        thread::spawn(move || snapshots.make());
        announce(&self.url)?;
        if !args.live.no_open {
            self.opened = Some(open(&self.url));
        }
        Ok(())
    }

    /// Reports that the recording has ended and its trace is being assembled.
    pub fn saving(&self, ended: Ended) {
        self.handle.saving(&self.why(ended));
    }

    fn why(&self, ended: Ended) -> String {
        let reason = || self.because.get().unwrap_or_default();
        match ended {
            Ended::Time => "The time is up.".to_owned(),
            Ended::Enter => "Ended in the terminal.".to_owned(),
            Ended::Command => "The command has ended.".to_owned(),
            Ended::Signal => "Ended by Ctrl-C in the terminal.".to_owned(),
            Ended::Page => "Ended in the page.".to_owned(),
            Ended::Trigger => format!("The trigger occurred: {}.", reason()),
            Ended::BrokeOff => format!("The recording broke off: {}.", reason()),
        }
    }

    /// Shows the whole trace until Ctrl-C.
    ///
    /// # Errors
    /// If the server fails.
    pub fn whole(self, trace: Arc<Trace>, ended: Ended, written: &str) -> Result<()> {
        let said = format!("{} {written}", self.why(ended));
        // From here on, Ctrl-C ends the program as usual.
        let wait = Wait::new();
        message!("The page shows all of it until Ctrl-C: {}", self.url);
        self.handle.recorded(trace, &said);
        wait.for_signal();
        self.handle.stop();
        match self.serving.join() {
            Ok(served) => Ok(served?),
            Err(panic) => std::panic::resume_unwind(panic),
        }
    }

    /// Reports that there is no trace; the page shows the reason.
    pub fn nothing(self, error: &anyhow::Error) {
        self.handle.not_recorded(&format!("{error:#}"), LAST_WORD);
        self.handle.stop();
        // The server's own result is not needed any more.
        drop(self.serving.join());
    }
}

fn stats(window: &dyn Recent) -> LiveStats {
    let stats = window.stats();
    LiveStats {
        events: stats.events,
        lost: stats.lost,
        bytes: stats.bytes,
    }
}

/// Makes a snapshot of the last seconds whenever a page requests one. It reads only the window,
/// whose size is limited. Thus the cost does not grow with the length of the recording.
struct Snapshots {
    handle: Handle,
    window: Arc<dyn Recent>,
    options: ReadOptions,
    processes: Processes,
    /// The processes, and the time at which they were listed.
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
            // Times count from the first event, so without an event there is nothing to show.
            // Errors are reported when the recording has ended.
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

    /// Reads the contents of the window. Returns an error if nothing has arrived yet.
    fn read(&mut self, most_bytes: usize) -> Result<Trace, ReadError> {
        let options = ReadOptions {
            process_dump: Some(self.processes()),
            ..self.options.clone()
        };
        let recorded = self.window.newest(most_bytes);
        let mut builder = TraceBuilder::new();
        let mut reader = AnyReader::new(options);
        let mut target = Target::Trace(&mut builder);
        reader.whole(&recorded, &mut target)?;
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

/// The size limit for the next snapshot if one of at most `most_bytes` took `cost`. The next one
/// should take [`LONGEST`], but the limit at most doubles, because a snapshot below the limit is a
/// poor measurement.
fn next_most(most_bytes: usize, cost: Duration) -> usize {
    let share = LONGEST.as_secs_f64() / cost.as_secs_f64().max(1e-3);
    let next = most_bytes as f64 * share.min(2.0);
    (next as usize).clamp(LEAST_BYTES, WINDOW_BYTES)
}

/// The process list of an agent; empty if it fails, because the names are only an aid.
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
