//! The options for output as data, and the meaning of `--limit`.

/// Output for other programs instead of a table.
///
/// A command whose lines need other words changes the help with `#[command(mut_arg("csv", …))]`.
#[derive(clap::Args, Clone, Copy, Debug, Default)]
pub struct DataOutput {
    /// Print CSV: times in nanoseconds, names and units in the header line
    #[arg(
        long,
        conflicts_with = "json",
        default_value_if("csv_safe", "true", "true")
    )]
    pub csv: bool,

    /// Like --csv, but safe to open in a spreadsheet: a ' is put before fields that start with =, +, - or @, which a spreadsheet would run as formulas
    #[arg(long, conflicts_with = "json")]
    pub csv_safe: bool,

    /// Print JSON: times in nanoseconds
    #[arg(long)]
    pub json: bool,
}

impl DataOutput {
    /// Whether CSV or JSON is printed.
    pub fn is_chosen(self) -> bool {
        self.csv || self.json
    }

    /// The number of rows to print. A `limit` of 0 means all rows. Without a limit, CSV and JSON have all rows, and a
    /// table has the `usual` number.
    pub fn most_rows(self, limit: Option<usize>, usual: usize) -> usize {
        match limit {
            Some(0) => usize::MAX,
            Some(limit) => limit,
            None if self.is_chosen() => usize::MAX,
            None => usual,
        }
    }
}
