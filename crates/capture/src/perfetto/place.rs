//! The files of a recording on the device, and the shell lines that use them.

use std::time::{SystemTime, UNIX_EPOCH};

use crate::adb::quote;

/// The only folder that both Perfetto's service and the shell may write to.
const TRACES: &str = "/data/misc/perfetto-traces";

/// A folder that the shell may write to.
const MARKS: &str = "/data/local/tmp";

/// How the name of a mark begins; the recording's name follows.
const MARK: &str = "traceloom-perfetto-";

/// Where a recording is on the device: the growing trace, and a mark with the pid of its recorder.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Place {
    pub file: String,
    pub mark: String,
}

impl Place {
    /// A place that no other recording uses. `folder` is used instead of the usual ones.
    pub fn new(folder: Option<&str>) -> Self {
        let since = SystemTime::now().duration_since(UNIX_EPOCH);
        let millis = since.map_or(0, |since| since.as_millis());
        Self::named(folder, &format!("{}-{millis}", std::process::id()))
    }

    fn named(folder: Option<&str>, name: &str) -> Self {
        Self {
            file: format!(
                "{}/traceloom-{name}.perfetto-trace",
                folder.unwrap_or(TRACES)
            ),
            mark: format!("{}/{MARK}{name}", folder.unwrap_or(MARKS)),
        }
    }

    /// The place of a mark with this path, if this program made it.
    pub fn of_mark(folder: Option<&str>, mark: &str) -> Option<Self> {
        let name = mark.rsplit('/').next()?.strip_prefix(MARK)?;
        let is_ours = |c: char| c.is_ascii_digit() || c == '-';
        (!name.is_empty() && name.chars().all(is_ours)).then(|| Self::named(folder, name))
    }

    /// Prints each mark: its path, and then the pid and further lines, after an empty line.
    pub fn list(folder: Option<&str>) -> String {
        let marks = format!("{}/{MARK}", quote(folder.unwrap_or(MARKS)));
        format!("for m in {marks}*; do test -e \"$m\" && echo && echo \"$m\" && cat \"$m\"; done")
    }

    /// Records; reads the configuration from standard input. Prints the pid first, on standard error. If the connection
    /// is lost, adbd sends a hangup and closes the pipes. Both are ignored, because only the guardian ends the
    /// recording then.
    pub fn record(&self, program: &str, options: &str) -> String {
        let (file, mark) = (quote(&self.file), quote(&self.mark));
        format!(
            "trap '' HUP PIPE; {{ echo $$ > {mark}; }} 2>/dev/null; echo {PID}$$ >&2; \
             exec {program}{options} -c - -o {file}"
        )
    }

    /// Waits until the connection ends. Unless it read `done` before, it stops the recording and keeps the
    /// trace for `seconds`.
    pub fn guard(&self, seconds: u64) -> String {
        let (remove, mark) = (self.remove(), quote(&self.mark));
        format!(
            "trap '' HUP INT TERM PIPE; read x; test \"$x\" = done && exit; n=0; \
             {{ read p < {mark}; echo {ABANDONED} >> {mark} || n={seconds}; kill -TERM $p; }} 2>/dev/null; \
             while test -e {mark} && test $n -lt {seconds}; do sleep 1; n=$((n+1)); done; \
             test $n -lt {seconds} || {remove}"
        )
    }

    /// Removes both files.
    pub fn remove(&self) -> String {
        format!("rm -f {} {}", quote(&self.file), quote(&self.mark))
    }

    /// Prints the file from this byte on. Before Android 10, `adb pull` has no permission to read it.
    pub fn rest(&self, offset: u64) -> String {
        format!("exec tail -c +{} {}", offset + 1, quote(&self.file))
    }
}

/// Precedes the pid of perfetto.
pub(super) const PID: &str = "traceloom-pid ";

/// A line in the mark of a recording whose host has died.
pub(super) const ABANDONED: &str = "abandoned";
