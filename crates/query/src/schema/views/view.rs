//! Describes a view.

use super::super::column::Affinity;

/// A view.
#[derive(Debug)]
pub(crate) struct View {
    pub name: &'static str,
    pub doc: &'static str,
    /// The columns in order, for the reference.
    pub columns: &'static str,
    pub select: &'static str,
}

/// The columns of views that contain text, besides names.
const TEXTS: &[&str] = &[
    "architecture",
    "msg",
    "tag",
    "blocked_function",
    "cat",
    "category",
    "cmdline",
    "cpu_mode",
    "description",
    "display_value",
    "end_state",
    "flat_key",
    "jank_severity_type",
    "jank_tag",
    "jank_tag_experimental",
    "jank_type",
    "key",
    "latched_fence_state",
    "model",
    "pci_bdf",
    "prediction_type",
    "present_type",
    "render_subpasses",
    "scope",
    "kind",
    "source",
    "string_value",
    "timebase_unit",
    "trace_type",
    "type",
    "unit",
    "uuid",
    "unwind_error",
    "value_type",
    "vendor",
];

/// The columns of views that contain fractions.
const REALS: &[&str] = &["jank_score", "real_value", "value"];

impl View {
    /// The name and the type of each column.
    pub fn columns(&self) -> impl Iterator<Item = (&'static str, Affinity)> {
        self.columns.split(", ").map(|name| match name {
            name if name.ends_with("name") || TEXTS.contains(&name) => (name, Affinity::Text),
            name if REALS.contains(&name) => (name, Affinity::Real),
            name => (name, Affinity::Integer),
        })
    }
}

pub(super) const fn view(
    name: &'static str,
    doc: &'static str,
    columns: &'static str,
    select: &'static str,
) -> View {
    View {
        name,
        doc,
        columns,
        select,
    }
}
