//! The stacks of a profile.
//!
//! ```text
//! stackTable ──► frameTable ──► funcTable ──► stringArray (names), resourceTable ──► libs
//!    └─ prefix: the caller          └─ location in raw profiles: "draw (in libshop.so)"
//! ```

use std::rc::Rc;

use traceloom_trace::{StringId, TraceBuilder};

use super::table::{Object, at, nested};
use crate::profile::{Mapping, NONE, Named, Stacks};

/// The tables that stacks refer to. A profile has them in each thread, or since version 60 in one place.
pub(super) struct Tables<'a> {
    /// The texts.
    pub strings: Rc<[StringId]>,
    /// The files of code, as mappings.
    pub libs: Rc<[u32]>,
    /// The files of source code.
    pub sources: Rc<[u32]>,
    /// The object with the tables.
    pub from: Object<'a>,
}

/// The tables that all threads share, and their callsites.
pub(super) struct Shared<'a> {
    pub tables: Tables<'a>,
    pub callsites: Vec<u32>,
}

/// The function of a frame.
#[derive(Clone, Copy)]
struct Function {
    named: Named,
    lib: u32,
}

/// The files of code in a list, as mappings.
pub(super) fn libs(of: &Object<'_>, stacks: &mut Stacks, out: &mut TraceBuilder) -> Rc<[u32]> {
    let libs = of.list("libs").map(|lib| {
        let lib = nested(&lib).unwrap_or_default();
        let name = ["path", "debugPath", "name"];
        let name = name.iter().find_map(|name| lib.text(name));
        // On Linux and Android this is the build id.
        let build_id = lib.text("codeId").unwrap_or(b"");
        stacks.mapping(Mapping {
            name: out.intern_unless_empty(name.unwrap_or(b"")),
            build_id: out.intern_unless_empty(build_id),
            end: u64::MAX,
            ..Mapping::default()
        })
    });
    libs.collect()
}

impl<'a> Tables<'a> {
    /// Finds the tables in `from`, a thread or the part that all threads share.
    pub fn new(
        from: Object<'a>,
        libs_of_process: &Rc<[u32]>,
        stacks: &mut Stacks,
        out: &mut TraceBuilder,
    ) -> Self {
        let list = ["stringArray", "stringTable"];
        let list = list.iter().find(|name| from.get(name).is_some());
        let texts = from.list(list.unwrap_or(&""));
        let strings = texts.map(|text| out.intern(text.text().unwrap_or(b"")));
        let strings = strings.collect();
        let sources = from.object("sources").indexes("filename").into();
        // Before version 41, each thread had its own list.
        let own = libs(&from, stacks, out);
        let libs = if own.is_empty() {
            Rc::clone(libs_of_process)
        } else {
            own
        };
        Self {
            strings,
            libs,
            sources,
            from,
        }
    }

    /// Takes over the texts of the part that all threads share, unless the thread has its own.
    pub fn complete(&mut self, shared: &Tables<'_>) {
        if self.strings.is_empty() {
            self.strings = Rc::clone(&shared.strings);
            self.sources = Rc::clone(&shared.sources);
        }
    }

    /// Whether the tables of stacks are here.
    pub fn has_stacks(&self) -> bool {
        self.from.get("stackTable").is_some()
    }

    /// The callsite of each row of the table of stacks, and the number of rows whose caller comes later.
    pub fn callsites(&self, stacks: &mut Stacks, out: &mut TraceBuilder) -> (Vec<u32>, u64) {
        let frames = self.frames(stacks, out);
        let table = self.from.object("stackTable");
        let offsets = table.indexes("prefixOffset");
        let prefixes = table.indexes("prefix");
        let mut callsites: Vec<u32> = Vec::new();
        let mut lost = 0;
        for (row, frame) in (0u32..).zip(table.indexes("frame")) {
            let prefix = match at(&offsets, row, NONE) {
                0 => NONE,
                NONE => at(&prefixes, row, NONE),
                offset => row.wrapping_sub(offset),
            };
            let parent = at(&callsites, prefix, NONE);
            lost += u64::from(prefix != NONE && prefix >= row);
            callsites.push(stacks.callsite(parent, at(&frames, frame, NONE)));
        }
        (callsites, lost)
    }

