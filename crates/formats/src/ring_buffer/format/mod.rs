//! The format of an event, from its `format` file.
//!
//! ```text
//! name: irq_handler_entry
//! ID: 25
//! format:
//!     field:unsigned short common_type;   offset:0;   size:2;   signed:0;
//!     field:int common_pid;               offset:4;   size:4;   signed:1;
//!
//!     field:int irq;                      offset:8;   size:4;   signed:1;
//!     field:__data_loc char[] name;       offset:12;  size:4;   signed:0;
//!
//! print fmt: "irq=%d name=%s", REC->irq, __get_str(name)
//! ```

mod field;
mod line;

pub(super) use field::up_to_nul;
pub use field::{EventField, FieldKind};
pub(super) use line::field_line;

/// An event's format: its number in the ring buffer, its fields, and how the kernel prints it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EventFormat {
    /// The subsystem it belongs to, such as `sched`.
    pub system: String,
    /// The event's name.
    pub name: String,
    /// Its number: the value of `common_type` in its records.
    pub id: u16,
    /// The fields that all events have, such as `common_type`.
    pub common: Vec<EventField>,
    /// The event's own fields, in the order of the file.
    pub fields: Vec<EventField>,
    /// The text after `print fmt: `: a C format string and its arguments.
    pub print_fmt: String,
}

/// Why a format file cannot be used.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FormatError {
    /// A required line of the format file is missing or invalid.
    #[error("the format file of event {event:?} has no usable line {line}")]
    Missing {
        /// The event's name, if known.
        event: String,
        /// The beginning of the line.
        line: &'static str,
    },
}

impl EventFormat {
    /// Parses a format file of the subsystem `system`. Invalid field lines are skipped, and such a
    /// field is not shown.
    ///
    /// # Errors
    /// If the file has no name or no number.
    pub fn parse(system: &str, text: &[u8]) -> Result<Self, FormatError> {
        let text = String::from_utf8_lossy(text);
        let value = |key: &str| {
            let mut lines = text.lines();
            lines.find_map(|line| Some(line.strip_prefix(key)?.trim()))
        };
        let name = value("name:").unwrap_or_default();
        let missing = |line| FormatError::Missing {
            event: name.to_owned(),
            line,
        };
        if name.is_empty() {
            return Err(missing("name:"));
        }
        let id = value("ID:").and_then(|id| id.parse().ok());
        let (common, fields) = text
            .lines()
            .filter_map(|line| EventField::parse(line.as_bytes()))
            .partition(|field: &EventField| field.name.starts_with("common_"));
        let print_fmt = text.find("print fmt:").map(|at| text[at + 10..].trim());
        Ok(Self {
            system: system.to_owned(),
            name: name.to_owned(),
            id: id.ok_or_else(|| missing("ID:"))?,
            common,
            fields,
            print_fmt: print_fmt.unwrap_or_default().to_owned(),
        })
    }

    /// The field with this name, among the event's own and the common ones.
    pub fn field(&self, name: &str) -> Option<&EventField> {
        let mut all = self.fields.iter().chain(&self.common);
        all.find(|field| field.name == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "name: softirq_raise\nID: 23\nformat:\n\
        \tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\
        \tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n\
        \tfield:unsigned int vec;\toffset:8;\tsize:4;\tsigned:0;\n\n\
        print fmt: \"vec=%u\", REC->vec\n";

    #[test]
    fn a_format_file() {
        let format = EventFormat::parse("irq", TEXT.as_bytes()).unwrap();
        assert_eq!((format.name.as_str(), format.id), ("softirq_raise", 23));
        assert_eq!((format.common.len(), format.fields.len()), (2, 1));
        assert_eq!(format.print_fmt, "\"vec=%u\", REC->vec");
        assert!(format.field("common_pid").unwrap().is_signed);
    }

    #[test]
    fn a_file_without_a_number_is_refused() {
        assert!(EventFormat::parse("", TEXT.replace("ID: 23", "").as_bytes()).is_err());
        assert!(EventFormat::parse("", b"").is_err());
    }
}
