//! The status line of a recording: time, amount of data, buffer level, losses.

use std::io;
use std::time::{Duration, Instant};

use indicatif::{DecimalBytes, ProgressBar, ProgressDrawTarget, ProgressStyle};
use traceloom_capture::{Controller, PartKind, Sink, Status};

use super::recording::Recording;
use super::wait::{Ended, Wait};
use crate::print::{plain, thousands};
use crate::progress::{print_line, show};

/// How often the line is updated.
const SHOWN_EVERY: Duration = Duration::from_millis(250);
/// How often losses are checked without a terminal.
const LOOKED_EVERY: Duration = Duration::from_secs(1);
/// Status queries take at most this fraction of the time.
const PARTS: u32 = 20;
/// The time limit for a status query.
const LIMIT: Duration = Duration::from_secs(2);

/// Waits for the end of a recording and shows its status. Losses are reported at once, also without
/// a terminal.
pub fn watch(
    controller: &mut Controller<'_>,
    wait: &Wait,
    time: Option<Duration>,
    losses: &mut Losses,
) -> Ended {
    let (begun, screen) = (Instant::now(), Screen::new(time));
    let mut next_look = begun;
    loop {
        let now = begun.elapsed();
        let left = time.map(|time| time.saturating_sub(now));
        if left == Some(Duration::ZERO) {
            return Ended::Time;
        }
        let pause = screen.pause();
        if let Some(ended) = wait.next(left.map_or(pause, |left| left.min(pause))) {
            return ended;
        }
        if let Some(why) = controller.broke_off() {
            print_line(&format!(
                "Warning: the recording broke off: {}",
                plain(&why)
            ));
            return Ended::BrokeOff;
        }
        screen.tick(begun.elapsed());
        if Instant::now() >= next_look {
            let asked = Instant::now();
            if let Some(status) = controller.status(LIMIT, screen.is_watched()) {
                screen.show(&status);
                losses.look(status.lost);
            }
            next_look = Instant::now() + pause.max(asked.elapsed() * PARTS);
        }
    }
}

/// The status line, if standard error is a terminal.
struct Screen {
    bar: ProgressBar,
}

impl Screen {
    fn new(time: Option<Duration>) -> Self {
        let millis = time.map(|time| time.as_millis() as u64);
        let bar = ProgressBar::with_draw_target(millis, ProgressDrawTarget::stderr());
        let template = match time {
            Some(_) => "recording {bar:20} {prefix}{msg}",
            None => "recording {prefix}{msg}",
        };
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        show((!bar.is_hidden()).then(|| bar.clone()));
        Self { bar }
    }

    fn is_watched(&self) -> bool {
        !self.bar.is_hidden()
    }

    fn pause(&self) -> Duration {
        if self.is_watched() {
            SHOWN_EVERY
        } else {
            LOOKED_EVERY
        }
    }

    fn tick(&self, elapsed: Duration) {
        let asked = self.bar.length();
        let of = asked.map_or(String::new(), |millis| format!(" of {} s", millis / 1000));
        self.bar
            .set_prefix(format!("{:.1} s{of}", elapsed.as_secs_f64()));
        self.bar.set_position(elapsed.as_millis() as u64);
    }

    fn show(&self, status: &Status) {
        self.bar.set_message(words(status));
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        show(None);
        self.bar.finish_and_clear();
    }
}

fn words(status: &Status) -> String {
    let mut words = String::new();
    // perfetto does not report events.
    if status.events > 0 || status.bytes == 0 {
        words += &format!(" · {} events", thousands(status.events));
    }
    words += &format!(" · {}", DecimalBytes(status.bytes));
    if let Some(fill) = status.fill {
        words += &format!(" · buffer {:.0} % full", fill * 100.0);
    }
    if status.lost > 0 {
        words += &format!(" · {} LOST", thousands(status.lost));
    }
    words
}

/// Reports lost events: the first ones at once, then whenever their number has doubled, and the total
/// at the end.
#[derive(Default)]
pub struct Losses {
    reported: u64,
}

impl Losses {
    fn look(&mut self, lost: u64) {
        if lost > 0 && lost >= self.reported.saturating_mul(2) {
            self.report(lost, "so far");
        }
    }

    /// Reports the losses of a recording that was stopped.
    pub fn end(&mut self, controller: &mut Controller<'_>) {
        let lost = controller
            .status(LIMIT, false)
            .map_or(0, |status| status.lost);
        if lost > self.reported {
            self.report(lost, "in all");
        }
    }

    fn report(&mut self, lost: u64, when: &str) {
        self.reported = lost;
        print_line(&format!(
            "Warning: {} events were lost {when}: the kernel's buffer is full. --buf-size enlarges it; \
             for a device, --raw drains it continuously",
            thousands(lost)
        ));
    }
}

/// Forwards collected data and shows its size.
pub struct Collecting<'r> {
    recording: &'r mut Recording,
    bar: ProgressBar,
}

impl<'r> Collecting<'r> {
    /// Forwards data to `recording`.
    pub fn new(recording: &'r mut Recording) -> Self {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
        if let Ok(style) =
            ProgressStyle::with_template("collecting {decimal_bytes} {decimal_bytes_per_sec}")
        {
            bar.set_style(style);
        }
        show((!bar.is_hidden()).then(|| bar.clone()));
        Self { recording, bar }
    }
}

impl Sink for Collecting<'_> {
    fn begin(&mut self, kind: PartKind, name: &str) -> io::Result<()> {
        self.recording.begin(kind, name)
    }

    fn data(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.bar.inc(bytes.len() as u64);
        self.recording.data(bytes)
    }
}

impl Drop for Collecting<'_> {
    fn drop(&mut self) {
        show(None);
        self.bar.finish_and_clear();
    }
}

#[cfg(test)]
mod tests {
    use traceloom_capture::Status;

    use super::words;

    #[test]
    fn only_what_is_known_is_shown() {
        let mut status = Status {
            events: 12_345,
            bytes: 3_000_000,
            ..Status::default()
        };
        assert_eq!(words(&status), " · 12,345 events · 3.00 MB");
        (status.fill, status.lost) = (Some(0.517), 9);
        let expected = " · 12,345 events · 3.00 MB · buffer 52 % full · 9 LOST";
        assert_eq!(words(&status), expected);
    }
}
