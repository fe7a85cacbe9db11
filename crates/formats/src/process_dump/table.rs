//! Tables printed by `ps`. A line of titles names the columns.
//!
//! ```text
//! USER    PID  PPID  VSIZE  RSS  WCHAN      ADDR S NAME          COMM        systrace
//! USER    PID  TID CMD                                                       systrace, threads
//! USER    PID  PPID  VSIZE  RSS  WCHAN      PC        NAME                   toolbox; rows have a state
//! ```

/// What the columns of a table are.
#[derive(Clone, Debug)]
pub(super) struct Columns {
    /// Titles before the first name column; their values have no spaces.
    plain: Vec<Title>,
    /// The name columns, at most two.
    names: Vec<Title>,
    has_state: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Title {
    User,
    Pid,
    Ppid,
    Tid,
    State,
    Name,
    Comm,
    Other,
}

/// One row of a table.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Row<'a> {
    pub user: &'a [u8],
    pub pid: i64,
    pub ppid: Option<i64>,
    /// The thread, in a table of threads.
    pub tid: Option<i64>,
    /// The process's name; in a table of threads, the thread's.
    pub name: &'a [u8],
    /// The main thread's name.
    pub comm: &'a [u8],
}

impl Title {
    fn read(word: &[u8]) -> Self {
        match word {
            b"USER" | b"UID" => Self::User,
            b"PID" => Self::Pid,
            b"PPID" => Self::Ppid,
            b"TID" | b"LWP" | b"SPID" => Self::Tid,
            b"S" | b"STAT" => Self::State,
            b"NAME" | b"CMD" | b"COMMAND" | b"ARGS" | b"CMDLINE" => Self::Name,
            b"COMM" => Self::Comm,
            _ => Self::Other,
        }
    }

    fn is_name(self) -> bool {
        matches!(self, Self::Name | Self::Comm)
    }
}

fn words(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    line.split(u8::is_ascii_whitespace)
        .filter(|word| !word.is_empty())
}

impl Columns {
    /// Reads a line of titles; `None` for any other line.
    pub fn read(line: &[u8]) -> Option<Self> {
        let titles: Vec<Title> = words(line).take(32).map(Title::read).collect();
        let first_name = titles.iter().position(|title| title.is_name())?;
        let (plain, names) = titles.split_at(first_name);
        let is_table = plain.contains(&Title::Pid)
            && names.len() <= 2
            && names.iter().all(|title| title.is_name());
        is_table.then(|| Self {
            plain: plain.to_vec(),
            names: names.to_vec(),
            has_state: plain.contains(&Title::State),
        })
    }

    /// Takes a row apart; `None` if it does not fit the titles.
    pub fn row<'a>(&self, line: &'a [u8]) -> Option<Row<'a>> {
        let mut row = Row {
            pid: -1,
            ..Row::default()
        };
        let mut rest = line;
        for title in &self.plain {
            let (word, after) = next_word(rest)?;
            rest = after;
            match title {
                Title::User => row.user = word,
                Title::Pid => row.pid = number(word)?,
                Title::Ppid => row.ppid = Some(number(word)?),
                Title::Tid => row.tid = Some(number(word)?),
                _ => {}
            }
        }
        if !self.has_state {
            rest = without_state(rest);
        }
        self.put_names(rest.trim_ascii(), &mut row);
        Some(row)
    }

    fn put_names<'a>(&self, text: &'a [u8], row: &mut Row<'a>) {
        let (first, second) = match self.names.len() {
            2 => split_names(text),
            _ => (text, &[][..]),
        };
        for (title, name) in self.names.iter().zip([first, second]) {
            match title {
                Title::Comm => row.comm = name,
                _ => row.name = name,
            }
        }
        // Some toyboxes print the first digits of the PID there.
        if row.pid.to_string().as_bytes().starts_with(row.comm) {
            row.comm = &[];
        }
    }
}

fn number(word: &[u8]) -> Option<i64> {
    std::str::from_utf8(word)
        .ok()?
        .parse()
        .ok()
        .filter(|number| *number >= 0)
}

fn next_word(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let text = text.trim_ascii_start();
    let end = text
        .iter()
        .position(u8::is_ascii_whitespace)
        .unwrap_or(text.len());
    (end > 0).then(|| text.split_at(end))
}

/// toolbox prints a state letter that its titles do not announce.
fn without_state(rest: &[u8]) -> &[u8] {
    match next_word(rest) {
        Some(([letter], after)) if letter.is_ascii_uppercase() && !after.is_empty() => after,
        _ => rest,
    }
}

/// Two names are padded apart; a long first one leaves a single space.
fn split_names(text: &[u8]) -> (&[u8], &[u8]) {
    let wide = memchr::memmem::find(text, b"  ");
    match wide.or_else(|| memchr::memrchr(b' ', text)) {
        Some(gap) => (&text[..gap], text[gap..].trim_ascii()),
        None => (text, &[]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row<'a>(titles: &str, line: &'a str) -> Row<'a> {
        let columns = Columns::read(titles.as_bytes()).unwrap_or_else(|| panic!("{titles}"));
        columns
            .row(line.as_bytes())
            .unwrap_or_else(|| panic!("{line}"))
    }

    #[test]
    fn every_table() {
        let newer =
            "USER           PID  PPID     VSZ    RSS WCHAN  PC S NAME                        COMM";
        let init = row(
            newer,
            "root   1     0   64612  12308 do_epoll_wait 0 S init                  init",
        );
        assert_eq!(
            (init.pid, init.ppid, init.name, init.comm),
            (1, Some(0), &b"init"[..], &b"init"[..])
        );
        let kernel = row(newer, "root 460 2 0 0 irq_thread 0 S [irq/41-sig tx]   4");
        assert_eq!(
            (kernel.name, kernel.comm),
            (&b"[irq/41-sig tx]"[..], &b""[..])
        );
        let thread = row("USER PID TID CMD", "system 812 1177 Binder:812_4 x");
        assert_eq!(
            (thread.pid, thread.tid, thread.name),
            (812, Some(1177), &b"Binder:812_4 x"[..])
        );
        let toolbox = "USER     PID   PPID  VSIZE  RSS     WCHAN    PC        NAME";
        let older = row(
            toolbox,
            "root      1     0     640    496   c00c520c 00019fb8 S /init",
        );
        assert_eq!((older.pid, older.name), (1, &b"/init"[..]));
    }

    #[test]
    fn what_is_no_table() {
        assert!(Columns::read(b"USER and PID are words").is_none());
        assert!(Columns::read(b"").is_none());
        let columns = Columns::read(b"USER PID NAME");
        assert_eq!(
            columns.and_then(|columns| columns.row(b"root x init")),
            None
        );
    }
}
