//! Tables for the terminal: right-aligned columns of numbers, then the name, cut to fit.

use std::io::Write;

use anyhow::Result;

use super::pad::{right, spaces};
use super::units::plain;

/// The minimum width of the name column. Other columns are left out before it gets narrower,
/// characters.
const NAME_WIDTH: usize = 32;

/// Spaces between two columns.
const GAP: usize = 2;

/// A column of numbers.
#[derive(Clone, Debug)]
pub struct Column {
    /// The heading.
    pub head: String,
    /// Columns with the highest value are left out first on a narrow terminal; 0 is always shown.
    pub spare: u8,
    /// The cells.
    pub cells: Vec<String>,
    /// The minimum width, characters.
    pub least: usize,
}

/// A table: columns of numbers followed by a name.
#[derive(Clone, Debug, Default)]
pub struct Table {
    /// The columns of numbers.
    pub columns: Vec<Column>,
    /// The heading of the name column.
    pub name_head: &'static str,
    /// The names, one per cell of each column. Control characters are made visible.
    pub names: Vec<Name>,
    /// Whether this continues a table that already has headings.
    pub continues: bool,
    /// Where a name that is too long is cut.
    pub cut: Cut,
}

/// Where a text that is too long for a line is cut.
#[derive(Clone, Copy, Debug, Default)]
pub enum Cut {
    /// At the front: the name of a method is at the end.
    #[default]
    Front,
    /// At the end: a sentence begins with its subject.
    End,
}

/// A name and its prefix (the branches of a tree).
#[derive(Clone, Debug, Default)]
pub struct Name {
    /// The prefix.
    pub indent: usize,
    /// The text.
    pub text: String,
}

impl Table {
    /// Adds a column.
    pub fn column(&mut self, head: &str, spare: u8, cells: Vec<String>) {
        self.columns.push(Column {
            head: head.to_owned(),
            spare,
            cells,
            least: 0,
        });
    }

    /// The widths of the columns.
    pub fn widths(&self) -> Vec<usize> {
        self.columns.iter().map(Column::width).collect()
    }

    /// Sets the minimum widths of the columns, for consecutive tables that should be aligned.
    pub fn set_least_widths(&mut self, widths: &[usize]) {
        for (column, width) in self.columns.iter_mut().zip(widths) {
            column.least = *width;
        }
    }

    /// Writes the table. If a `width` is given, columns are left out until the name fits. Longer
    /// names are cut.
    ///
    /// # Errors
    /// If `out` cannot be written.
    pub fn write(mut self, out: &mut dyn Write, width: Option<usize>) -> Result<()> {
        if let Some(width) = width {
            self.fit(width);
        }
        let widths = self.widths();
        let numbers: usize = widths.iter().map(|width| width + GAP).sum();
        let room = width.map_or(usize::MAX, |width| width.saturating_sub(numbers).max(8));
        if !self.continues {
            self.write_head(out, &widths)?;
        }
        for (row, name) in self.names.iter().enumerate() {
            for (column, width) in self.columns.iter().zip(&widths) {
                write!(out, "{}{:GAP$}", right(&column.cells[row], *width), "")?;
            }
            let indent = name.indent.min(room / 2);
            let text = self.cut.text(&plain(&name.text), room - indent);
            writeln!(out, "{}{text}", spaces(indent))?;
        }
        Ok(())
    }

    fn write_head(&self, out: &mut dyn Write, widths: &[usize]) -> Result<()> {
        for (column, width) in self.columns.iter().zip(widths) {
            write!(out, "{}{:GAP$}", right(&column.head, *width), "")?;
        }
        writeln!(out, "{}", self.name_head)?;
        Ok(())
    }

    fn fit(&mut self, width: usize) {
        let total = |columns: &[Column]| -> usize {
            columns.iter().map(|column| column.width() + GAP).sum()
        };
        while total(&self.columns) + NAME_WIDTH > width {
            let most = self.columns.iter().map(|column| column.spare).max();
            match most {
                Some(spare) if spare > 0 => self.columns.retain(|column| column.spare < spare),
                _ => return,
            }
        }
    }
}

impl Column {
    fn width(&self) -> usize {
        let cells = self.cells.iter().map(|cell| cell.chars().count());
        let widest = cells.max().unwrap_or(0).max(self.least);
        widest.max(self.head.chars().count())
    }
}

impl Cut {
    /// The part of a text that fits, with an ellipsis for the rest.
    fn text(self, text: &str, room: usize) -> String {
        let length = text.chars().count();
        if length <= room {
            return text.to_owned();
        }
        let kept = room.saturating_sub(1);
        match self {
            Self::Front => match without_parameters(text) {
                Some(short) => self.text(&short, room),
                None => std::iter::once('…')
                    .chain(text.chars().skip(length - kept))
                    .collect(),
            },
            Self::End => text.chars().take(kept).chain(['…']).collect(),
        }
    }
}

