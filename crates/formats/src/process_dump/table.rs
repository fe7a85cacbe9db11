//! Tables printed by `ps`. A title line names the columns.
//!
//! ```text
//! USER    PID  PPID  VSIZE  RSS  WCHAN      ADDR S NAME          COMM        systrace
//! USER    PID  TID CMD                                                       systrace, threads
//! USER    PID  TID  PPID  VSZ  RSS  WCHAN  ADDR S CMD                        toybox, ps -AT
//! USER    PID  PPID  VSIZE  RSS  WCHAN      PC        NAME                   toolbox; rows have a state
//! USER    PID %CPU %MEM  VSZ  RSS TTY  STAT START  TIME COMMAND              procps, ps aux
//! UID     PID  PPID  LWP  C NLWP STIME TTY  TIME CMD                         procps, ps -eLf
//! PID USER  VSZ STAT COMMAND                                                 busybox
//! ```

use super::title::Title;

/// The columns of a table.
#[derive(Clone, Debug)]
pub(super) struct Columns {
    /// Titles before the first name; their values have no spaces.
    before: Vec<Title>,
    /// The name columns, one or two.
    names: Vec<Title>,
    /// Titles after the last name.
    after: Vec<Title>,
    style: Style,
}

/// How the rows of a table differ from its titles.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Style {
    Plain,
    /// A state without a title comes before the name. In `ps -t`, a thread's row follows the row of
    /// its process, and the thread's PPID is the process's number.
    Toolbox,
    /// The name is a command line.
    CommandLine,
}

/// One row of a table.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Row<'a> {
    pub user: &'a [u8],
    pub pid: i64,
    pub ppid: Option<i64>,
    /// The thread id, in a table of threads.
    pub tid: Option<i64>,
    /// The size of the address space, as printed.
    pub size: &'a [u8],
    /// The process's name; with a command line, its first word.
    pub process: &'a [u8],
    /// The name of the row's thread.
    pub thread: &'a [u8],
    /// The command line.
    pub command: &'a [u8],
}

impl Columns {
    /// Parses a title line; `None` for any other line.
    pub fn read(line: &[u8]) -> Option<Self> {
        const MOST_COLUMNS: usize = 40;
        if line.iter().any(u8::is_ascii_lowercase) {
            return None;
        }
        let words = line.split(u8::is_ascii_whitespace);
        let words: Vec<&[u8]> = words.filter(|word| !word.is_empty()).collect();
        let titles: Vec<Title> = words
            .iter()
            .take(MOST_COLUMNS)
            .map(|w| Title::read(w))
            .collect();
        let (before, rest) = titles.split_at(titles.iter().position(|title| title.is_name())?);
        let named = rest.iter().take_while(|title| title.is_name()).count();
        let (names, after) = rest.split_at(named);
        let is_table = titles.contains(&Title::Pid)
            && named <= 2
            && words.len() <= MOST_COLUMNS
            && !after.iter().any(|title| title.is_name());
        is_table.then(|| Self {
            before: before.to_vec(),
            names: names.to_vec(),
            after: after.to_vec(),
            style: Style::of(&titles, names),
        })
    }

    /// Whether the rows of threads look like those of processes.
    pub fn is_toolbox(&self) -> bool {
        self.style == Style::Toolbox
    }

