//! Where messages go.

use traceloom_capture::{Note, Step};

use crate::print::plain;

/// Where messages about the progress go.
pub enum Console {
    /// As a program that may print its result on standard output.
    Stderr,
    /// As systrace did.
    Stdout,
}

impl Console {
    pub fn say(&self, text: &str) {
        let text: Vec<_> = text.lines().map(plain).collect();
        let text = text.join("\n");
        match self {
            Self::Stderr => eprintln!("{text}"),
            Self::Stdout => println!("{text}"),
        }
    }

    /// Something that went wrong, and did not end it.
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
                eprintln!("Warning: {agent} {what}: {}", plain(&error.to_string()));
            }
            _ => {}
        }
    }
}
