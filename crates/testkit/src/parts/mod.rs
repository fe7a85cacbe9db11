//! Inputs of many small parts: many blocks, entries, threads or names. A reader that does some work
//! for all earlier parts at each new part takes hours for such an input.
//!
//! There is a function for each container, each kind of source and each table.

mod archives;
mod binary;
mod json;
mod kind;
mod pages;
mod perf_data;
mod perfetto;
mod reports;
mod texts;

/// A kind of input that can have any number of parts.
#[derive(Clone, Copy, Debug)]
pub struct Parts {
    /// The name of the repeated part.
    pub name: &'static str,
    /// The input with this many parts.
    pub make: fn(usize) -> Vec<u8>,
}

/// All kinds.
pub fn many_parts() -> Vec<Parts> {
    let lists = [
        archives::KINDS,
        binary::KINDS,
        json::KINDS,
        pages::KINDS,
        perf_data::KINDS,
        perfetto::KINDS,
        reports::KINDS,
        texts::KINDS,
    ];
    let all = lists.into_iter().flatten();
    all.map(|&(name, make)| Parts { name, make }).collect()
}