    /// The row of each frame.
    fn frames(&self, stacks: &mut Stacks, out: &mut TraceBuilder) -> Vec<u32> {
        let table = self.from.object("frameTable");
        if table.has_column("location") {
            return self.located(&table, stacks, out);
        }
        let functions = self.functions();
        let (lines, libs) = (table.indexes("line"), table.indexes("lib"));
        let addresses = table.indexes("address");
        let none = Function {
            named: self.named(NONE, NONE),
            lib: NONE,
        };
        let mut frames = Vec::new();
        for (row, function) in (0u32..).zip(table.indexes("func")) {
            let Function { mut named, lib } = at(&functions, function, none);
            let line = Some(at(&lines, row, NONE)).filter(|line| *line != NONE);
            named.line = line.or(named.line);
            let lib = at(&self.libs, at(&libs, row, lib), NONE);
            let address = at(&addresses, row, NONE);
            frames.push(frame(lib, address, named, stacks, out));
        }
        frames
    }

    /// The functions.
    fn functions(&self) -> Vec<Function> {
        let table = self.from.object("funcTable");
        let files = self.files(&table);
        let lines = table.indexes("lineNumber");
        let resources = table.indexes("resource");
        let libs = self.from.object("resourceTable").indexes("lib");
        let names = table.indexes("name");
        let functions = (0u32..).zip(names).map(|(row, name)| {
            let mut named = self.named(name, at(&files, row, NONE));
            named.line = Some(at(&lines, row, NONE)).filter(|line| *line != NONE);
            let lib = at(&libs, at(&resources, row, NONE), NONE);
            Function { named, lib }
        });
        functions.collect()
    }

    /// The text with the file of each function.
    fn files(&self, functions: &Object<'_>) -> Vec<u32> {
        if functions.has_column("fileName") {
            return functions.indexes("fileName");
        }
        let sources = functions.indexes("source").into_iter();
        let files = sources.map(|source| at(&self.sources, source, NONE));
        files.collect()
    }

    fn named(&self, name: u32, file: u32) -> Named {
        Named {
            name: at(&self.strings, name, StringId::NULL),
            file: at(&self.strings, file, StringId::NULL),
            line: None,
        }
    }

    /// The rows of frames that are texts. Those of simpleperf end with the file: `draw (in libshop.so)`.
    fn located(&self, table: &Object<'_>, stacks: &mut Stacks, out: &mut TraceBuilder) -> Vec<u32> {
        const IN: &str = " (in ";
        let mut frames = Vec::new();
        for location in table.indexes("location") {
            let text = at(&self.strings, location, StringId::NULL);
            let owned = out.trace().strings.get(text).to_owned();
            let (name, file) = match owned
                .strip_suffix(')')
                .and_then(|rest| rest.rsplit_once(IN))
            {
                Some((name, file)) => (name, file),
                None => (&*owned, ""),
            };
            let mapping = stacks.no_file(file, out);
            let named = Named {
                name: out.intern(name.as_bytes()),
                file: StringId::NULL,
                line: None,
            };
            frames.push(stacks.named_frame(mapping, named));
        }
        frames
    }
}

/// The row of a frame in a file of code, or of one without a file. A file without symbols has names such as `0x1f2`,
/// which are its addresses.
fn frame(
    lib: u32,
    address: u32,
    mut named: Named,
    stacks: &mut Stacks,
    out: &mut TraceBuilder,
) -> u32 {
    if lib == NONE {
        let mapping = stacks.no_file("", out);
        return stacks.named_frame(mapping, named);
    }
    if address == NONE {
        return stacks.named_frame(lib, named);
    }
    let is_address = out.trace().strings.get(named.name).strip_prefix("0x");
    if is_address.and_then(|hex| u32::from_str_radix(hex, 16).ok()) == Some(address) {
        named.name = StringId::NULL;
    }
    stacks.frame(lib, address.into(), named)
}
