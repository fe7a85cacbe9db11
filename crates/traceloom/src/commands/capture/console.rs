//! The output stream for messages of `capture` and `systrace`.

use std::io::{self, Write};

use traceloom_capture::{Note, Step};

use crate::print::{message, plain};

/// The stream for progress messages.
pub enum Console {
    /// Standard error, because standard output may carry the result.
    Stderr,
    /// Standard output, as in systrace.
    Stdout,
}

impl Console {
    pub fn say(&self, text: &str) {
        let text: Vec<_> = text.lines().map(plain).collect();
        let text = text.join("\n");
        match self {
            Self::Stderr => message!("{text}"),
            // The reader may be gone.
            Self::Stdout => _ = writeln!(io::stdout(), "{text}"),
        }
    }

    /// A problem that does not end the recording.
    pub fn warn(&self, note: &Note) {
        match note {
            Note::Said { text, .. } => self.say(text),
            Note::Failed { agent, step, error } => {
                let what = match step {
                    Step::Start => "did not start",
                    Step::Mark => "could not mark the time",
                    Step::Stop => "did not stop",
                    Step::Collect => "did not hand over everything",
                    _ => "failed",
                };
                message!("Warning: {agent} {what}: {}", plain(&error.to_string()));
            }
            _ => {}
        }
    }
}
