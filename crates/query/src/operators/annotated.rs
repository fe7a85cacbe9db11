//! `experimental_annotated_callstack(callsite_id)`: a stack, with the mode in which Android's runtime ran each frame.
//!
//! ```text
//! outermost   libc.so                 not marked: no managed frame so far
//!             base.apk, boot.oat …    interp, jit or aot, by the kind of file
//!             libart.so               common-frame, or common-frame-interp for the interpreter itself
//!             art_jni_trampoline      common-frame
//! innermost   libart.so               not marked: called by the trampoline
//! ```

use std::sync::Arc;

use rusqlite::types::ValueRef;

use super::failure::Failure;
use super::meter::Meter;
use super::operator::{Cells, Operator};
use super::rows::Cell;
use crate::schema::{Data, RecordColumn};

/// The columns of the result.
const COLUMNS: &[&str] = &["id", "depth", "parent_id", "frame_id", "annotation"];

/// The memory of a row of the result, bytes.
const ROW: usize = 160;

const COMMON: &str = "common-frame";
const TRAMPOLINE: &str = "art_jni_trampoline";

/// Beginnings of the names of functions that interpret.
const INTERPRETERS: [&str; 5] = [
    "nterp_",
    "Nterp",
    "ExecuteNterp",
    "ExecuteSwitchImpl",
    "_ZN3art11interpreter",
];

/// The operator; `None` if a table of stacks has other columns.
pub(super) fn operator(data: &Arc<Data>) -> Option<Operator> {
    let tables = Tables::find()?;
    let data = data.clone();
    let run = move |arguments: &[ValueRef<'_>], meter: &mut Meter| match arguments.first() {
        Some(ValueRef::Integer(id)) => tables.stack(&data, *id, meter),
        Some(ValueRef::Null) => Ok(Cells::new()),
        _ => Err(Failure::refused("the id of a callsite is a whole number")),
    };
    let name = "experimental_annotated_callstack";
    Some(Operator::built_in(name, COLUMNS, (1, 1), run))
}

/// The columns of the tables of stacks.
#[derive(Clone, Copy)]
struct Tables {
    depth: RecordColumn,
    parent: RecordColumn,
    frame: RecordColumn,
    name: RecordColumn,
    mapping: RecordColumn,
    file: RecordColumn,
}

impl Tables {
    fn find() -> Option<Self> {
        let of_callsite = |column| RecordColumn::find("stack_profile_callsite", column);
        Some(Self {
            depth: of_callsite("depth")?,
            parent: of_callsite("parent_id")?,
            frame: of_callsite("frame_id")?,
            name: RecordColumn::find("stack_profile_frame", "name")?,
            mapping: RecordColumn::find("stack_profile_frame", "mapping")?,
            file: RecordColumn::find("stack_profile_mapping", "name")?,
        })
    }

    /// The rows of a stack, innermost first.
    fn stack(&self, data: &Data, id: i64, meter: &mut Meter) -> Result<Cells, Failure> {
        if self.frame.value(data, id).is_none() {
            return Err(Failure::refused(format!("there is no callsite {id}")));
        }
        let mut sites = vec![id];
        let mut at = id;
        // A callsite comes after its caller, so this loop ends.
        while let Some(parent) = self.parent.int(data, at).filter(|parent| *parent < at) {
            meter.grow(ROW)?;
            sites.push(parent);
            at = parent;
        }
        let mut marks = Marks::default();
        let outermost_first = sites.iter().rev();
        let mut rows: Vec<[Cell; 5]> = outermost_first
            .map(|site| self.row(data, *site, &mut marks))
            .collect();
        rows.reverse();
        Ok(rows.into_iter().flatten().collect())
    }

    fn row(&self, data: &Data, site: i64, marks: &mut Marks) -> [Cell; 5] {
        let number = |number: Option<i64>| number.map_or(Cell::Null, Cell::Integer);
        let frame = self.frame.int(data, site);
        let text = |column: RecordColumn, row: Option<i64>| column.text(data, row?);
        let mapping = frame.and_then(|frame| self.mapping.int(data, frame));
        let name = text(self.name, frame).unwrap_or_default();
        let mark = marks.next(name, text(self.file, mapping).unwrap_or_default());
        [
            Cell::Integer(site),
            number(self.depth.int(data, site)),
            number(self.parent.int(data, site)),
            number(frame),
            mark.map_or(Cell::Null, |mark| Cell::Text(mark.as_bytes().into())),
        ]
    }
}

/// The state that the frames so far leave for the next one.
#[derive(Default)]
pub(crate) struct Marks {
    /// Whether a managed frame has occurred.
    is_managed: bool,
    /// Whether the last frame was the trampoline from managed to native code.
    follows_trampoline: bool,
}

impl Marks {
    /// The mark of the next frame: its function, and the file of its code.
    pub fn next(&mut self, name: &str, file: &str) -> Option<&'static str> {
        if std::mem::take(&mut self.follows_trampoline) {
            return None;
        }
        if name == TRAMPOLINE {
            (self.is_managed, self.follows_trampoline) = (true, true);
            return Some(COMMON);
        }
        match Code::of(file) {
            Code::Managed(mode) => {
                self.is_managed = true;
                Some(mode)
            }
            Code::Runtime if !self.is_managed => None,
            Code::Runtime if INTERPRETERS.iter().any(|start| name.starts_with(start)) => {
                Some("common-frame-interp")
            }
            Code::Runtime => Some(COMMON),
            Code::Other => None,
        }
    }
}

/// The kind of code in a file.
enum Code {
    /// An app, run in this mode.
    Managed(&'static str),
    /// The runtime.
    Runtime,
    Other,
}

impl Code {
    fn of(file: &str) -> Self {
        let name = &file[file.rfind('/').map_or(0, |slash| slash + 1)..];
        let is_in_folder = name.len() < file.len();
        let extension = &file[file.rfind('.').unwrap_or(file.len())..];
        let is = |kinds: &[&str]| kinds.iter().any(|kind| extension.starts_with(kind));
        match () {
            () if file.starts_with("/memfd:jit-cache") => Self::Managed("jit"),
            () if file.starts_with("/memfd:jit-zygote-cache") => Self::Managed("jit"),
            () if is_in_folder && name.starts_with("libart.so") => Self::Runtime,
            () if is_in_folder && name.starts_with("libartd.so") => Self::Runtime,
            () if is(&[".dex", ".vdex", ".jar", ".apk"]) => Self::Managed("interp"),
            () if is(&[".oat", ".odex"]) => Self::Managed("aot"),
            () => Self::Other,
        }
    }
}
