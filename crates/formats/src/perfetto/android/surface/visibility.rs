//! Which layers are visible.

use rustc_hash::FxHashMap;

use super::super::rects::Rect;
use super::display::Displays;
use super::layer::Layer;
use super::reasons::reasons;
use super::snapshot::Snapshot;

/// Whether a layer is visible, and which layers above it cover it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Visibility {
    pub is_visible: bool,
    /// Why it is not visible.
    pub reasons: Vec<String>,
    /// The ids of opaque layers that cover it completely.
    pub occluded_by: Vec<i32>,
    /// The ids of opaque layers that cover a part of it.
    pub partially_occluded_by: Vec<i32>,
    /// The ids of translucent layers above it.
    pub covered_by: Vec<i32>,
}

/// The maximum number of layers with which a layer is compared. No screen shows as many, but a broken file may.
const MOST_ABOVE: usize = 128;

/// The visibility of each layer, by its index. `order` is from bottom to top.
pub(crate) fn visibilities(
    layers: &[Layer<'_>],
    order: &[usize],
    displays: &Displays,
    is_early: bool,
) -> FxHashMap<usize, Visibility> {
    let mut by_id = FxHashMap::default();
    for (index, layer) in layers.iter().enumerate() {
        layer.id.map(|id| by_id.entry(id).or_insert(index));
    }
    let snapshot = Snapshot {
        layers,
        by_id,
        is_early,
    };
    let mut above = Above::default();
    let from_top = order.iter().rev();
    let seen = from_top.map(|index| {
        let layer = &layers[*index];
        let crop = displays.of(layer.stack).and_then(|display| display.crop);
        (*index, above.judge(&snapshot, *index, crop.as_ref()))
    });
    seen.collect()
}

/// The visible layers so far, topmost first.
#[derive(Default)]
struct Above {
    opaque: Vec<usize>,
    translucent: Vec<usize>,
}

impl Above {
    fn judge(
        &mut self,
        snapshot: &Snapshot<'_, '_>,
        index: usize,
        crop: Option<&Rect>,
    ) -> Visibility {
        let layer = &snapshot.layers[index];
        let mut seen = Visibility {
            is_visible: snapshot.shows(layer),
            ..Visibility::default()
        };
        if seen.is_visible {
            self.compare(snapshot, layer, crop, &mut seen);
            let kind = if is_opaque(layer) {
                &mut self.opaque
            } else {
                &mut self.translucent
            };
            if kind.len() < MOST_ABOVE {
                kind.push(index);
            }
        }
        if !seen.is_visible {
            seen.reasons = reasons(snapshot, layer, !seen.occluded_by.is_empty());
        }
        seen
    }

    /// Compares a layer with those above it on the same display.
    fn compare(
        &self,
        snapshot: &Snapshot<'_, '_>,
        layer: &Layer<'_>,
        crop: Option<&Rect>,
        seen: &mut Visibility,
    ) {
        let above = |kind: &[usize]| -> Vec<&Layer<'_>> {
            let layers = kind.iter().map(|index| &snapshot.layers[*index]);
            layers.filter(|other| other.stack == layer.stack).collect()
        };
        for other in above(&self.opaque) {
            let id = other.id.unwrap_or_default();
            if contains(other, layer, crop) {
                seen.is_visible = false;
                seen.occluded_by.push(id);
            } else if overlaps(other, layer, crop) {
                seen.partially_occluded_by.push(id);
            }
        }
        for other in above(&self.translucent) {
            if overlaps(other, layer, crop) {
                seen.covered_by.push(other.id.unwrap_or_default());
            }
        }
    }
}

fn is_opaque(layer: &Layer<'_>) -> bool {
    layer.is_opaque && layer.color.is_some_and(|color| color.alpha() >= 1.0)
}

fn contains(outer: &Layer<'_>, inner: &Layer<'_>, crop: Option<&Rect>) -> bool {
    let both = outer.on_screen(crop).zip(inner.on_screen(crop));
    !outer.is_badly_turned() && both.is_some_and(|(outer, inner)| outer.contains(&inner))
}

fn overlaps(one: &Layer<'_>, other: &Layer<'_>, crop: Option<&Rect>) -> bool {
    let both = one.on_screen(crop).zip(other.on_screen(crop));
    both.is_some_and(|(one, other)| one.rect.overlaps(&other.rect))
}
