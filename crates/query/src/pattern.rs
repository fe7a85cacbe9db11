//! Regular expressions. The crate `regex` matches in linear time, whatever the pattern.

use regex::{Regex, RegexBuilder};

/// The maximum memory of a compiled pattern, bytes.
const MOST_MEMORY: usize = 4 << 20;

/// Compiles a pattern.
///
/// # Errors
///
/// The reason why the pattern is invalid.
pub(crate) fn compile(pattern: &str, ignores_case: bool) -> Result<Regex, String> {
    RegexBuilder::new(pattern)
        .case_insensitive(ignores_case)
        .size_limit(MOST_MEMORY)
        .dfa_size_limit(MOST_MEMORY)
        .build()
        .map_err(|error| match error {
            regex::Error::CompiledTooBig(_) => {
                "the regular expression is too large or repeats too often".to_owned()
            }
            error => format!("the regular expression is wrong: {error}"),
        })
}
