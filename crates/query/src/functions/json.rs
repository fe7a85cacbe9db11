//! Arguments as JSON. The keys of a set give the nesting of its objects and lists.
//!
//! ```text
//! debug.size[0] = 3, debug.size[1] = 4, debug.name = "a"     {"debug":{"size":[3,4],"name":"a"}}
//! ```

use rustc_hash::FxHashMap;
use traceloom_trace::{ArgSetId, ArgValue, RowId};

use crate::json::string;
use crate::schema::Data;

/// The maximum nesting depth of objects and lists. Deeper keys are left out.
const MOST_LEVELS: usize = 64;

/// A value, or the members of an object or a list in order.
enum Node {
    Value(String),
    Object(Members),
    List(Vec<Node>),
}

/// The members of an object in order.
#[derive(Default)]
struct Members {
    list: Vec<(String, Node)>,
    /// The index of each member in the list.
    places: FxHashMap<String, usize>,
}

impl Members {
    /// The member of this name, which is added if there is none.
    fn named(&mut self, name: &str, new: impl FnOnce() -> Node) -> Option<&mut Node> {
        let next = self.list.len();
        let place = self.places.get(name).copied().unwrap_or(next);
        if place == next {
            self.places.insert(name.to_owned(), next);
            self.list.push((name.to_owned(), new()));
        }
        self.list.get_mut(place).map(|(_, node)| node)
    }
}

/// A part of a key.
enum Step<'k> {
    Member(&'k str),
    Item(usize),
}

/// A set of arguments as JSON; `None` if it is empty.
pub(super) fn args_as_json(data: &Data, set: ArgSetId) -> Option<String> {
    set.some()?;
    let mut root = Node::Object(Members::default());
    for (key, value) in data.trace.args.set(set) {
        let steps = steps(data.get(key));
        if steps.len() <= MOST_LEVELS
            && let Some(place) = root.place(&steps)
        {
            *place = Node::Value(text(data, value));
        }
    }
    let mut json = String::new();
    root.write(&mut json);
    Some(json)
}

/// The parts of a key such as `debug.size[0]`.
fn steps(key: &str) -> Vec<Step<'_>> {
    let mut steps = Vec::new();
    for member in key.split('.') {
        let (name, items) = member.split_once('[').unwrap_or((member, ""));
        steps.push(Step::Member(name));
        for item in items.split('[').filter(|item| !item.is_empty()) {
            match item.trim_end_matches(']').parse() {
                Ok(index) => steps.push(Step::Item(index)),
                Err(_) => steps.push(Step::Member(item)),
            }
        }
    }
    steps
}

impl Node {
    /// The place of a value. `None` if a plain value is in the way. An index past the end of a list counts as the next
    /// index.
    fn place(&mut self, steps: &[Step<'_>]) -> Option<&mut Self> {
        let Some((step, rest)) = steps.split_first() else {
            return Some(self);
        };
        let next = |rest: &[Step<'_>]| match rest.first() {
            Some(Step::Item(_)) => Self::List(Vec::new()),
            _ => Self::Object(Members::default()),
        };
        let inner = match (self, step) {
            (Self::Object(members), Step::Member(name)) => members.named(name, || next(rest))?,
            (Self::List(items), Step::Item(index)) => {
                let place = (*index).min(items.len());
                if place == items.len() {
                    items.push(next(rest));
                }
                items.get_mut(place)?
            }
            _ => return None,
        };
        inner.place(rest)
    }

    fn write(&self, out: &mut String) {
        match self {
            Self::Value(text) => *out += text,
            Self::Object(members) => {
                let mut before = '{';
                for (name, value) in &members.list {
                    out.push(std::mem::replace(&mut before, ','));
                    *out += &string(name);
                    out.push(':');
                    value.write(out);
                }
                out.push_str(if before == '{' { "{}" } else { "}" });
            }
            Self::List(items) => {
                let mut before = '[';
                for value in items {
                    out.push(std::mem::replace(&mut before, ','));
                    value.write(out);
                }
                out.push_str(if before == '[' { "[]" } else { "]" });
            }
        }
    }
}

/// A value in JSON.
fn text(data: &Data, value: ArgValue) -> String {
    match value {
        ArgValue::Int(value) => value.to_string(),
        ArgValue::Unsigned(value) => value.to_string(),
        ArgValue::Bool(value) => value.to_string(),
        ArgValue::Float(value) if value.is_finite() => value.to_string(),
        ArgValue::Float(value) => string(&value.to_string()),
        ArgValue::Hex(value) => string(&format!("{value:#x}")),
        ArgValue::Null | ArgValue::Row(..) => "null".to_owned(),
        ArgValue::Text(id) => string(data.get(id)),
        ArgValue::Json(id) => data.get(id).to_owned(),
    }
}
