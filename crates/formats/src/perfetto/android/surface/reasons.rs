//! The reasons why a layer is not visible, in the words of Winscope.

use super::layer::Layer;
use super::snapshot::{Snapshot, has_effects};

/// The reasons why a layer is not visible.
pub(super) fn reasons(
    snapshot: &Snapshot<'_, '_>,
    layer: &Layer<'_>,
    is_occluded: bool,
) -> Vec<String> {
    let has_bounds = layer.bounds.is_some_and(|bounds| !bounds.is_empty());
    let has_alpha = layer.color.is_some_and(|color| !is_zero(color.alpha()));
    let has_color = has_alpha && layer.color.is_some_and(|color| color.is_valid());
    let is_bare = !layer.has_buffer && !has_effects(layer) && layer.blur <= 0;
    let all = [
        (layer.is_hidden(), "flag is hidden"),
        (snapshot.is_hidden_by_parent(layer), "hidden by parent"),
        (!layer.has_buffer, "buffer is empty"),
        (!has_alpha, "alpha is 0"),
        (!has_bounds, "bounds is 0x0"),
        (!has_bounds && !has_color, "crop is 0x0"),
        (!layer.matrix().is_valid(), "transform is invalid"),
        (is_bare, "does not have color fill, shadow or blur"),
        (
            layer.visible_region == Some(false),
            "visible region calculated by Composition Engine is empty",
        ),
        (
            layer.visible_region.is_none() && !snapshot.is_early,
            "null visible region",
        ),
        (is_occluded, "occluded"),
    ];
    let found = all.into_iter().filter(|(applies, _)| *applies);
    found
        .map(|(_, reason)| reason_text(layer, reason))
        .collect()
}

/// A reason, with the parent that hides the layer.
fn reason_text(layer: &Layer<'_>, reason: &str) -> String {
    match (reason, layer.parent) {
        ("hidden by parent", Some(parent)) => format!("{reason} {parent}"),
        _ => reason.to_owned(),
    }
}

/// Whether an alpha value makes a layer transparent. -1 means that it has none.
fn is_zero(alpha: f64) -> bool {
    alpha <= 0.0 && alpha > -1.0
}
