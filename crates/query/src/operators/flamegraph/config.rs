//! The options of a flame graph: the arguments of `__intrinsic_flamegraph_config(tag, value, …)`.

use regex::Regex;

use crate::operators::failure::Failure;
use crate::operators::rows::{Cell, Rows, cell};
use crate::pattern::compile;

/// The maximum number of `SHOW_STACK` filters in a query: each is one bit of a number, as in Perfetto.
const MOST_FILTERS: usize = 61;

/// The direction in which the graph grows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum View {
    /// From the roots.
    TopDown,
    /// From frames with values to the roots.
    BottomUp,
    /// From matching frames, in both directions.
    Pivot,
    /// From matching frames to their descendants.
    FromFrame,
}

/// How the values of merged frames are combined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Combine {
    Sum,
    /// The first value, and the number of other values.
    OneOrSummary,
    /// All values, separated by commas.
    Concat,
}

/// The options of a flame graph.
#[derive(Debug)]
pub(super) struct Config {
    pub view: View,
    /// The frames that `Pivot` and `FromFrame` start from.
    pub pattern: Option<Regex>,
    /// A stack is shown only if each of these matches one of its frames.
    pub show_stack: Vec<Regex>,
    /// A stack is hidden if any of these matches one of its frames.
    pub hide_stack: Vec<Regex>,
    /// Matching frames are left out. Their values go to their parents.
    pub hide_frame: Vec<Regex>,
    /// Only frames with the same values in these columns are merged.
    pub grouping: Vec<String>,
    /// The value columns. The first one determines the widths.
    pub values: Vec<String>,
    pub aggregates: Vec<(Combine, String)>,
}

impl Config {
    /// Parses the argument.
    ///
    /// # Errors
    ///
    /// If it is not a configuration.
    pub fn parse(argument: Rows<'_>) -> Result<Self, Failure> {
        let mut config = Self {
            view: View::TopDown,
            pattern: None,
            show_stack: Vec::new(),
            hide_stack: Vec::new(),
            hide_frame: Vec::new(),
            grouping: Vec::new(),
            values: Vec::new(),
            aggregates: Vec::new(),
        };
        let mut words = words(argument)?.into_iter();
        while let Some(tag) = words.next() {
            config.take(&tag, &mut words)?;
        }
        config.check()?;
        Ok(config)
    }

    /// Takes the values of a tag.
    fn take(&mut self, tag: &str, words: &mut impl Iterator<Item = String>) -> Result<(), Failure> {
        let mut next = || {
            let missing =
                || Failure::refused(format!("flamegraph_config: {tag} needs more values"));
            words.next().ok_or_else(missing)
        };
        match tag {
            "view" => self.view = view(&next()?)?,
            "view_pattern" => self.pattern = Some(pattern(&next()?, &next()?)?),
            "filter" => {
                let list = match next()?.as_str() {
                    "SHOW_STACK" => &mut self.show_stack,
                    "HIDE_STACK" => &mut self.hide_stack,
                    "HIDE_FRAME" => &mut self.hide_frame,
                    other => return Err(unknown("filter", other)),
                };
                list.push(pattern(&next()?, &next()?)?);
            }
            "grouping" => self.grouping.push(next()?),
            "value" => self.values.push(next()?),
            "aggregate" => {
                let (combine, input, output) = (combine(&next()?)?, next()?, next()?);
                if input != output {
                    let message = "flamegraph_config: an aggregate keeps the name of its column";
                    return Err(Failure::refused(message));
                }
                self.aggregates.push((combine, input));
            }
            other => return Err(unknown("tag", other)),
        }
        Ok(())
    }

    fn check(&self) -> Result<(), Failure> {
        let needs_pattern = matches!(self.view, View::Pivot | View::FromFrame);
        let message = if self.values.is_empty() {
            "flamegraph_config: at least one value column is needed"
        } else if needs_pattern != self.pattern.is_some() {
            "flamegraph_config: PIVOT and FROM_FRAME need a view_pattern, other views have none"
        } else if self.show_stack.len() > MOST_FILTERS {
            "flamegraph_config: there are more than 61 SHOW_STACK filters"
        } else {
            return self.check_names();
        };
        Err(Failure::refused(message))
    }

    /// Rejects duplicate names, because a column has only one place in the result.
    fn check_names(&self) -> Result<(), Failure> {
        let aggregates = self.aggregates.iter().map(|(_, name)| name);
        let names: Vec<&String> = self.grouping.iter().chain(aggregates).collect();
        let is_twice = |names: &[&String]| {
            let mut names = names.to_vec();
            names.sort_unstable();
            names.windows(2).any(|pair| pair[0] == pair[1])
        };
        let values: Vec<&String> = self.values.iter().collect();
        if is_twice(&names) || is_twice(&values) {
            return Err(Failure::refused(
                "flamegraph_config: a column is named twice",
            ));
        }
        Ok(())
    }
}

/// The texts of a table with one row.
fn words(mut argument: Rows<'_>) -> Result<Vec<String>, Failure> {
    let mut row = Vec::new();
    let text = |bytes: &&[u8]| match cell(bytes) {
        Cell::Text(text) => Ok(String::from_utf8_lossy(&text).into_owned()),
        _ => Err(Failure::refused(
            "flamegraph_config: each argument must be a text",
        )),
    };
    match argument.next_row(&mut row) {
        Ok(true) => row.iter().map(text).collect(),
        _ => Err(Failure::refused(
            "the argument must be __intrinsic_flamegraph_config(…)",
        )),
    }
}

fn view(word: &str) -> Result<View, Failure> {
    Ok(match word {
        "TOP_DOWN" => View::TopDown,
        "BOTTOM_UP" => View::BottomUp,
        "PIVOT" => View::Pivot,
        "FROM_FRAME" => View::FromFrame,
        other => return Err(unknown("view", other)),
    })
}

fn combine(word: &str) -> Result<Combine, Failure> {
    Ok(match word {
        "SUM" => Combine::Sum,
        "ONE_OR_SUMMARY" => Combine::OneOrSummary,
        "CONCAT_WITH_COMMA" => Combine::Concat,
        other => return Err(unknown("aggregate", other)),
    })
}

fn pattern(pattern: &str, flags: &str) -> Result<Regex, Failure> {
    match flags {
        "" | "i" => compile(pattern, flags == "i").map_err(Failure::Refused),
        other => Err(unknown("flag", other)),
    }
}

fn unknown(what: &str, word: &str) -> Failure {
    Failure::refused(format!("flamegraph_config: the {what} {word:?} is unknown"))
}
