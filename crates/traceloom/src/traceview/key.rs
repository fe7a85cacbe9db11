//! The key section as Traceview reads it. If Traceview refuses it ([`Refusal`]), the caller tries
//! traceloom's own reader, which accepts more.

use super::java::{Lines, ascii, decode_int, decode_long, split_tabs};

/// The reason why Traceview cannot open a file, for stderr.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Refusal(pub(crate) String);

/// The clocks of the records. Traceview knows three; it treats any other value of `clock=`, or
/// none, as the thread CPU clock.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Clock {
    ThreadCpu,
    Wall,
    Dual,
}

impl Clock {
    pub(crate) fn has_cpu(self) -> bool {
        self != Self::Wall
    }

    pub(crate) fn has_wall(self) -> bool {
        self != Self::ThreadCpu
    }
}

/// The text part of a trace.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Key {
    pub(crate) version: i32,
    pub(crate) clock: Clock,
    /// Thread ids and names in file order; ids may repeat.
    pub(crate) threads: Vec<(i32, String)>,
    /// Method ids and printed names in file order; ids may repeat.
    pub(crate) methods: Vec<(i32, String)>,
    /// Where the binary part starts, bytes. Every line end counts as one byte, as in Traceview.
    pub(crate) data_offset: usize,
}

enum Section {
    Version,
    Options,
    Threads,
    Methods,
}

impl Key {
    pub(crate) fn parse(bytes: &[u8]) -> Result<Self, Refusal> {
        let mut key = Self {
            version: 0,
            clock: Clock::ThreadCpu,
            threads: Vec::new(),
            methods: Vec::new(),
            data_offset: 0,
        };
        let mut section = Section::Version;
        for line in Lines::new(bytes) {
            key.data_offset += line.len() + 1;
            section = match line {
                b"*end" => return Ok(key),
                b"*version" => Section::Version,
                b"*threads" => Section::Threads,
                b"*methods" => Section::Methods,
                _ => key.line(section, &ascii(line))?,
            };
        }
        Err(Refusal("the key section has no *end".into()))
    }

    fn line(&mut self, section: Section, line: &str) -> Result<Section, Refusal> {
        match section {
            Section::Version => {
                let no_number = || Refusal("its first lines tell no version number".into());
                self.version = decode_int(line).ok_or_else(no_number)?;
                return Ok(Section::Options);
            }
            Section::Options => self.option(line),
            Section::Threads => self.thread(line)?,
            Section::Methods => self.methods.push(method(line)?),
        }
        Ok(section)
    }

    fn option(&mut self, line: &str) {
        self.clock = match line {
            "clock=thread-cpu" => Clock::ThreadCpu,
            "clock=wall" => Clock::Wall,
            "clock=dual" => Clock::Dual,
            _ => self.clock,
        };
    }

    /// Parses a thread line: the first tab after a digit separates id and name. Other lines are
    /// skipped.
    fn thread(&mut self, line: &str) -> Result<(), Refusal> {
        for (tab, _) in line.match_indices('\t') {
            let (head, name) = (&line[..tab], &line[tab + 1..]);
            let id = &head[head.trim_end_matches(|c: char| c.is_ascii_digit()).len()..];
            if !id.is_empty() {
                let id = decode_int(id).ok_or_else(|| refused("thread", line))?;
                self.threads.push((id, name.to_owned()));
                break;
            }
        }
        Ok(())
    }
}

/// Parses a method line: id, class and, if there are more fields, name and signature. Like
/// Traceview, it takes four or five fields without a signature as class, file and line.
fn method(line: &str) -> Result<(i32, String), Refusal> {
    let refuse = || refused("method", line);
    let fields = split_tabs(line);
    let id = decode_long(fields[0]).ok_or_else(refuse)? as i32;
    let class = *fields.get(1).ok_or_else(refuse)?;
    let has_signature = match fields.len() {
        2 => false,
        3 => return Err(refuse()),
        6 => {
            decode_int(fields[5]).ok_or_else(refuse)?;
            true
        }
        _ => {
            let signed = fields[3].starts_with('(');
            if !signed {
                decode_int(fields[3]).ok_or_else(refuse)?;
            }
            signed
        }
    };
    Ok(if has_signature {
        (id, format!("{class}.{} {}", fields[2], fields[3]))
    } else {
        (id, class.to_owned())
    })
}

fn refused(what: &str, line: &str) -> Refusal {
    let shown: String = line.chars().take(80).collect();
    Refusal(format!("it cannot read the {what} line {shown:?}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "*version\n3\nclock=dual\nvm=art\n*threads\n1\tmain\nx 12\ta\tb\nnone\n*methods\n\
        0x4\ta.B\tc\t()V\tB.java\n0x8\tp/Q\tr\t()I\tQ.java\t-1\n0xc\tOnly\n0x10\tX\tf.c\t7\n*end\nSLOW";

    #[test]
    fn sections() {
        let key = Key::parse(TEXT.as_bytes()).unwrap();
        assert_eq!((key.version, key.clock), (3, Clock::Dual));
        assert_eq!(key.threads, [(1, "main".into()), (12, "a\tb".into())]);
        let names: Vec<_> = key.methods.iter().map(|(_, name)| name.as_str()).collect();
        assert_eq!(names, ["a.B.c ()V", "p/Q.r ()I", "Only", "X"]);
        assert_eq!(&TEXT.as_bytes()[key.data_offset..], b"SLOW");
    }

    #[test]
    fn refusals() {
        for bad in [
            "*version\nx\n*end\n",
            "*version\n3\n",
            "*methods\n0x4\tA\tb\n*end\n",
            "*methods\nhello\tA\n*end\n",
            "*methods\n0x4\tA\tb\tno signature\n*end\n",
        ] {
            assert!(Key::parse(bad.as_bytes()).is_err(), "{bad}");
        }
    }
}
