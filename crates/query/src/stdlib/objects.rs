//! The objects that modules define: the rows of `__intrinsic_stdlib_objects`, with Perfetto's columns.

use crate::dialect::{
    Column, CreateFunction, CreateMacro, CreateRelation, FunctionBody, Returns, Script, Source,
    StatementKind,
};
use crate::json::string;
use crate::operators::rows::Cell;

/// The columns of the table.
pub(crate) const COLUMNS: &[&str] = &[
    "package",
    "module",
    "name",
    "qualified_name",
    "object_type",
    "exposed",
    "short_description",
    "summary",
    "description",
    "return_type",
    "return_description",
    "args",
    "cols",
];

/// The maximum length of a short description, bytes.
const SHORT: usize = 160;

/// An argument or a column.
struct Entry {
    name: String,
    kind: String,
    description: String,
}

/// An object that a module defines.
#[derive(Default)]
struct Object {
    name: String,
    kind: &'static str,
    description: String,
    return_type: String,
    return_description: String,
    arguments: Vec<Entry>,
    columns: Vec<Entry>,
}

/// The rows of a module: the module itself, and its objects. A module that cannot be read has only one row.
pub(crate) fn rows(module: &str, text: &str) -> Vec<Cell> {
    let source = Source::new(module, text);
    let statements = Script::parse_source(&source).unwrap_or_default();
    let itself = Object {
        name: module.to_owned(),
        kind: "MODULE",
        ..Object::default()
    };
    let defined = statements
        .iter()
        .filter_map(|statement| object(&statement.kind, text));
    let objects = std::iter::once(itself).chain(defined);
    objects.flat_map(|object| object.cells(module)).collect()
}

/// Whether a module defines an object of this name. Case matters only in names of macros.
pub(crate) fn defines(file: &str, text: &str, name: &str) -> bool {
    // Most modules need no parsing.
    let is_in_text = text
        .to_ascii_lowercase()
        .contains(&name.to_ascii_lowercase());
    if !is_in_text {
        return false;
    }
    let statements = Script::parse_source(&Source::new(file, text)).unwrap_or_default();
    statements.iter().any(|statement| match &statement.kind {
        StatementKind::CreateTable(it) | StatementKind::CreateView(it) => {
            it.name.text.eq_ignore_ascii_case(name)
        }
        StatementKind::CreateFunction(it) => it.name.text.eq_ignore_ascii_case(name),
        StatementKind::CreateMacro(it) => it.name.text == name,
        _ => false,
    })
}

fn object(kind: &StatementKind, text: &str) -> Option<Object> {
    Some(match kind {
        StatementKind::CreateTable(it) => relation(it, "TABLE", text),
        StatementKind::CreateView(it) => relation(it, "VIEW", text),
        StatementKind::CreateFunction(it) => function(it, text),
        StatementKind::CreateMacro(it) => macro_(it, text),
        _ => return None,
    })
}

fn relation(it: &CreateRelation, kind: &'static str, text: &str) -> Object {
    Object {
        name: it.name.text.clone(),
        kind,
        description: comment(text, it.name.span.start),
        columns: entries(&it.columns, text),
        ..Object::default()
    }
}

fn function(it: &CreateFunction, text: &str) -> Object {
    let (kind, return_type, columns) = match &it.returns {
        Returns::Scalar(kind) => ("FUNCTION", kind.name(), Vec::new()),
        Returns::Table(columns) => ("TABLE_FUNCTION", "TABLE", entries(columns, text)),
    };
    let body = match &it.body {
        FunctionBody::Select(body) => body.span.start,
        FunctionBody::DelegatesTo(target) => target.span.start,
    };
    Object {
        name: it.name.text.clone(),
        kind,
        description: comment(text, it.name.span.start),
        return_type: return_type.to_owned(),
        return_description: comment_of_returns(text, it.name.span.start, body),
        arguments: entries(&it.arguments, text),
        columns,
    }
}

fn macro_(it: &CreateMacro, text: &str) -> Object {
    let argument = |argument: &crate::dialect::MacroArgument| Entry {
        name: argument.name.text.clone(),
        kind: argument.kind.name().to_owned(),
        description: comment_of_line(text, argument.name.span.start),
    };
    Object {
        name: it.name.text.clone(),
        kind: "MACRO",
        description: comment(text, it.name.span.start),
        return_type: it.returns.name().to_owned(),
        return_description: comment_of_returns(text, it.name.span.start, it.body.span.start),
        arguments: it.arguments.iter().map(argument).collect(),
        ..Object::default()
    }
}

fn entries(columns: &[Column], text: &str) -> Vec<Entry> {
    let entry = |column: &Column| {
        let to = column.refers_to.as_ref();
        let to = to.map(|(table, column)| format!("({table}.{column})"));
        Entry {
            name: column.name.text.clone(),
            kind: column.kind.name().to_owned() + &to.unwrap_or_default(),
            description: comment_of_line(text, column.name.span.start),
        }
    };
    columns.iter().map(entry).collect()
}

