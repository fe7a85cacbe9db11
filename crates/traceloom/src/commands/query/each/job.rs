//! The data that all files share.

use traceloom_query::Limits;

use super::super::args::QueryArgs;
use super::super::input::Question;
use super::super::pattern::PathPattern;

pub(super) const PATH: &str = "path";
pub(super) const APP: &str = "app";
const DEVICE: &str = "device";

/// A query, and the columns that are added to its results.
pub(super) struct Job<'a> {
    pub args: &'a QueryArgs,
    pub question: &'a Question,
    pub limits: Limits,
    /// The names of the columns before those of the query; the columns of the pattern come last.
    pub own: Vec<String>,
}

impl<'a> Job<'a> {
    pub fn new(args: &'a QueryArgs, question: &'a Question, limits: Limits) -> Self {
        let in_path: Vec<&str> = args.pattern.iter().flat_map(PathPattern::columns).collect();
        let standard = [PATH, APP, DEVICE].into_iter();
        let own = standard
            .filter(|name| !in_path.contains(name))
            .chain(in_path.iter().copied());
        Self {
            args,
            question,
            limits,
            own: own.map(str::to_owned).collect(),
        }
    }
}
