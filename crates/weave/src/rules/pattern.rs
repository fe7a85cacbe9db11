//! Matching names with wildcards.
//!
//! The code is our own, because `*` must stop at dots. In the `glob` and `globset` crates it stops at path separators.

/// Whether a dotted name matches a pattern: `*` matches anything but a dot, `**` matches anything.
pub(super) fn matches(pattern: &str, name: &str) -> bool {
    matches_bytes(pattern.as_bytes(), name.as_bytes())
}

/// Backtracks only to the last wildcard. So the running time is at most O(pattern length * name length).
fn matches_bytes(pattern: &[u8], name: &[u8]) -> bool {
    let (mut p, mut n) = (0, 0);
    // For the last `*` and the last `**`: the position after it in the pattern, and the position in the name at which
    // it was last tried.
    let mut back: [Option<(usize, usize)>; 2] = [None, None];
    loop {
        match (pattern.get(p), name.get(n)) {
            (Some(b'*'), _) if pattern.get(p + 1) == Some(&b'*') => {
                back = [None, Some((p + 2, n))];
                p += 2;
            }
            (Some(b'*'), _) => {
                back[0] = Some((p + 1, n));
                p += 1;
            }
            (None, None) => return true,
            (Some(want), Some(have)) if want == have => (p, n) = (p + 1, n + 1),
            _ => {
                let single = back[0].filter(|(_, at)| name.get(*at).is_some_and(|c| *c != b'.'));
                let slot = match (single, back[1]) {
                    (Some(_), _) => 0,
                    (None, Some((_, at))) if at < name.len() => 1,
                    _ => return false,
                };
                if slot == 1 {
                    back[0] = None;
                }
                let (after, at) = back[slot].unwrap_or_default();
                back[slot] = Some((after, at + 1));
                (p, n) = (after, at + 1);
            }
        }
    }
}

/// Whether a class is in a package or one of its subpackages.
pub(super) fn in_package(package: &str, class: &str) -> bool {
    match class.strip_prefix(package) {
        Some(rest) => rest.starts_with('.') || package.is_empty(),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wildcards_stop_at_dots_unless_doubled() {
        let fit = [
            ("a.b.C", "a.b.C"),
            ("a.*.C", "a.b.C"),
            ("a.**", "a.b.C.d"),
            ("**.C", "a.b.C"),
            ("*", "C"),
            ("**", ""),
            ("a.b.*", "a.b.C$D"),
            ("**.on*", "a.b.C.onDraw"),
            ("**a*c", "xax.abc"),
            ("a*b*c", "aXbYbZc"),
        ];
        for (pattern, name) in fit {
            assert!(matches(pattern, name), "{pattern} {name}");
        }
        let differ = [
            ("a.*", "a.b.C"),
            ("*", "a.b"),
            ("a", "ab"),
            ("a*", "b"),
            ("", "a"),
            ("**.on*", "a.on.x"),
        ];
        for (pattern, name) in differ {
            assert!(!matches(pattern, name), "{pattern} {name}");
        }
    }

    #[test]
    fn packages_include_their_subpackages() {
        assert!(in_package("com.example", "com.example.feed.Row"));
        assert!(!in_package("com.example", "com.examples.Row"));
        assert!(!in_package("com.example.Row", "com.example.Row"));
    }
}