/// The comment above the line at this offset.
fn comment(text: &str, offset: usize) -> String {
    let before = text.get(..offset).unwrap_or_default();
    let start = before.rfind('\n').map_or(0, |end| end + 1);
    let above = before.get(..start).unwrap_or_default().lines().rev();
    let lines = above.map_while(|line| line.trim().strip_prefix("--"));
    let mut lines: Vec<&str> = lines.map(str::trim).collect();
    lines.reverse();
    lines.join(" ").trim().to_owned()
}

/// The comment above the line of an argument or a column, if the line begins with it.
fn comment_of_line(text: &str, offset: usize) -> String {
    let before = text.get(..offset).unwrap_or_default();
    let line = before.rsplit('\n').next().unwrap_or_default();
    if line.trim().is_empty() {
        comment(text, offset)
    } else {
        String::new()
    }
}

/// The comment above the line with `RETURNS`, which is between the name and the body.
fn comment_of_returns(text: &str, name: usize, body: usize) -> String {
    let head = text.get(name..body).unwrap_or_default();
    match head.rfind("\nRETURNS") {
        Some(at) => comment(text, name + at + 1),
        None => String::new(),
    }
}

impl Object {
    fn cells(&self, module: &str) -> Vec<Cell> {
        let package = module.split('.').next().unwrap_or_default();
        let is_module = self.kind == "MODULE";
        let qualified = if is_module {
            module.to_owned()
        } else {
            format!("{module}.{}", self.name)
        };
        let is_exposed = is_exposed(&self.name, is_module);
        let text = |text: &str| Cell::Text(text.as_bytes().into());
        vec![
            text(package),
            text(module),
            text(&self.name),
            text(&qualified),
            text(self.kind),
            Cell::Integer(is_exposed.into()),
            text(short(&self.description)),
            text(&self.summary(package, module, &qualified)),
            text(&self.description),
            text(&self.return_type),
            text(&self.return_description),
            text(&json(&self.arguments)),
            text(&json(&self.columns)),
        ]
    }

    /// All texts combined, for searching. The headings are Perfetto's.
    fn summary(&self, package: &str, module: &str, qualified: &str) -> String {
        let is_module = self.kind == "MODULE";
        let name = if is_module { "" } else { self.name.as_str() };
        let mut words = format!("{package} {module} {name}").replace(['.', '_'], " ");
        words.truncate(words.trim_end().len());
        let visibility = if is_exposed(&self.name, is_module) {
            "public"
        } else {
            "internal"
        };
        let mut lines = vec![format!("Package: {package}"), format!("Module: {module}")];
        if !is_module {
            lines.push(format!("Name: {name}"));
        }
        lines.push(format!("Qualified name: {qualified}"));
        lines.push(format!("Search aliases: {words}"));
        lines.push(format!("Kind: {visibility} {}", self.kind));
        if !self.description.is_empty() {
            lines.push(format!("Description: {}", self.description));
        }
        lines.extend(listed("Arguments", &self.arguments));
        if !self.return_type.is_empty() {
            lines.push(described(
                format!("Returns: {}", self.return_type),
                &self.return_description,
            ));
        }
        lines.extend(listed("Columns", &self.columns));
        lines.join("\n")
    }
}

/// Whether users may rely on an object.
fn is_exposed(name: &str, is_module: bool) -> bool {
    is_module || !name.starts_with('_')
}

/// A line for each entry, after a heading.
fn listed(heading: &str, entries: &[Entry]) -> Vec<String> {
    let entry = |it: &Entry| described(format!("- {} ({})", it.name, it.kind), &it.description);
    let heading = (!entries.is_empty()).then(|| format!("{heading}:"));
    heading
        .into_iter()
        .chain(entries.iter().map(entry))
        .collect()
}

/// A line with a description, if there is one.
fn described(line: String, description: &str) -> String {
    if description.is_empty() {
        return line;
    }
    format!("{line}: {description}")
}

/// The beginning of a text.
fn short(text: &str) -> &str {
    let end = (0..=SHORT.min(text.len()))
        .rev()
        .find(|end| text.is_char_boundary(*end));
    text.get(..end.unwrap_or(0)).unwrap_or_default()
}

fn json(entries: &[Entry]) -> String {
    let entry = |entry: &Entry| {
        let [name, kind, description] =
            [&entry.name, &entry.kind, &entry.description].map(|text| string(text));
        format!("{{\"name\":{name},\"type\":{kind},\"description\":{description}}}")
    };
    let entries: Vec<String> = entries.iter().map(entry).collect();
    format!("[{}]", entries.join(","))
}
