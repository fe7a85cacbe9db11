//! Numbers for names: equal names have equal numbers in the whole trace.

use rustc_hash::FxHashMap;
use traceloom_trace::{MethodId, RowId, StringId, Trace};

use crate::tree::Function;

/// The number of a name, counted from 0 without gaps.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct NameId(pub u32);

impl NameId {
    /// No name.
    pub const NONE: Self = Self(u32::MAX);

    /// Its index in a list of all names.
    pub fn row(self) -> usize {
        self.0 as usize
    }
}

/// The kind of thing that has the name.
#[derive(Clone, Copy, Debug)]
enum Named {
    Text(StringId),
    Method(MethodId),
}

/// Class, name and signature as strings of the pool: equal texts are equal keys.
type MethodKey = (StringId, StringId, StringId);

/// The names of slices, instants, events and methods. Two methods with the same class and name are
/// different names if their signatures differ. A method without class and signature shares the name
/// of slices with the same name.
#[derive(Debug, Default)]
pub struct Names {
    of_slice: Vec<NameId>,
    of_string: Vec<NameId>,
    of_method: Vec<NameId>,
    named: Vec<Named>,
    hues: Vec<u8>,
    by_method: FxHashMap<MethodKey, NameId>,
    /// Dotted forms of slashed class names, if the pool does not contain them.
    dotted: FxHashMap<String, StringId>,
}

impl Names {
    /// Gives every name in a trace a number. Methods come first, then the names of slices, instants and events.
    pub fn new(trace: &Trace) -> Self {
        let mut names = Self {
            of_string: vec![NameId::NONE; trace.strings.len()],
            of_method: vec![NameId::NONE; trace.methods.len()],
            ..Self::default()
        };
        names.methods(trace);
        names.of_slice.reserve_exact(trace.slices.len());
        for row in 0..trace.slices.len() {
            let name = match trace.slices.method_id.get(row) {
                MethodId::NONE => names.text(trace.slices.name.get(row)),
                method => names.of_method(method),
            };
            names.of_slice.push(name);
        }
        for name in trace.ftrace_events.name.iter() {
            names.text(name);
        }
        for named in &names.named {
            names.hues.push(hue_of(&text_of(trace, *named)));
        }
        names
    }

    #[inline]
    fn text(&mut self, id: StringId) -> NameId {
        match self.of_string.get(id.0 as usize) {
            Some(&name) if name != NameId::NONE => name,
            Some(_) => {
                let name = self.push(Named::Text(id));
                self.of_string[id.0 as usize] = name;
                name
            }
            None => NameId::NONE,
        }
    }

    fn push(&mut self, named: Named) -> NameId {
        self.named.push(named);
        NameId(self.named.len() as u32 - 1)
    }

    fn methods(&mut self, trace: &Trace) {
        let mut by_raw_id: FxHashMap<u64, NameId> = FxHashMap::default();
        let methods = &trace.methods;
        for row in 0..methods.len() {
            let id = MethodId::from_row(row);
            let (class, own) = (methods.class.get(row), methods.name.get(row));
            let (class, signature) = (self.dotted(trace, class), methods.signature.get(row));
            let name = if !class.is_empty() || !own.is_empty() && !signature.is_empty() {
                let key = (class, own, signature);
                match self.by_method.get(&key) {
                    Some(&name) => name,
                    None => {
                        let new = self.push(Named::Method(id));
                        self.by_method.insert(key, new);
                        new
                    }
                }
            } else if !own.is_empty() {
                self.text(own)
            } else {
                let raw_id = methods.raw_id.get(row);
                let name = match trace.strings.lookup(&trace.method_name(id)) {
                    Some(text) => self.text(text),
                    None => match by_raw_id.get(&raw_id) {
                        Some(&name) => name,
                        None => self.push(Named::Method(id)),
                    },
                };
                by_raw_id.insert(raw_id, name);
                name
            };
            self.of_method[row] = name;
        }
    }

    /// The string of a class with dots: the pool's dotted string, or the slashed one that
    /// represents it.
    fn dotted(&mut self, trace: &Trace, class: StringId) -> StringId {
        let text = trace.strings.get(class);
        if !text.contains('/') {
            return class;
        }
        let text = text.replace('/', ".");
        match trace.strings.lookup(&text) {
            Some(dotted) => dotted,
            None => *self.dotted.entry(text).or_insert(class),
        }
    }

    /// The number of names.
    pub fn len(&self) -> usize {
        self.named.len()
    }

    /// Whether there are no names.
    pub fn is_empty(&self) -> bool {
        self.named.is_empty()
    }

