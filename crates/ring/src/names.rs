//! Names of ids and methods.

/// The name of an id without a note: `#7`.
pub fn unnamed_id(id: u32) -> String {
    format!("#{id}")
}

/// The name of a method without a note: `7`. A method map can replace it by the real name.
pub fn unnamed_method(id: u32) -> String {
    id.to_string()
}

/// Splits a method name into class, method and signature. The name is `class method signature`, as in method maps, or
/// `class.method`. Kotlin method names may contain spaces.
pub fn method_parts(name: &str) -> (&str, &str, &str) {
    if let Some((class, rest)) = name.split_once(' ') {
        let signature_at = rest.rfind(" (").unwrap_or(rest.len());
        let (method, signature) = rest.split_at(signature_at);
        return (class, method, signature.trim_start());
    }
    match name.rsplit_once('.') {
        Some((class, method)) => (class, method, ""),
        None => ("", name, ""),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_methods() {
        assert_eq!(method_parts("a.B c (I)V"), ("a.B", "c", "(I)V"));
        assert_eq!(method_parts("a.B c"), ("a.B", "c", ""));
        let blanks = ("a.B", "does it", "(...)");
        assert_eq!(method_parts("a.B does it (...)"), blanks);
        assert_eq!(method_parts("a.B.c"), ("a.B", "c", ""));
        assert_eq!(method_parts("c"), ("", "c", ""));
        assert_eq!(method_parts(&unnamed_method(7)), ("", "7", ""));
    }
}
