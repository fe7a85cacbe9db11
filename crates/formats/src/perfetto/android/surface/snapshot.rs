//! The layers of a snapshot, and what each of them shows on its own.

use rustc_hash::FxHashMap;

use super::layer::{Color, Layer};

/// The maximum depth of a tree of layers.
const MOST_LEVELS: usize = 256;

/// The layers of a snapshot.
pub(super) struct Snapshot<'l, 'a> {
    pub layers: &'l [Layer<'a>],
    pub by_id: FxHashMap<i32, usize>,
    /// Whether the snapshot was taken before the composition, so that it has no visible regions.
    pub is_early: bool,
}

impl Snapshot<'_, '_> {
    /// Whether a layer above it in the tree is hidden.
    pub fn is_hidden_by_parent(&self, layer: &Layer<'_>) -> bool {
        let mut layer = layer;
        for _ in 0..MOST_LEVELS {
            let parent = layer.parent.filter(|_| !layer.is_root());
            let parent = parent.and_then(|parent| self.by_id.get(&parent));
            let Some(parent) = parent else {
                return false;
            };
            layer = &self.layers[*parent];
            if layer.is_hidden() {
                return true;
            }
        }
        false
    }

    /// Whether a layer would show something if nothing were above it.
    pub fn shows(&self, layer: &Layer<'_>) -> bool {
        let has_alpha = layer.color.is_some_and(|color| color.alpha() > 0.0);
        let has_content = layer.has_buffer || has_effects(layer);
        let has_region = if self.is_early {
            layer.bounds.is_some_and(|bounds| !bounds.is_empty())
        } else {
            layer.visible_region == Some(true)
        };
        has_alpha
            && has_content
            && has_region
            && !layer.is_hidden()
            && !self.is_hidden_by_parent(layer)
    }
}

/// Whether a layer shows something without a buffer: a shadow or a color.
pub(super) fn has_effects(layer: &Layer<'_>) -> bool {
    let colored = |color: Color| color.alpha() > 0.0 && color.is_valid();
    layer.shadow > 0.0 || layer.color.is_some_and(colored)
}