/// A function of C++ with `(…)` for its parameters, or else with `<…>` for its template's, because
/// its own name says more. `None` if nothing is left to omit.
fn without_parameters(text: &str) -> Option<String> {
    let call = text.strip_suffix(" const").unwrap_or(text);
    if let Some(name) = call.strip_suffix("(…)") {
        return omitted(name, ['<', '>']).map(|name| format!("{name}(…)"));
    }
    omitted(call, ['(', ')'])
}

/// A name without what the brackets at its end contain. A space before them is one of a sentence:
/// `owner main (7613)`.
fn omitted(name: &str, [left, right]: [char; 2]) -> Option<String> {
    let mut open = 0_usize;
    let inside = name.strip_suffix(right)?;
    let start = inside.char_indices().rev().find(|&(_, letter)| {
        let is_start = letter == left && open == 0;
        open += usize::from(letter == right);
        open = open.saturating_sub(usize::from(letter == left));
        is_start
    });
    let (name, omitted) = inside.split_at(start?.0);
    let is_call = !name.is_empty() && !name.ends_with(' ');
    (is_call && omitted.chars().count() > 2).then(|| format!("{name}{left}…{right}"))
}

/// The width of the terminal: `COLUMNS` if set, otherwise the terminal's own width. `None` if
/// standard output is not a terminal, so that nothing is cut in files and pipes.
pub fn terminal_width() -> Option<usize> {
    let width = std::env::var("COLUMNS").ok();
    let width = width.and_then(|columns| columns.parse().ok());
    width.or_else(|| {
        let (width, _) = terminal_size::terminal_size_of(std::io::stdout())?;
        Some(width.0.into())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(width: Option<usize>) -> String {
        let mut table = Table {
            name_head: "name",
            ..Table::default()
        };
        table.column("ms", 0, vec!["1.000".into(), "12.000".into()]);
        table.column("calls", 1, vec!["1".into(), "2".into()]);
        table.names = vec![
            Name {
                indent: 0,
                text: "com.example.app.feed.ArticleAdapter.onBindViewHolder".into(),
            },
            Name {
                indent: 2,
                text: "a\x1bb".into(),
            },
        ];
        let mut out = Vec::new();
        table.write(&mut out, width).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn a_narrow_terminal_loses_columns_then_fronts_of_names() {
        assert_eq!(
            shown(None),
            "    ms  calls  name\n \
             1.000      1  com.example.app.feed.ArticleAdapter.onBindViewHolder\n\
             12.000      2    a\\u{1b}b\n"
        );
        assert_eq!(
            shown(Some(40)),
            "    ms  name\n 1.000  …ArticleAdapter.onBindViewHolder\n12.000    a\\u{1b}b\n"
        );
    }

    #[test]
    fn sentences_are_cut_at_their_end() {
        assert_eq!(Cut::Front.text("a.long.name", 6), "….name");
        assert_eq!(Cut::End.text("main: waits", 6), "main:…");
        assert_eq!(Cut::End.text("main", 4), "main");
    }

    #[test]
    fn parameters_are_cut_before_the_function() {
        let cut = |text: &str| Cut::Front.text(text, 20);
        assert_eq!(cut("art::Run(int, void (*)(char))"), "art::Run(…)");
        assert_eq!(cut("art::Run(unsigned char, int) const"), "art::Run(…)");
        assert_eq!(cut("art::interpreter::DoCall(int)"), "…erpreter::DoCall(…)");
        assert_eq!(cut("a::Find<b::Set<int>, (c)0>(int)"), "a::Find<…>(…)");
        assert_eq!(
            cut("a::very::long::operator>>(int)"),
            "…long::operator>>(…)"
        );
        assert_eq!(
            cut("lock of owner main thread (7613)"),
            "… main thread (7613)"
        );
    }

    #[test]
    fn widths_have_no_limit() {
        let mut table = Table::default();
        table.column("calls", 0, vec!["1".repeat(70_000), "2".into()]);
        let text = String::from("deep");
        table.names = [0, 70_000]
            .map(|indent| Name {
                indent,
                text: text.clone(),
            })
            .into();
        let mut out = Vec::new();
        table.write(&mut out, None).unwrap();
        let lines = String::from_utf8(out).unwrap();
        let widths: Vec<usize> = lines.lines().map(str::len).collect();
        assert_eq!(widths, [70_002, 70_006, 140_006]);
    }
}