    /// Splits a row into its values; `None` if it does not fit the titles.
    pub fn row<'a>(&self, line: &'a [u8]) -> Option<Row<'a>> {
        let mut row = Row {
            pid: -1,
            ..Row::default()
        };
        let mut rest = line;
        for title in &self.before {
            let (word, after) = next_word(rest)?;
            rest = after;
            row.put(*title, word)?;
        }
        for title in self.after.iter().rev() {
            let (before, word) = last_word(rest)?;
            rest = before;
            row.put(*title, word)?;
        }
        if row.pid < 0 {
            return None;
        }
        self.put_names(self.without_state(rest).trim_ascii(), &mut row);
        Some(row)
    }

    /// The text after values that have no title: toolbox prints a state letter, and busybox prints
    /// the priority after the state.
    fn without_state<'a>(&self, rest: &'a [u8]) -> &'a [u8] {
        match (next_word(rest), self.before.last()) {
            (Some(([letter], after)), _) if self.is_toolbox() && !after.is_empty() => {
                if letter.is_ascii_uppercase() {
                    after
                } else {
                    rest
                }
            }
            (Some((b"<" | b"N", after)), Some(Title::State)) if !after.is_empty() => after,
            _ => rest,
        }
    }

    fn put_names<'a>(&self, text: &'a [u8], row: &mut Row<'a>) {
        let (first, second) = match self.names.len() {
            2 => split_names(text),
            _ => (text, &[][..]),
        };
        for (title, name) in self.names.iter().zip([first, second]) {
            match title {
                _ if self.style == Style::CommandLine => row.put_command(name),
                Title::Command | Title::CommandLine if row.tid.is_some() => row.thread = name,
                // The path of the program. For every app, it is the path of the runtime.
                Title::Program => {}
                _ => row.process = name,
            }
        }
    }
}

impl Style {
    fn of(titles: &[Title], names: &[Title]) -> Self {
        let has = |title| titles.contains(&title);
        if has(Title::Counter) && !has(Title::State) && !has(Title::Tid) {
            return Self::Toolbox;
        }
        let has_commands = match names {
            [Title::CommandLine] => has(Title::Start) || !has(Title::Tid),
            [Title::Command] => has(Title::Start),
            _ => false,
        };
        if has_commands {
            Self::CommandLine
        } else {
            Self::Plain
        }
    }
}

impl<'a> Row<'a> {
    fn put(&mut self, title: Title, word: &'a [u8]) -> Option<()> {
        match title {
            Title::User => self.user = word,
            Title::Pid => self.pid = number(word)?,
            Title::Ppid if word == b"?" => {}
            Title::Ppid => self.ppid = Some(number(word)?),
            Title::Tid => self.tid = Some(number(word)?),
            Title::Size => self.size = word,
            _ => {}
        }
        Some(())
    }

