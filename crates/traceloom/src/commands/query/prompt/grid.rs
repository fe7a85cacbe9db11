//! A result that fits on the screen.

use std::io::{self, Write};

use anyhow::Result;
use traceloom_query::{Output, ValueRef};

use super::super::table::{Field, GAP, field};
use crate::print::{left, plain, right, thousands};

/// The most rows that are shown.
const MOST_ROWS: usize = 200;
/// Columns are not narrower than this.
const NARROWEST: usize = 4;
/// The maximum width of a cell, in characters, on a terminal of unknown width.
const WIDEST: usize = 1000;

/// The first rows of a result, and how many more there are.
#[derive(Default)]
pub(super) struct Grid {
    /// The names of the columns, then the rows.
    rows: Vec<Vec<Field>>,
    /// Rows that are not shown.
    more: u64,
}

impl Output for Grid {
    fn columns(&mut self, names: &[String]) -> io::Result<()> {
        let head = |name: &String| Field {
            text: plain(name).into_owned(),
            is_number: false,
        };
        *self = Self {
            rows: vec![names.iter().map(head).collect()],
            more: 0,
        };
        Ok(())
    }

    fn row(&mut self, values: &[ValueRef<'_>]) -> io::Result<()> {
        if self.rows.len() > MOST_ROWS {
            self.more += 1;
        } else {
            self.rows.push(values.iter().map(short).collect());
        }
        Ok(())
    }
}

/// A value, cut to what a screen can show.
fn short(value: &ValueRef<'_>) -> Field {
    let Field { text, is_number } = field(value);
    let text = cut(&text, WIDEST);
    Field { text, is_number }
}

impl Grid {
    /// Prints the rows in a terminal of this many characters.
    pub fn print(&self, out: &mut dyn Write, width: Option<usize>) -> Result<()> {
        let columns = self.rows.first().map_or(0, Vec::len);
        let widest = |column: usize| {
            self.rows
                .iter()
                .map(|row| row[column].text.chars().count())
                .max()
        };
        let mut widths: Vec<usize> = (0..columns)
            .map(|column| widest(column).unwrap_or(0))
            .collect();
        if let Some(width) = width {
            fit(
                &mut widths,
                width.saturating_sub(GAP.len() * columns.saturating_sub(1)),
            );
        }
        let is_number = |column: usize| self.rows.iter().skip(1).any(|row| row[column].is_number);
        let is_number: Vec<bool> = (0..columns).map(is_number).collect();
        for (number, row) in self.rows.iter().enumerate() {
            let cells = row.iter().enumerate().map(|(column, field)| {
                let is_right = field.is_number || number == 0 && is_number[column];
                cell(&field.text, widths[column], is_right)
            });
            let line = cells.collect::<Vec<_>>().join(GAP);
            // Many columns do not fit even if they are narrow.
            writeln!(out, "{}", cut(line.trim_end(), width.unwrap_or(usize::MAX)))?;
        }
        if self.more > 0 {
            writeln!(out, "… {} more rows", thousands(self.more))?;
        }
        Ok(())
    }
}

fn cell(text: &str, width: usize, is_right: bool) -> String {
    let text = cut(text, width);
    if is_right {
        right(&text, width).to_string()
    } else {
        left(&text, width).to_string()
    }
}

/// The text, or its beginning and `…` if it has more characters.
fn cut(text: &str, width: usize) -> String {
    if text.chars().nth(width).is_none() {
        return text.to_owned();
    }
    let start: String = text.chars().take(width.saturating_sub(1)).collect();
    start + "…"
}

/// Makes the widest columns narrower, all of them equally wide, until the sum is at most `total`.
fn fit(widths: &mut [usize], total: usize) {
    let sum = |most: usize| widths.iter().map(|width| (*width).min(most)).sum::<usize>();
    let (mut fits, mut too_wide) = (NARROWEST, WIDEST + 1);
    while too_wide - fits > 1 {
        let most = usize::midpoint(fits, too_wide);
        if sum(most) <= total {
            fits = most;
        } else {
            too_wide = most;
        }
    }
    widths
        .iter_mut()
        .for_each(|width| *width = (*width).min(fits));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn printed(names: &[&str], rows: &[&[ValueRef<'_>]], width: usize) -> String {
        let mut grid = Grid::default();
        let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
        grid.columns(&names).unwrap();
        rows.iter().for_each(|row| grid.row(row).unwrap());
        let mut out = Vec::new();
        grid.print(&mut out, Some(width)).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn the_widest_columns_are_cut() {
        let row: &[ValueRef<'_>] = &[
            ValueRef::Integer(7),
            ValueRef::Text(b"0123456789abcdef"),
            ValueRef::Null,
        ];
        let names = ["id", "name", "x"];
        assert_eq!(
            printed(&names, &[row], 40),
            "id  name              x\n 7  0123456789abcdef  NULL\n"
        );
        assert_eq!(
            printed(&names, &[row], 20),
            "id  name        x\n 7  012345678…  NULL\n"
        );
    }

    #[test]
    fn rows_that_are_not_shown_are_counted() {
        let row: &[ValueRef<'_>] = &[ValueRef::Integer(1)];
        let shown = printed(&["a"], &vec![row; MOST_ROWS + 1234], 80);
        assert_eq!(shown.lines().count(), 1 + MOST_ROWS + 1);
        assert!(shown.ends_with("\n1\n… 1,234 more rows\n"), "{shown}");
    }
}
