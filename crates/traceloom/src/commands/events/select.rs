//! The events selected by the options.

use anyhow::{Result, bail};
use traceloom_analyze::TimeRange;
use traceloom_analyze::events::{EventFilter, event_names};
use traceloom_trace::{StringId, Trace};

use super::args::EventsArgs;
use crate::print::plain;
use crate::wanted::selected_threads;

/// Creates the filter for the options.
///
/// # Errors
/// If an option selects nothing in the trace.
pub(super) fn filter(args: &EventsArgs, trace: &Trace) -> Result<EventFilter> {
    let range = args.range.within(trace)?;
    let mut cpus = args.cpu.clone();
    cpus.sort_unstable();
    Ok(EventFilter {
        range: range.map(|(from_ns, to_ns)| TimeRange { from_ns, to_ns }),
        names: (!args.name.is_empty())
            .then(|| names(&args.name, trace))
            .transpose()?,
        threads: (!args.thread.is_empty() || !args.process.is_empty())
            .then(|| selected_threads(trace, &args.thread, &args.process))
            .transpose()?,
        cpus: (!cpus.is_empty()).then_some(cpus),
    })
}

/// The names that the queries select, sorted.
fn names(queries: &[String], trace: &Trace) -> Result<Vec<StringId>> {
    let names = event_names(trace, &EventFilter::default());
    let names: Vec<(StringId, &str)> = names
        .iter()
        .map(|one| (one.name, trace.strings.get(one.name)))
        .collect();
    let mut found = Vec::new();
    for query in queries {
        let matching = |accept: &dyn Fn(&str) -> bool| -> Vec<StringId> {
            let accepted = names.iter().filter(|(_, name)| accept(name));
            accepted.map(|(id, _)| *id).collect()
        };
        let mut own = matching(&|name| name == query);
        if own.is_empty() && query.contains(['*', '?']) {
            own = matching(&|name| is_like(query, name));
        } else if own.is_empty() {
            own = matching(&|name| name.contains(query.as_str()));
        }
        if own.is_empty() {
            bail!(
                "--name {}: there is no such event; traceloom events FILE counts them by name",
                plain(query)
            );
        }
        found.extend(own);
    }
    found.sort_unstable();
    found.dedup();
    Ok(found)
}

/// Whether a text matches a pattern in which `*` stands for any characters and `?` for one.
///
/// After a mismatch, the last `*` takes one more character. An earlier `*` need not be tried again,
/// because the last `*` can take the same characters.
fn is_like(pattern: &str, text: &str) -> bool {
    let (pattern, text): (Vec<char>, Vec<char>) =
        (pattern.chars().collect(), text.chars().collect());
    let (mut at, mut place) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while place < text.len() {
        match pattern.get(at) {
            Some('*') => {
                star = Some((at, place));
                at += 1;
            }
            Some(&letter) if letter == '?' || letter == text[place] => {
                at += 1;
                place += 1;
            }
            _ => match &mut star {
                Some((behind, taken)) => {
                    *taken += 1;
                    (at, place) = (*behind + 1, *taken);
                }
                None => return false,
            },
        }
    }
    pattern[at..].iter().all(|letter| *letter == '*')
}

#[cfg(test)]
mod tests {
    use super::is_like;

    #[test]
    fn patterns_match_whole_names() {
        for (pattern, text) in [
            ("ext4_*", "ext4_da_write_begin"),
            ("*_begin", "ext4_da_write_begin"),
            ("*write*", "ext4_da_write_begin"),
            ("e?t4*b*n", "ext4_da_write_begin"),
            ("*", ""),
            ("a*a*a", "aaaa"),
            ("?", "ä"),
        ] {
            assert!(is_like(pattern, text), "{pattern} {text}");
        }
        for (pattern, text) in [
            ("ext4_?", "ext4_da"),
            ("*b", "abc"),
            ("?", ""),
            ("a*b", "ac"),
        ] {
            assert!(!is_like(pattern, text), "{pattern} {text}");
        }
        let many = format!("{}b", "*a".repeat(1000));
        assert!(!is_like(&many, &"a".repeat(5000)));
    }
}
