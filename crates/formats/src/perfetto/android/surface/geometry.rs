//! Geometry of rectangles and transformations.

use super::super::super::wire::{Field, Fields};
use super::super::rects::{Matrix, Rect};

/// Coordinates that differ by less are the same.
const CLOSE: f64 = 0.01;

fn is_close(a: f64, b: f64) -> bool {
    (a - b).abs() < CLOSE
}

fn is_most(a: f64, b: f64) -> bool {
    a <= b || is_close(a, b)
}

/// The value of a field of type `float`.
pub(super) fn float(field: Field<'_>) -> f64 {
    f32::from_bits(field.uint() as u32).into()
}

/// A rectangle from its sides.
pub(super) fn from_sides([left, top, right, bottom]: [f64; 4]) -> Rect {
    Rect {
        x: left,
        y: top,
        w: right - left,
        h: bottom - top,
    }
}

/// A rectangle whose sides are the fields 1 to 4.
pub(super) fn read(fields: Fields<'_>, side: fn(Field<'_>) -> f64) -> Rect {
    let mut sides = [0.0; 4];
    for field in fields {
        let place = (field.number as usize).wrapping_sub(1);
        if let Some(known) = sides.get_mut(place) {
            *known = side(field);
        }
    }
    from_sides(sides)
}

/// A side of a `RectProto`.
pub(super) fn whole(field: Field<'_>) -> f64 {
    field.int32().into()
}

impl Rect {
    fn right(&self) -> f64 {
        self.x + self.w
    }

    fn bottom(&self) -> f64 {
        self.y + self.h
    }

    /// The part inside another rectangle.
    pub(super) fn cropped(&self, other: &Self) -> Self {
        from_sides([
            self.x.max(other.x),
            self.y.max(other.y),
            self.right().min(other.right()),
            self.bottom().min(other.bottom()),
        ])
    }

    pub(super) fn is_close_to(&self, other: &Self) -> bool {
        let pairs = [
            (self.x, other.x),
            (self.y, other.y),
            (self.w, other.w),
            (self.h, other.h),
        ];
        pairs.into_iter().all(|(a, b)| is_close(a, b))
    }

    pub(super) fn overlaps(&self, other: &Self) -> bool {
        let meets = self.x < other.right()
            && other.x < self.right()
            && self.y <= other.bottom()
            && other.y <= self.bottom();
        let w = if self.right() > other.right() {
            other.w
        } else {
            self.w
        };
        let h = if self.bottom() > other.bottom() {
            other.h
        } else {
            self.h
        };
        meets && w > 0.0 && h > 0.0
    }
}

/// A rectangle with the radii of its corners: top left, top right, bottom left, bottom right.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rounded {
    pub rect: Rect,
    pub radii: [f64; 4],
}

impl Rounded {
    /// Whether an inner rectangle is completely inside this one.
    pub fn contains(&self, inner: &Self) -> bool {
        let (outer, within) = (&self.rect, &inner.rect);
        let is_inside = !outer.is_empty()
            && is_most(outer.x, within.x)
            && is_most(outer.y, within.y)
            && is_most(within.right(), outer.right())
            && is_most(within.bottom(), outer.bottom());
        is_inside && (0..4).all(|corner| self.covers(inner, corner))
    }

    /// Whether the rounding of a corner leaves the inner rectangle's corner uncut.
    fn covers(&self, inner: &Self, corner: usize) -> bool {
        let radius = self.radii[corner];
        let (own, other) = (self.center(corner), inner.center(corner));
        let is_right = corner % 2 == 1;
        let is_low = corner >= 2;
        let beyond_x = if is_right {
            own.0 < other.0
        } else {
            own.0 >= other.0
        };
        let beyond_y = if is_low {
            own.1 < other.1
        } else {
            own.1 >= other.1
        };
        if radius <= inner.radii[corner] || !beyond_x || !beyond_y {
            return true;
        }
        let (dx, dy) = (other.0 - own.0, other.1 - own.1);
        dx * dx + dy * dy <= radius * radius + CLOSE
    }

