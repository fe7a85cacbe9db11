//! Keys of arguments without indexes.

use traceloom_trace::{StringId, Trace};

/// The distinct keys of arguments that contain an index.
pub(super) fn keys_with_indexes(trace: &Trace) -> Vec<StringId> {
    let mut seen = vec![false; trace.strings.len()];
    let mut found = Vec::new();
    for key in trace.args.columns().0.iter() {
        let is_new = seen.get_mut(key.0 as usize);
        if is_new.is_some_and(|seen| !std::mem::replace(seen, true))
            && trace.strings.get(key).contains('[')
        {
            found.push(key);
        }
    }
    found
}

/// The key without indexes: `a.b[0].c` becomes `a.b.c`.
pub(super) fn flat_key(key: &str) -> String {
    let mut flat = String::with_capacity(key.len());
    let mut rest = key;
    while let Some((before, after)) = rest.split_once('[') {
        flat.push_str(before);
        rest = match after.split_once(']') {
            Some((index, after)) if index.bytes().all(|byte| byte.is_ascii_digit()) => after,
            _ => {
                flat.push('[');
                after
            }
        };
    }
    flat + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_indexes_are_left_out() {
        for (key, flat) in [
            ("a.b[0].c", "a.b.c"),
            ("a[12][3]", "a"),
            ("a[x]", "a[x]"),
            ("a[[1]", "a["),
            ("a[1", "a[1"),
        ] {
            assert_eq!(flat_key(key), flat);
        }
    }
}
