//! The rectangles of layers: their bounds, and the areas where they receive input.

use rustc_hash::FxHashMap;

use super::super::super::wire::Fields;
use super::super::rects::{Rect, TraceRect};
use super::display::{Display, Displays, is_default};
use super::geometry::{self, whole};
use super::layer::Layer;
use super::visibility::Visibility;

/// Flags of an input window.
mod flag {
    pub const NOT_TOUCHABLE: u64 = 1 << 3;
    pub const WALLPAPER: u64 = 1 << 6;
    pub const SPY: u64 = 1 << 14;
}

/// The rectangles of a layer.
#[derive(Clone, Debug, Default)]
pub(crate) struct Boxes {
    pub bounds: Option<TraceRect>,
    pub input: Option<TraceRect>,
    /// The part of the input area that can be touched, if that is known.
    pub touchable: Option<Vec<Rect>>,
}

/// The next depth on each display.
#[derive(Default)]
struct Depths(FxHashMap<u32, i64>);

impl Depths {
    /// Adds a rectangle. Depths begin with 1 if the display is known.
    fn next(&mut self, stack: u32, displays: &Displays) -> i64 {
        let first = displays.of(stack).is_some().into();
        let next = self.0.entry(stack).or_insert(first);
        *next += 1;
        *next - 1
    }
}

/// The rectangles of the layers in `order`, from bottom to top.
pub(crate) fn boxes(
    layers: &[Layer<'_>],
    order: &[usize],
    seen: &FxHashMap<usize, Visibility>,
    displays: &Displays,
) -> Vec<(usize, Boxes)> {
    let (mut bounds, mut inputs) = (Depths::default(), Depths::default());
    let boxes = order.iter().map(|index| {
        let layer = &layers[*index];
        let is_visible = seen.get(index).is_some_and(|seen| seen.is_visible);
        let mut found = Boxes::default();
        if has_bounds(layer, is_visible, displays) {
            let depth = bounds.next(layer.stack, displays);
            found.bounds = Some(bounds_rect(layer, is_visible, depth));
        }
        if let Some(input) = layer.input.clone() {
            let depth = inputs.next(layer.stack, displays);
            let window = Window::read(input);
            window.place(layer, is_visible, displays, depth, &mut found);
        }
        (*index, found)
    });
    boxes.collect()
}

/// Whether a layer has bounds of its own.
fn has_bounds(layer: &Layer<'_>, is_visible: bool, displays: &Displays) -> bool {
    let is_own = |rect: &Rect| is_visible || !displays.is_unbounded(rect) && !is_default(rect);
    layer.screen_bounds.as_ref().is_some_and(is_own)
}

fn bounds_rect(layer: &Layer<'_>, is_visible: bool, depth: i64) -> TraceRect {
    let alpha = layer.color.and_then(|color| color.alpha);
    TraceRect {
        rect: layer.bounds.unwrap_or_default(),
        group: layer.stack.into(),
        depth,
        is_visible,
        opacity: alpha.or(is_visible.then_some(0.0)),
        matrix: Some(layer.matrix()),
        border: layer.border,
        ..TraceRect::default()
    }
}

/// An `InputWindowInfoProto`.
#[derive(Default)]
struct Window<'a> {
    frame: Option<Rect>,
    touchable: Option<Fields<'a>>,
    visible: Option<bool>,
    flags: u64,
}

impl<'a> Window<'a> {
    fn read(fields: Fields<'a>) -> Self {
        let mut window = Self::default();
        for field in fields {
            match field.number {
                3 => window.frame = Some(geometry::read(field.fields(), whole)),
                4 => window.touchable = Some(field.fields()),
                6 => window.visible = Some(field.bool()),
                17 => window.flags = field.uint(),
                _ => {}
            }
        }
        window
    }

    /// Finds the rectangles of a window. Its messages use the coordinates of the display; rectangles use those of the
    /// layer.
    fn place(
        &self,
        layer: &Layer<'_>,
        is_visible: bool,
        displays: &Displays,
        depth: i64,
        found: &mut Boxes,
    ) {
        let (matrix, display) = (layer.matrix(), displays.of(layer.stack));
        let undo = matrix.inverse();
        let to_layer = |rect: &Rect| {
            let rect = display.map_or(*rect, |display| display.matrix.rect(rect));
            undo.rect(&rect)
        };
        let mut rect = self.frame.as_ref().map(to_layer).unwrap_or_default();
        let crop = display.filter(|_| self.fills_display(&rect, displays));
        if let Some(display) = crop {
            rect = rect.cropped(&display.area);
        }
        found.input = Some(TraceRect {
            rect,
            group: layer.stack.into(),
            depth,
            is_visible: self.visible.unwrap_or(is_visible),
            is_spy: self.flags & flag::SPY != 0,
            matrix: Some(matrix),
            ..TraceRect::default()
        });
        found.touchable = self.touchable(to_layer, crop);
    }

    /// Whether a window has no area of its own, so that it fills its display.
    fn fills_display(&self, rect: &Rect, displays: &Displays) -> bool {
        rect.is_empty() || self.flags & flag::WALLPAPER != 0 || displays.is_unbounded(rect)
    }

    /// The touchable rectangles. If nothing can be touched, there is one without an area.
    fn touchable(
        &self,
        to_layer: impl Fn(&Rect) -> Rect,
        crop: Option<&Display>,
    ) -> Option<Vec<Rect>> {
        let can_touch = self.flags & flag::NOT_TOUCHABLE == 0;
        let region = self.touchable.clone().filter(|_| can_touch);
        if can_touch && region.is_none() {
            return None;
        }
        let region = region.into_iter().flatten();
        let rects = region.filter(|field| field.number == 2);
        let rects = rects.map(|field| {
            let rect = to_layer(&geometry::read(field.fields(), whole));
            crop.map_or(rect, |display| rect.cropped(&display.area))
        });
        let mut rects: Vec<Rect> = rects.collect();
        if rects.is_empty() {
            rects.push(Rect::default());
        }
        Some(rects)
    }
}
