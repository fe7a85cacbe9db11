//! The order in which layers are drawn.
//!
//! ```text
//! parent z=0 ── child z=-1       drawn from bottom to top: child z=-1, parent, child z=0, child z=2
//!            ├─ child z=0
//!            └─ child z=2
//! ```
//! A layer can be drawn relative to a layer other than its parent.

use rustc_hash::{FxHashMap, FxHashSet};

use super::layer::Layer;

/// The next step of a walk through the tree.
enum Step {
    Visit(usize),
    Draw(usize),
}

/// The indexes of the layers from bottom to top. Layers that cannot be reached from a root are missing.
pub(crate) fn bottom_to_top(layers: &[Layer<'_>]) -> Vec<usize> {
    let (roots, children) = tree(layers);
    let mut steps: Vec<Step> = roots.into_iter().rev().map(Step::Visit).collect();
    let mut drawn = Vec::new();
    while let Some(step) = steps.pop() {
        match step {
            Step::Draw(layer) => drawn.push(layer),
            Step::Visit(layer) => {
                let id = layers[layer].id.unwrap_or_default();
                let children = children.get(&id).map_or(&[][..], Vec::as_slice);
                let below = children.partition_point(|child| layers[*child].z < 0);
                steps.extend(children[below..].iter().rev().copied().map(Step::Visit));
                steps.push(Step::Draw(layer));
                steps.extend(children[..below].iter().rev().copied().map(Step::Visit));
            }
        }
    }
    drawn
}

/// The roots, and the children by the id of the layer that they are drawn relative to. All are sorted by height.
fn tree(layers: &[Layer<'_>]) -> (Vec<usize>, FxHashMap<i32, Vec<usize>>) {
    let (mut roots, mut children) = (Vec::new(), FxHashMap::<i32, Vec<usize>>::default());
    let mut seen = FxHashSet::default();
    for (index, layer) in layers.iter().enumerate() {
        // If an id is used twice, it belongs to the first layer.
        if !layer.id.is_some_and(|id| seen.insert(id)) {
            continue;
        }
        if layer.is_root() && layer.z_parent <= 0 {
            roots.push(index);
            continue;
        }
        let parent = layer.parent.unwrap_or(0);
        let relative = [layer.z_parent, parent];
        if let Some(parent) = relative.into_iter().find(|id| *id > 0) {
            children.entry(parent).or_default().push(index);
        }
    }
    let height = |index: &usize| (layers[*index].z, layers[*index].id);
    roots.sort_by_key(height);
    for children in children.values_mut() {
        children.sort_by_key(height);
    }
    (roots, children)
}