    /// The name of a slice: its method's name, otherwise its own.
    ///
    /// # Panics
    /// If the trace has no such slice.
    #[inline]
    pub fn of_slice(&self, row: usize) -> NameId {
        self.of_slice[row]
    }

    /// The name of a method.
    #[inline]
    pub fn of_method(&self, method: MethodId) -> NameId {
        let name = self.of_method.get(method.row());
        name.copied().unwrap_or(NameId::NONE)
    }

    /// The name with this string; [`NameId::NONE`] if no slice, instant, event or method has it.
    #[inline]
    pub fn of_text(&self, text: StringId) -> NameId {
        let name = self.of_string.get(text.0 as usize);
        name.copied().unwrap_or(NameId::NONE)
    }

    /// The name of a function of a call tree; [`NameId::NONE`] if the trace has none.
    pub fn of_function(&self, trace: &Trace, function: &Function) -> NameId {
        let find = |text: &str| trace.strings.lookup(text);
        if function.class.is_empty() && function.signature.is_empty() {
            let name = find(&function.name).map_or(NameId::NONE, |text| self.of_text(text));
            return match name {
                NameId::NONE => self.of_raw_id(trace, &function.name),
                name => name,
            };
        }
        let class = find(&function.class).or_else(|| self.dotted.get(&function.class).copied());
        let key = (class, find(&function.name), find(&function.signature));
        let (Some(class), Some(name), Some(signature)) = key else {
            return NameId::NONE;
        };
        let name = self.by_method.get(&(class, name, signature));
        name.copied().unwrap_or(NameId::NONE)
    }

    /// The name of a method that has only its number in the file, such as `0x1c`.
    fn of_raw_id(&self, trace: &Trace, text: &str) -> NameId {
        let digits = text.strip_prefix("0x").unwrap_or_default();
        let Ok(raw_id) = u64::from_str_radix(digits, 16) else {
            return NameId::NONE;
        };
        let is_it = |&row: &usize| {
            let methods = &trace.methods;
            methods.raw_id.get(row) == raw_id
                && methods.class.get(row).is_empty()
                && methods.name.get(row).is_empty()
        };
        let row = (0..trace.methods.len()).find(is_it);
        row.map_or(NameId::NONE, |row| self.of_method[row])
    }

    /// The text of a name: `class.method` for methods. Empty for an unused number.
    pub fn label(&self, trace: &Trace, name: NameId) -> String {
        let named = self.named.get(name.row());
        named.map_or_else(String::new, |named| text_of(trace, *named))
    }

    /// The method with this name; the first one if a trace has several equal ones.
    pub fn method(&self, name: NameId) -> Option<MethodId> {
        match self.named.get(name.row()) {
            Some(Named::Method(method)) => Some(*method),
            _ => None,
        }
    }

    /// A number for the colour. It depends only on the name's text, so it is the same in every
    /// trace.
    #[inline]
    pub fn hue(&self, name: NameId) -> u8 {
        self.hues.get(name.row()).copied().unwrap_or(0)
    }

    /// Every name with its text, in the order of their numbers.
    pub fn iter<'t>(&'t self, trace: &'t Trace) -> impl Iterator<Item = (NameId, String)> + 't {
        let texts = self.named.iter().map(move |named| text_of(trace, *named));
        texts
            .enumerate()
            .map(|(row, text)| (NameId(row as u32), text))
    }
}

fn text_of(trace: &Trace, named: Named) -> String {
    match named {
        Named::Text(id) => trace.strings.get(id).to_owned(),
        Named::Method(id) => {
            let (methods, row) = (&trace.methods, id.row());
            let [class, name] =
                [&methods.class, &methods.name].map(|column| trace.strings.get(column.get(row)));
            Function::method(methods.raw_id.get(row), class, name, "").label()
        }
    }
}

/// FNV-1a over the text, folded to a byte. Digits at the end are ignored. So is everything after
/// the space before the first word that has a digit or is `key=value`. Thus `frame 17` and `frame
/// 18 of 20` have the same colour.
pub fn hue_of(text: &str) -> u8 {
    let varies =
        |word: &str| word.contains(|letter: char| letter == '=' || letter.is_ascii_digit());
    let mut end = text.len();
    for (at, _) in text.match_indices(' ') {
        let rest = text.get(at + 1..).unwrap_or_default();
        if rest.split(' ').next().is_some_and(varies) {
            end = at;
            break;
        }
    }
    let text = text.get(..end).unwrap_or_default();
    let text = text.trim_end_matches(|letter: char| letter.is_ascii_digit());
    let mix = |hash: u32, byte: u8| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193);
    let hash = text.bytes().fold(0x811c_9dc5, mix);
    (hash ^ hash >> 16 ^ hash >> 8) as u8
}
