//! Arguments with names that tools add to a recorded trace.

use super::writer::Writer;

impl<'s> Writer<'_, 's> {
    /// Adds the name and the interface of a Mojo method whose address is interned. Returns whether the method is known.
    pub fn mojo_method(&mut self, prefix: &str, iid: u64) -> bool {
        let Some(function) = self.renames.function(&self.names, iid) else {
            return false;
        };
        let function = String::from_utf8_lossy(function);
        let tag = format!("{prefix}.mojo_interface_tag");
        let name = method(&function);
        self.text(&format!("{prefix}.mojo_method_name"), name.as_bytes());
        // Old versions of Chrome write the tag itself.
        let known = self.out.trace().strings.lookup(&tag);
        let has_tag = self.args.iter().any(|(key, _)| Some(*key) == known);
        if !has_tag {
            self.text(&tag, interface(&function).as_bytes());
        }
        true
    }

    /// Adds the name of a class. A view gets its original name from before R8.
    pub fn class_name(&mut self, key: &str, prefix: &str, class: &'s [u8]) {
        let is_view = without_indexes(prefix) == "android_view_dump.activity.view";
        let survey = self.names.survey;
        let original = is_view.then(|| self.renames.class(survey, class));
        self.text(key, original.flatten().unwrap_or(class));
    }
}

/// The name of a method, derived from the function that Chrome generates for it.
fn method(function: &str) -> &str {
    let name = function.strip_suffix("()").unwrap_or(function);
    name.strip_suffix("_Sym::IPCStableHash").unwrap_or(name)
}

/// The interface in the name of a Mojo function: `a.B` for `a::B::Method_Sym::IPCStableHash`. Other names are returned
/// unchanged.
fn interface(function: &str) -> String {
    let parts: Vec<&str> = function
        .split("::")
        .filter(|part| !part.is_empty())
        .collect();
    match parts.as_slice() {
        [interface @ .., _, _] if !interface.is_empty() => interface.join("."),
        _ => function.to_owned(),
    }
}

/// A key without the indexes of lists.
fn without_indexes(key: &str) -> String {
    let parts = key.split('[').enumerate();
    let after = |(at, part): (usize, &str)| match part.split_once(']') {
        Some((_, rest)) if at > 0 => rest.to_owned(),
        _ => part.to_owned(),
    };
    parts.map(after).collect()
}
