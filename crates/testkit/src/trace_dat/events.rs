//! Events: format files and encoding.

use super::Machine;

/// A value of an event's field.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum DatValue {
    /// A number.
    Number(i64),
    /// Text in the event itself, or after its fields (`__data_loc`).
    Text(String),
}

impl From<i64> for DatValue {
    fn from(number: i64) -> Self {
        Self::Number(number)
    }
}

impl From<&str> for DatValue {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

/// An event with the values of its fields, in order.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DatEvent {
    /// Time, ns.
    pub ts: u64,
    /// The CPU.
    pub cpu: usize,
    /// The thread.
    pub tid: u32,
    /// Name of the event.
    pub name: &'static str,
    /// Its fields.
    pub values: Vec<DatValue>,
}

/// The type of a field: its C declaration and encoding.
struct Field(&'static str, Bytes);

#[derive(Clone, Copy)]
enum Bytes {
    /// A number: size in bytes, and whether it is signed.
    Number(usize, bool),
    /// The kernel's `long`.
    Long(bool),
    /// Text with a fixed size, bytes.
    Text(usize),
    /// Text up to the end of the event.
    Rest,
    /// Text after the fields.
    Loc,
}

struct Format {
    system: &'static str,
    name: &'static str,
    id: u16,
    fields: &'static [Field],
    print_fmt: &'static str,
}

use Bytes::*;

const I32: Bytes = Number(4, true);
const U32: Bytes = Number(4, false);

const FORMATS: &[Format] = &[
    Format {
        system: "ftrace",
        name: "function",
        id: 1,
        fields: &[
            Field("unsigned long ip", Long(false)),
            Field("unsigned long parent_ip", Long(false)),
        ],
        print_fmt: r#"" %ps <-- %ps", (void *)REC->ip, (void *)REC->parent_ip"#,
    },
    Format {
        system: "ftrace",
        name: "print",
        id: 5,
        fields: &[
            Field("unsigned long ip", Long(false)),
            Field("char buf[]", Rest),
        ],
        print_fmt: r#""%ps: %s", (void *)REC->ip, REC->buf"#,
    },
    Format {
        system: "ftrace",
        name: "bprint",
        id: 6,
        fields: &[
            Field("unsigned long ip", Long(false)),
            Field("const char * fmt", Long(false)),
            Field("u32 buf[]", Rest),
        ],
        print_fmt: r#""%ps: %s", (void *)REC->ip, REC->fmt"#,
    },
    Format {
        system: "ftrace",
        name: "funcgraph_exit",
        id: 10,
        fields: &[
            Field("unsigned long func", Long(false)),
            Field("unsigned long long calltime", Number(8, false)),
            Field("unsigned long long rettime", Number(8, false)),
            Field("unsigned int depth", U32),
        ],
        print_fmt: r#""<-- %ps (%d)", (void *)REC->func, REC->depth"#,
    },
    Format {
        system: "ftrace",
        name: "funcgraph_entry",
        id: 11,
        fields: &[
            Field("unsigned long func", Long(false)),
            Field("unsigned int depth", U32),
        ],
        print_fmt: r#""--> %ps (%d)", (void *)REC->func, REC->depth"#,
    },
    Format {
        system: "irq",
        name: "softirq_entry",
        id: 100,
        fields: &[Field("unsigned int vec", U32)],
        print_fmt: r#""vec=%u [action=%s]", REC->vec, __print_symbolic(REC->vec, { 0, "HI" }, { 1, "TIMER" }, { 7, "SCHED" })"#,
    },
    Format {
        system: "irq",
        name: "softirq_exit",
        id: 101,
        fields: &[Field("unsigned int vec", U32)],
        print_fmt: r#""vec=%u [action=%s]", REC->vec, __print_symbolic(REC->vec, { 0, "HI" }, { 1, "TIMER" }, { 7, "SCHED" })"#,
    },
    Format {
        system: "irq",
        name: "irq_handler_entry",
        id: 102,
        fields: &[Field("int irq", I32), Field("__data_loc char[] name", Loc)],
        print_fmt: r#""irq=%d name=%s", REC->irq, __get_str(name)"#,
    },
    Format {
        system: "irq",
        name: "irq_handler_exit",
        id: 103,
        fields: &[Field("int irq", I32), Field("int ret", I32)],
        print_fmt: r#""irq=%d ret=%s", REC->irq, REC->ret ? "handled" : "unhandled""#,
    },
    Format {
        system: "block",
        name: "block_rq_issue",
        id: 200,
        fields: &[
            Field("dev_t dev", U32),
            Field("sector_t sector", Number(8, false)),
            Field("unsigned int nr_sector", U32),
            Field("unsigned int bytes", U32),
            Field("char rwbs[8]", Text(8)),
            Field("char comm[16]", Text(16)),
            Field("__data_loc char[] cmd", Loc),
        ],
        print_fmt: r#""%d,%d %s %u (%s) %llu + %u [%s]", ((unsigned int) ((REC->dev) >> 20)), ((unsigned int) ((REC->dev) & ((1U << 20) - 1))), REC->rwbs, REC->bytes, __get_str(cmd), (unsigned long long)REC->sector, REC->nr_sector, REC->comm"#,
    },
    Format {
        system: "block",
        name: "block_rq_complete",
        id: 201,
        fields: &[
            Field("dev_t dev", U32),
            Field("sector_t sector", Number(8, false)),
            Field("unsigned int nr_sector", U32),
            Field("int error", I32),
            Field("char rwbs[8]", Text(8)),
            Field("__data_loc char[] cmd", Loc),
        ],
        print_fmt: r#""%d,%d %s (%s) %llu + %u [%d]", ((unsigned int) ((REC->dev) >> 20)), ((unsigned int) ((REC->dev) & ((1U << 20) - 1))), REC->rwbs, __get_str(cmd), (unsigned long long)REC->sector, REC->nr_sector, REC->error"#,
    },
    Format {
        system: "power",
        name: "cpu_idle",
        id: 300,
        fields: &[Field("u32 state", U32), Field("u32 cpu_id", U32)],
        print_fmt: r#""state=%lu cpu_id=%lu", (unsigned long)REC->state, (unsigned long)REC->cpu_id"#,
    },
    Format {
        system: "power",
        name: "cpu_frequency",
        id: 301,
        fields: &[Field("u32 state", U32), Field("u32 cpu_id", U32)],
        print_fmt: r#""state=%lu cpu_id=%lu", (unsigned long)REC->state, (unsigned long)REC->cpu_id"#,
    },
    Format {
        system: "sched",
        name: "sched_switch",
        id: 310,
        fields: &[
            Field("char prev_comm[16]", Text(16)),
            Field("pid_t prev_pid", I32),
            Field("int prev_prio", I32),
            Field("long prev_state", Long(true)),
            Field("char next_comm[16]", Text(16)),
            Field("pid_t next_pid", I32),
            Field("int next_prio", I32),
        ],
        print_fmt: r#""prev_comm=%s prev_pid=%d prev_prio=%d prev_state=%s%s ==> next_comm=%s next_pid=%d next_prio=%d", REC->prev_comm, REC->prev_pid, REC->prev_prio, (REC->prev_state & ((((0x0000 | 0x0001 | 0x0002 | 0x0004 | 0x0008 | 0x0010 | 0x0020 | 0x0040) + 1) << 1) - 1)) ? __print_flags(REC->prev_state & ((((0x0000 | 0x0001 | 0x0002 | 0x0004 | 0x0008 | 0x0010 | 0x0020 | 0x0040) + 1) << 1) - 1), "|", { 0x0001, "S" }, { 0x0002, "D" }, { 0x0004, "T" }, { 0x0008, "t" }, { 0x0010, "X" }, { 0x0020, "Z" }, { 0x0040, "P" }, { 0x0080, "I" }) : "R", REC->prev_state & (((0x0000 | 0x0001 | 0x0002 | 0x0004 | 0x0008 | 0x0010 | 0x0020 | 0x0040) + 1) << 1) ? "+" : "", REC->next_comm, REC->next_pid, REC->next_prio"#,
    },
    Format {
        system: "sched",
        name: "sched_waking",
        id: 311,
        fields: WAKE,
        print_fmt: WAKE_PRINT,
    },
    Format {
        system: "sched",
        name: "sched_wakeup",
        id: 312,
        fields: WAKE,
        print_fmt: WAKE_PRINT,
    },
    Format {
        system: "sched",
        name: "sched_process_fork",
        id: 313,
        fields: &[
            Field("char parent_comm[16]", Text(16)),
            Field("pid_t parent_pid", I32),
            Field("char child_comm[16]", Text(16)),
            Field("pid_t child_pid", I32),
        ],
        print_fmt: r#""comm=%s pid=%d child_comm=%s child_pid=%d", REC->parent_comm, REC->parent_pid, REC->child_comm, REC->child_pid"#,
    },
    Format {
        system: "kmem",
        name: "kmalloc",
        id: 400,
        fields: &[
            Field("unsigned long call_site", Long(false)),
            Field("const void * ptr", Long(false)),
            Field("size_t bytes_req", Long(false)),
            Field("unsigned int gfp_flags", U32),
        ],
        print_fmt: r#""call_site=%pS ptr=%p bytes_req=%zu gfp_flags=%s", (void *)REC->call_site, REC->ptr, REC->bytes_req, (REC->gfp_flags) ? __print_flags(REC->gfp_flags, "|", { (unsigned long)(((( gfp_t)0x400u) | (( gfp_t)0x800u))), "GFP_KERNEL" }, { ( unsigned long)(( gfp_t)0x100u), "__GFP_ZERO" }) : "none""#,
    },
];

const WAKE: &[Field] = &[
    Field("char comm[16]", Text(16)),
    Field("pid_t pid", I32),
    Field("int prio", I32),
    Field("int target_cpu", I32),
];

const WAKE_PRINT: &str =
    r#""comm=%s pid=%d prio=%d target_cpu=%03d", REC->comm, REC->pid, REC->prio, REC->target_cpu"#;

/// The common fields take 8 bytes.
const OWN_FIELDS_AT: usize = 8;

impl Bytes {
    /// Size and alignment.
    fn layout(self, machine: Machine) -> (usize, usize) {
        match self {
            Number(size, _) => (size, size),
            Long(_) => (machine.long_bytes, machine.long_bytes),
            Text(size) => (size, 1),
            Rest => (0, 1),
            Loc => (4, 4),
        }
    }
}

/// The subsystem and format file of each event in `only`, or of all events if `only` is empty.
pub(super) fn format_files(machine: Machine, only: &[&str]) -> Vec<(&'static str, String)> {
    let wanted = |format: &&Format| only.is_empty() || only.contains(&format.name);
    let files = FORMATS
        .iter()
        .filter(wanted)
        .map(|format| (format.system, format.file(machine)));
    files.collect()
}

impl Format {
    fn file(&self, machine: Machine) -> String {
        let mut text = format!(
            "name: {}\nID: {}\nformat:\n\
             \tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\
             \tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n\
             \tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n\
             \tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n",
            self.name, self.id
        );
        let mut at = OWN_FIELDS_AT;
        for Field(declaration, bytes) in self.fields {
            let (size, align) = bytes.layout(machine);
            at = at.next_multiple_of(align);
            let signed = u8::from(matches!(bytes, Number(_, true) | Long(true)));
            text +=
                &format!("\tfield:{declaration};\toffset:{at};\tsize:{size};\tsigned:{signed};\n");
            at += size;
        }
        text + &format!("\nprint fmt: {}\n", self.print_fmt)
    }
}

impl DatEvent {
    /// The bytes of the event in the ring buffer.
    ///
    /// # Panics
    /// If the event's name is unknown, or a value does not match the type of its field.
    pub fn bytes(&self, machine: Machine) -> Vec<u8> {
        let format = FORMATS.iter().find(|format| format.name == self.name);
        let format = format.unwrap_or_else(|| panic!("no format {}", self.name));
        let mut out = machine.number(format.id.into(), 2);
        out.extend([1, 0]);
        out.extend(machine.number(self.tid.into(), 4));
        let mut elsewhere: Vec<(usize, &str)> = Vec::new();
        for (Field(_, bytes), value) in format.fields.iter().zip(&self.values) {
            let (size, align) = bytes.layout(machine);
            out.resize(out.len().next_multiple_of(align), 0);
            match (bytes, value) {
                (Number(..) | Long(_), DatValue::Number(value)) => {
                    out.extend(machine.number(*value as u64, size));
                }
                (Text(size), DatValue::Text(text)) => {
                    let end = out.len() + size;
                    out.extend(&text.as_bytes()[..text.len().min(size - 1)]);
                    out.resize(end, 0);
                }
                (Rest, DatValue::Text(text)) => {
                    out.extend(text.as_bytes());
                    out.push(0);
                }
                (Loc, DatValue::Text(text)) => {
                    elsewhere.push((out.len(), text));
                    out.extend([0; 4]);
                }
                _ => panic!("{}: {value:?} does not fit its field", self.name),
            }
        }
        for (at, text) in elsewhere {
            let place = (text.len() as u64 + 1) << 16 | out.len() as u64;
            out[at..at + 4].copy_from_slice(&machine.number(place, 4));
            out.extend(text.as_bytes());
            out.push(0);
        }
        out
    }
}
