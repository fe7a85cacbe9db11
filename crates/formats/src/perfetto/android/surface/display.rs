//! The displays of a snapshot.

use rustc_hash::FxHashMap;

use super::super::super::wire::Fields;
use super::super::rects::{Matrix, Rect};
use super::geometry::{self, Transform, from_sides, whole};

/// The displays, by layer stack.
#[derive(Debug, Default)]
pub(crate) struct Displays {
    by_stack: FxHashMap<u32, Display>,
    /// The bounds that the system gives to layers without bounds of their own: ten times the size of a display.
    pub(super) unbounded: Vec<Rect>,
    largest: (f64, f64),
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Display {
    /// Its area in the coordinates of the layers.
    pub area: Rect,
    pub matrix: Matrix,
    /// Its area, if the message has one.
    pub crop: Option<Rect>,
}

/// The bounds of layers without bounds, if there is no display.
const UNBOUNDED: f64 = 50_000.0;

/// The maximum number of displays whose size is compared with each layer. No phone has as many, but a broken file may.
const MOST_SIZES: usize = 64;

impl Displays {
    /// Adds a `DisplayProto`.
    pub fn add(&mut self, fields: Fields<'_>) {
        let (mut stack, mut size, mut area) = (0, (0.0, 0.0), None);
        let mut transform = None;
        for field in fields {
            match field.number {
                3 => stack = field.uint() as u32,
                4 => size = read_size(field.fields()),
                5 => area = Some(geometry::read(field.fields(), whole)),
                6 => transform = Some(Transform::read(field.fields())),
                _ => {}
            }
        }
        if transform.is_some_and(|transform| transform.quarters() % 2 == 1) {
            size = (size.1, size.0);
        }
        if self.unbounded.len() < 2 * MOST_SIZES {
            self.unbounded.extend(unbounded(size));
        }
        self.largest = (self.largest.0.max(size.0), self.largest.1.max(size.1));
        let before = self.by_stack.get(&stack).and_then(|display| display.crop);
        let display = Display {
            area: area.unwrap_or_default(),
            matrix: matrix(transform, area),
            crop: area.or(before),
        };
        self.by_stack.insert(stack, display);
    }

    pub(super) fn of(&self, stack: u32) -> Option<&Display> {
        self.by_stack.get(&stack)
    }

    /// Whether a rectangle is the system's default for layers without bounds.
    pub(super) fn is_unbounded(&self, rect: &Rect) -> bool {
        let mut all = self
            .unbounded
            .iter()
            .copied()
            .chain(unbounded(self.largest));
        !self.unbounded.is_empty() && all.any(|known| rect.is_close_to(&known))
    }
}

/// Whether a rectangle is the system's default for the case that it knows no display.
pub(super) fn is_default(rect: &Rect) -> bool {
    let [low, high] = [-UNBOUNDED, UNBOUNDED];
    rect.is_close_to(&from_sides([low, low, high, high]))
}

/// A `SizeProto`.
fn read_size(fields: Fields<'_>) -> (f64, f64) {
    let mut size = (0.0, 0.0);
    for field in fields {
        match field.number {
            1 => size.0 = whole(field),
            2 => size.1 = whole(field),
            _ => {}
        }
    }
    size
}

fn unbounded((w, h): (f64, f64)) -> [Rect; 2] {
    let (x, y) = (w * 10.0, h * 10.0);
    [from_sides([-x, -y, x, y]), from_sides([-y, -x, y, x])]
}

/// The transformation of a display. A rotated display is moved back into the positive quadrant.
fn matrix(transform: Option<Transform>, area: Option<Rect>) -> Matrix {
    let Some(transform) = transform else {
        return Matrix::IDENTITY;
    };
    let [dsdx, dtdx, dsdy, dtdy] = transform.factors;
    let mut matrix = if transform.is_simple() {
        transform.simple((0.0, 0.0))
    } else {
        Matrix {
            dsdx,
            dtdx,
            dsdy,
            dtdy,
            ..Matrix::IDENTITY
        }
    };
    if let Some(area) = area.filter(|_| transform.has_kind) {
        (matrix.tx, matrix.ty) = match transform.quarters() {
            3 => (area.w, matrix.ty),
            2 => (area.w, area.h),
            1 => (matrix.tx, area.h),
            _ => (matrix.tx, matrix.ty),
        };
    }
    matrix
}
