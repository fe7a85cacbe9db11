//! Parses the fields of any kernel event from the text that its print format produced.

mod general;
mod irregular;
mod patterns;
mod print;
mod read;
#[cfg(test)]
mod tests;

pub(super) use general::{
    SURE_PAIRS, begins_number, is_symbolic, text_field, trim_value, value, value_of,
};
pub(super) use print::{by_pattern as print_by_pattern, pattern_keys};
pub(super) use read::{fields, trimmed_fields};
