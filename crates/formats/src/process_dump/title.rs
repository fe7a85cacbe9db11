//! The column titles of a `ps` table.

/// The content of a column.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Title {
    User,
    Pid,
    Ppid,
    Tid,
    State,
    /// The size of the address space.
    Size,
    /// The program counter, which only toolbox prints.
    Counter,
    /// When the process started. Only a full listing has it, and its command is a command line.
    Start,
    /// The process's name.
    Name,
    /// The name of the row's thread, or of the process in a table of processes.
    Command,
    /// A command line, or a thread's name in a table of threads.
    CommandLine,
    /// The path of the program.
    Program,
    Other,
}

impl Title {
    pub fn read(word: &[u8]) -> Self {
        match word {
            b"USER" | b"UID" | b"EUSER" | b"RUSER" => Self::User,
            b"PID" | b"TGID" => Self::Pid,
            b"PPID" => Self::Ppid,
            b"TID" | b"LWP" | b"SPID" => Self::Tid,
            b"S" | b"STAT" => Self::State,
            b"VSIZE" | b"VSZ" => Self::Size,
            b"PC" => Self::Counter,
            b"STIME" | b"START" | b"STARTED" => Self::Start,
            b"NAME" => Self::Name,
            b"CMD" => Self::Command,
            b"COMMAND" | b"ARGS" | b"CMDLINE" => Self::CommandLine,
            b"COMM" => Self::Program,
            _ => Self::Other,
        }
    }

    pub fn is_name(self) -> bool {
        matches!(
            self,
            Self::Name | Self::Command | Self::CommandLine | Self::Program
        )
    }
}