    /// The center of a corner's circle.
    fn center(&self, corner: usize) -> (f64, f64) {
        let (rect, radius) = (&self.rect, self.radii[corner]);
        let x = if corner % 2 == 1 {
            rect.right() - radius
        } else {
            rect.x + radius
        };
        let y = if corner >= 2 {
            rect.bottom() - radius
        } else {
            rect.y + radius
        };
        (x, y)
    }
}

impl Matrix {
    pub(super) const IDENTITY: Self = Self {
        dsdx: 1.0,
        dtdx: 0.0,
        tx: 0.0,
        dtdy: 0.0,
        dsdy: 1.0,
        ty: 0.0,
    };

    fn point(&self, (x, y): (f64, f64)) -> (f64, f64) {
        (
            self.dsdx * x + self.dtdx * y + self.tx,
            self.dtdy * x + self.dsdy * y + self.ty,
        )
    }

    /// The smallest upright rectangle around a transformed one.
    pub(super) fn rect(&self, rect: &Rect) -> Rect {
        let (one, other) = (
            self.point((rect.x, rect.y)),
            self.point((rect.right(), rect.bottom())),
        );
        from_sides([
            one.0.min(other.0),
            one.1.min(other.1),
            one.0.max(other.0),
            one.1.max(other.1),
        ])
    }

    fn determinant(&self) -> f64 {
        self.dsdx * self.dsdy - self.dtdx * self.dtdy
    }

    /// Whether it can be undone.
    pub(super) fn is_valid(&self) -> bool {
        self.determinant().abs() >= 0.000_001
    }

    pub(super) fn inverse(&self) -> Self {
        let scale = 1.0 / self.determinant();
        let turned = Self {
            dsdx: self.dsdy * scale,
            dtdx: -self.dtdx * scale,
            tx: 0.0,
            dtdy: -self.dtdy * scale,
            dsdy: self.dsdx * scale,
            ty: 0.0,
        };
        let (tx, ty) = turned.point((-self.tx, -self.ty));
        Self { tx, ty, ..turned }
    }
}

/// A `TransformProto`.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Transform {
    pub kind: i32,
    pub has_kind: bool,
    /// dsdx, dtdx, dsdy and dtdy.
    pub factors: [f64; 4],
}

/// Flags of the type of a transformation.
mod flag {
    pub const SCALES: i32 = 0x4;
    pub const FLIPS: i32 = 0x300;
    pub const TURNS: i32 = 0x400;
    pub const INVALID: i32 = 0x8000;
}

impl Transform {
    pub fn read(fields: Fields<'_>) -> Self {
        let mut transform = Self::default();
        for field in fields {
            match field.number {
                number @ 1..=4 => transform.factors[number as usize - 1] = float(field),
                5 => (transform.kind, transform.has_kind) = (field.int32(), true),
                _ => {}
            }
        }
        transform
    }

    /// Whether it is not a rotation by a multiple of 90 degrees.
    pub fn is_invalid(&self) -> bool {
        self.kind & flag::INVALID != 0
    }

    /// Whether the type alone determines it.
    pub fn is_simple(&self) -> bool {
        self.kind & (flag::INVALID | flag::SCALES) == 0
    }

    /// The rotation in quarters, if it is a rotation.
    pub fn quarters(&self) -> u8 {
        let has = |flags: i32| self.kind & flags == flags;
        match (has(flag::TURNS), has(flag::FLIPS)) {
            (true, true) => 3,
            (false, true) => 2,
            (true, false) => 1,
            (false, false) => 0,
        }
    }

    /// The transformation of a simple type that moves to a position.
    pub fn simple(&self, (tx, ty): (f64, f64)) -> Matrix {
        let (dsdx, dtdx, dtdy, dsdy) = match self.quarters() {
            3 => (0.0, -1.0, 1.0, 0.0),
            2 => (-1.0, 0.0, 0.0, -1.0),
            1 => (0.0, 1.0, -1.0, 0.0),
            _ => (1.0, 0.0, 0.0, 1.0),
        };
        Matrix {
            dsdx,
            dtdx,
            tx,
            dtdy,
            dsdy,
            ty,
        }
    }
}
