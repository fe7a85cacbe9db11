//! Where each box and point stands: the placement of `layout-rs` (Brandes and Köpf), given our rows
//! in our order.
//!
//! The library's own steps before it are not used: its check for cycles follows every path and
//! its crossing reduction compares all pairs, which takes minutes on a hundred nodes.

use layout::core::base::Orientation;
use layout::core::geometry::{Point, Position};
use layout::core::style::StyleAttr;
use layout::std_shapes::shapes::{Element, ShapeKind};
use layout::topo::layout::VisualGraph;
use layout::topo::placer::Placer;

use super::layers::Layers;

/// Room between boxes side by side, px.
const GAP_X: f64 = 28.0;

/// Room between rows, px: for arrows and the counts on them.
const GAP_Y: f64 = 50.0;

/// Room beside a point of a long edge, px.
const POINT_GAP: f64 = 14.0;

/// A rectangle by its middle, px.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Spot {
    pub x: f64,
    pub y: f64,
    pub width: f64,
    pub height: f64,
}

impl Spot {
    pub(super) fn top(&self) -> f64 {
        self.y - self.height / 2.0
    }

    pub(super) fn bottom(&self) -> f64 {
        self.y + self.height / 2.0
    }
}

/// The places of all vertices; points have no size. `sizes` are those of the boxes.
pub(super) fn place(layers: &Layers, sizes: &[(f64, f64)]) -> Vec<Spot> {
    let mut picture = VisualGraph::new(Orientation::TopToBottom);
    picture.dag.set_validate(false);
    let handles: Vec<_> = (0..layers.row_of.len())
        .map(|vertex| picture.add_node(element(sizes.get(vertex).copied())))
        .collect();
    for pair in layers.ways.iter().flat_map(|way| way.vertices.windows(2)) {
        picture.dag.add_edge(handles[pair[0]], handles[pair[1]]);
    }
    *picture.dag.ranks_mut() = layers
        .rows
        .iter()
        .map(|row| row.iter().map(|&vertex| handles[vertex]).collect())
        .collect();
    Placer::new(&mut picture).layout(false);
    let mut spots: Vec<Spot> = handles
        .iter()
        .map(|&handle| {
            let position = picture.pos(handle);
            let (middle, size) = (position.middle(), position.size(false));
            Spot {
                x: middle.x,
                y: middle.y,
                width: size.x,
                height: size.y,
            }
        })
        .collect();
    align_rows(layers, &mut spots);
    spots
}

fn element(size: Option<(f64, f64)>) -> Element {
    let (shape, size, gap) = match size {
        Some((width, height)) => (
            ShapeKind::new_box(""),
            Point::new(width, height),
            Point::new(GAP_X, GAP_Y),
        ),
        None => (
            ShapeKind::new_connector(""),
            Point::new(1.0, 1.0),
            Point::new(POINT_GAP, GAP_Y),
        ),
    };
    let mut element = Element::create(shape, StyleAttr::simple(), Orientation::TopToBottom, size);
    element.pos = Position::new(Point::zero(), size, Point::zero(), gap);
    element
}

/// The library hangs a row's boxes from one line; they look better on a common middle. Points
/// take the height of their row, so that edges pass it straight.
fn align_rows(layers: &Layers, spots: &mut [Spot]) {
    let mut top = 0.0;
    for row in &layers.rows {
        let height = row
            .iter()
            .map(|&vertex| spots[vertex].height)
            .fold(0.0, f64::max);
        for &vertex in row {
            spots[vertex].y = top + height / 2.0;
            if vertex >= layers.boxes {
                (spots[vertex].width, spots[vertex].height) = (0.0, height);
            }
        }
        top += height + GAP_Y;
    }
}
