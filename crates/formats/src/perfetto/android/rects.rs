//! Rectangles on a screen. Rows of Winscope tables share equal rectangles.

use rustc_hash::FxHashMap;
use traceloom_trace::{ArgValue, NO_TIME, RecordId, TraceBuilder};

use super::messages::Messages;

/// A rectangle: left, top, width, height.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Rect {
    pub x: f64,
    pub y: f64,
    pub w: f64,
    pub h: f64,
}

impl Rect {
    /// Whether the rectangle has no area.
    pub fn is_empty(&self) -> bool {
        self.w <= 0.0 || self.h <= 0.0
    }

    /// A `RectProto`.
    pub fn read(messages: &mut Messages<'_>, content: &[u8]) -> Self {
        let sides = ["left", "top", "right", "bottom"];
        let [left, top, right, bottom] = sides.map(|side| {
            let side = messages.find("RectProto", content, side);
            f64::from(side.map_or(0, |side| side.int32()))
        });
        Self {
            x: left,
            y: top,
            w: right - left,
            h: bottom - top,
        }
    }
}

/// A transformation of the plane: `x' = dsdx x + dtdx y + tx`, `y' = dtdy x + dsdy y + ty`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Matrix {
    pub dsdx: f64,
    pub dtdx: f64,
    pub tx: f64,
    pub dtdy: f64,
    pub dsdy: f64,
    pub ty: f64,
}

/// The rectangle of an object in a snapshot.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct TraceRect {
    pub rect: Rect,
    /// The id of a display. Rectangles of a group are drawn together.
    pub group: i64,
    pub depth: i64,
    pub is_visible: bool,
    /// Whether it receives input that others receive, too.
    pub is_spy: bool,
    pub opacity: Option<f64>,
    /// From the coordinates of the rectangle to those of the screen.
    pub matrix: Option<Matrix>,
    /// The width of the border, and its color.
    pub border: Option<(f64, i64)>,
}

/// The rows of rectangles.
#[derive(Default)]
pub(super) struct Rects {
    rows: FxHashMap<[u64; 4], RecordId>,
    matrices: FxHashMap<[u64; 6], RecordId>,
}

impl Rects {
    /// The row of a rectangle. Equal rectangles share a row.
    pub fn row(&mut self, rect: Rect, out: &mut TraceBuilder) -> ArgValue {
        // Adding 0.0 turns -0.0 into 0.0, which has different bits.
        let sides = [rect.x, rect.y, rect.w, rect.h].map(|side| side + 0.0);
        let row = self.rows.entry(sides.map(f64::to_bits)).or_insert_with(|| {
            let [x, y, w, h] = sides.map(ArgValue::Float);
            let cells = [("x", x), ("y", y), ("w", w), ("h", h)];
            out.record(NO_TIME, "__intrinsic_winscope_rect", &cells)
        });
        (*row).into()
    }

    /// The row of a transformation. Equal transformations share a row.
    fn matrix(&mut self, matrix: Matrix, out: &mut TraceBuilder) -> ArgValue {
        let Matrix {
            dsdx,
            dtdx,
            tx,
            dtdy,
            dsdy,
            ty,
        } = matrix;
        let parts = [dsdx, dtdx, tx, dtdy, dsdy, ty].map(|part| part + 0.0);
        let row = self.matrices.entry(parts.map(f64::to_bits));
        let row = row.or_insert_with(|| {
            let names = ["dsdx", "dtdx", "tx", "dtdy", "dsdy", "ty"];
            let cells = names.into_iter().zip(parts.map(ArgValue::Float));
            let cells: Vec<_> = cells.collect();
            out.record(NO_TIME, "__intrinsic_winscope_transform", &cells)
        });
        (*row).into()
    }

    /// Adds a touchable part of the input area that has the row `area`.
    pub fn fill(&mut self, area: ArgValue, rect: Rect, out: &mut TraceBuilder) {
        let cells = [("trace_rect_id", area), ("rect_id", self.row(rect, out))];
        out.record(NO_TIME, "__intrinsic_winscope_fill_region", &cells);
    }

    /// A new row for the rectangle of an object.
    pub fn trace_row(&mut self, rect: TraceRect, out: &mut TraceBuilder) -> ArgValue {
        let mut cells = vec![
            ("rect_id", self.row(rect.rect, out)),
            ("group_id", ArgValue::Int(rect.group)),
            ("depth", ArgValue::Int(rect.depth)),
            ("is_spy", ArgValue::Int(rect.is_spy.into())),
            ("is_visible", ArgValue::Int(rect.is_visible.into())),
        ];
        let opacity = rect.opacity.map(ArgValue::Float);
        cells.extend(opacity.map(|opacity| ("opacity", opacity)));
        if let Some(matrix) = rect.matrix {
            cells.push(("transform_id", self.matrix(matrix, out)));
        }
        if let Some((width, color)) = rect.border {
            cells.push(("border_width", ArgValue::Float(width)));
            cells.push(("border_color", ArgValue::Int(color)));
        }
        out.record(NO_TIME, "__intrinsic_winscope_trace_rect", &cells)
            .into()
    }
}