    /// Parses `/usr/bin/program --option`, `[kworker/0:1]` and busybox's `{name} /bin/sh script`.
    fn put_command(&mut self, mut text: &'a [u8]) {
        if let Some(inner) = text.strip_prefix(b"{")
            && let Some(end) = memchr::memchr(b'}', inner)
        {
            self.thread = &inner[..end];
            text = inner[end + 1..].trim_ascii();
        }
        self.command = text;
        let (first, _) = next_word(text).unwrap_or((text, &[]));
        let is_title = text.starts_with(b"[") || first.ends_with(b":");
        self.process = if is_title { text } else { first };
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

fn last_word(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let text = text.trim_ascii_end();
    let start = text.iter().rposition(u8::is_ascii_whitespace);
    let start = start.map_or(0, |blank| blank + 1);
    (!text.is_empty()).then(|| text.split_at(start))
}

/// Splits two names. They are separated by padding, or by one space if the first name is long.
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

    /// Parses one row: pid, tid, process and thread.
    fn row(titles: &str, line: &str) -> (i64, Option<i64>, String, String) {
        let columns = Columns::read(titles.as_bytes()).unwrap_or_else(|| panic!("{titles}"));
        let row = columns.row(line.as_bytes());
        let row = row.unwrap_or_else(|| panic!("{line}"));
        let text = |name: &[u8]| String::from_utf8_lossy(name).into_owned();
        (row.pid, row.tid, text(row.process), text(row.thread))
    }

    /// The titles of a table, one of its rows, and the expected values.
    type Case = (
        &'static str,
        &'static str,
        (i64, Option<i64>, &'static str, &'static str),
    );

    const CASES: &[Case] = &[
        (
            "USER           PID  PPID     VSZ    RSS WCHAN  PC S NAME                        COMM",
            "root   1     0   64612  12308 do_epoll_wait 0 S init                  init",
            (1, None, "init", ""),
        ),
        (
            "USER           PID  PPID     VSZ    RSS WCHAN  PC S NAME                        COMM",
            "root 460 2 0 0 irq_thread 0 S [irq/41-sig tx]   4",
            (460, None, "[irq/41-sig tx]", ""),
        ),
        (
            "USER PID TID CMD",
            "system 812 1177 B Binder:812_4 x",
            (812, Some(1177), "", "B Binder:812_4 x"),
        ),
        (
            "USER     PID   PPID  VSIZE  RSS     WCHAN    PC        NAME",
            "root      1     0     640    496   c00c520c 00019fb8 S /init",
            (1, None, "/init", ""),
        ),
        (
            "USER           PID   TID  PPID     VSZ    RSS WCHAN            ADDR S CMD",
            "u0_a66        2311  2350   712 1500  88 SyS_epoll_wait      0 S Jit thread pool",
            (2311, Some(2350), "", "Jit thread pool"),
        ),
        (
            "USER           PID  PPID     VSZ    RSS WCHAN            ADDR S NAME",
            "u0_a66        2311   712 1500000  88000 SyS_epoll_wait      0 S com.example:remote",
            (2311, None, "com.example:remote", ""),
        ),
        (
            "PID TID NAME CMD",
            "2311 2350 com.example   RenderThread",
            (2311, Some(2350), "com.example", "RenderThread"),
        ),
        (
            "USER         PID %CPU %MEM    VSZ   RSS TTY      STAT START   TIME COMMAND",
            "root           1  0.0  0.1 168424 11768 ?        Ss   Nov23   0:03 /sbin/init splash",
            (1, None, "/sbin/init", ""),
        ),
        (
            "USER         PID %CPU %MEM    VSZ   RSS TTY      STAT START   TIME COMMAND",
            "pg  900  0.0  0.1 1 1 ?        Ss   10:03   0:03 postgres: background writer",
            (900, None, "postgres: background writer", ""),
        ),
        (
            "UID          PID    PPID  C STIME TTY          TIME CMD",
            "root          10       2  0 Nov23 ?        00:00:00 [mm_percpu_wq]",
            (10, None, "[mm_percpu_wq]", ""),
        ),
        (
            "UID          PID    PPID     LWP  C NLWP STIME TTY          TIME CMD",
            "root         340       1     355  0    3 Nov23 ?        00:00:00 /usr/sbin/rsyslogd -n",
            (340, Some(355), "/usr/sbin/rsyslogd", ""),
        ),
        (
            "    PID     LWP TTY          TIME CMD",
            "    340     355 ?        00:00:00 in:imuxsock",
            (340, Some(355), "", "in:imuxsock"),
        ),
        (
            "    PID     TID COMMAND",
            "    340     355 rs:main Q:Reg",
            (340, Some(355), "", "rs:main Q:Reg"),
        ),
        (
            "PID USER       VSZ STAT COMMAND",
            "77 root         0 SW<  [kworker/u:1]",
            (77, None, "[kworker/u:1]", ""),
        ),
        (
            "PID USER       VSZ STAT COMMAND",
            "78 root      1200 S <  {rcS} /bin/sh /etc/init.d/rcS",
            (78, None, "/bin/sh", "rcS"),
        ),
        (
            "CMD               PPID   PID USER",
            "a name           1    33 root",
            (33, None, "a name", ""),
        ),
    ];

    #[test]
    fn every_table() {
        for (titles, line, (pid, tid, process, thread)) in CASES {
            let expected = (*pid, *tid, (*process).to_owned(), (*thread).to_owned());
            assert_eq!(row(titles, line), expected, "{line}");
        }
    }

    #[test]
    fn a_command_line_is_kept() {
        let columns = Columns::read(b"USER PID START COMMAND").unwrap();
        let row = columns.row(b"root 5 10:00 /bin/cat -n x").unwrap();
        assert_eq!(
            (row.process, row.command),
            (&b"/bin/cat"[..], &b"/bin/cat -n x"[..])
        );
    }

    #[test]
    fn what_is_no_table() {
        for text in ["USER and PID are words", "", "PROCESS DUMP", "NAME", "PID"] {
            assert!(Columns::read(text.as_bytes()).is_none(), "{text}");
        }
        let columns = Columns::read(b"USER PID NAME").unwrap();
        assert_eq!(columns.row(b"root x init"), None);
        assert_eq!(columns.row(b"root -1 init"), None);
        assert_eq!(columns.row(b""), None);
    }
}
