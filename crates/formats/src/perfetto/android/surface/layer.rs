//! The fields of a `LayerProto` that determine where a layer is and whether it is visible.

use super::super::super::wire::{Field, Fields};
use super::super::rects::{Matrix, Rect};
use super::geometry::{self, Rounded, Transform, float, whole};

/// The flag of a hidden layer.
const HIDDEN: u64 = 1;

/// The id of the root of all offscreen layers.
const OFFSCREEN: i32 = 0x7fff_fffd;

/// A layer.
#[derive(Clone, Debug, Default)]
pub(crate) struct Layer<'a> {
    pub id: Option<i32>,
    pub parent: Option<i32>,
    pub z: i32,
    pub z_parent: i32,
    pub(super) stack: u32,
    flags: u64,
    pub(super) color: Option<Color>,
    pub(super) is_opaque: bool,
    pub(super) bounds: Option<Rect>,
    pub(super) screen_bounds: Option<Rect>,
    /// Whether the visible region has an area, if there is one.
    pub(super) visible_region: Option<bool>,
    pub(super) has_buffer: bool,
    pub(super) shadow: f64,
    pub(super) blur: i32,
    position: (f64, f64),
    transform: Option<Transform>,
    /// The `InputWindowInfoProto`.
    pub(super) input: Option<Fields<'a>>,
    /// The width of the border, and its color.
    pub(super) border: Option<(f64, i64)>,
    pub radii: [f64; 4],
}

/// A `ColorProto`.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Color {
    rgb: [f64; 3],
    pub alpha: Option<f64>,
}

impl Color {
    pub fn alpha(&self) -> f64 {
        self.alpha.unwrap_or(0.0)
    }

    /// Whether it is a color. Negative parts mean that there is none.
    pub fn is_valid(&self) -> bool {
        self.rgb.iter().all(|part| *part >= 0.0)
    }
}

impl<'a> Layer<'a> {
    pub fn read(fields: Fields<'a>) -> Self {
        let mut layer = Self::default();
        for field in fields {
            layer.field(field);
        }
        layer
    }

    fn field(&mut self, field: Field<'a>) {
        match field.number {
            1 => self.id = Some(field.int32()),
            7 => self.visible_region = Some(has_area(field.fields())),
            9 => self.stack = field.uint() as u32,
            10 => self.z = field.int32(),
            11 => self.position = position(field.fields()),
            16 => self.is_opaque = field.bool(),
            20 => self.color = Some(color(field.fields())),
            22 => self.flags = field.uint(),
            23 => self.transform = Some(Transform::read(field.fields())),
            25 => self.parent = Some(field.int32()),
            26 => self.z_parent = field.int32(),
            27 => self.has_buffer = has_buffer(field.fields()),
            45 => self.bounds = Some(geometry::read(field.fields(), float)),
            46 => self.screen_bounds = Some(geometry::read(field.fields(), float)),
            47 => self.input = Some(field.fields()),
            49 => self.shadow = float(field),
            52 => self.blur = field.int32(),
            66 => self.border = border(field.fields()),
            _ => {}
        }
    }

    /// Whether it has no parent.
    pub fn is_root(&self) -> bool {
        self.parent.is_none_or(|parent| parent == -1)
    }

    /// Whether a flag hides it, or it is not on any screen.
    pub fn is_hidden(&self) -> bool {
        self.flags & HIDDEN != 0 || self.id == Some(OFFSCREEN)
    }

    /// Its bounds on the screen, clipped to the display.
    pub(super) fn on_screen(&self, crop: Option<&Rect>) -> Option<Rounded> {
        let bounds = self.screen_bounds?;
        let rect = match crop.filter(|crop| !crop.is_empty()) {
            Some(crop) => bounds.cropped(crop),
            None => bounds,
        };
        Some(Rounded {
            rect,
            radii: self.radii,
        })
    }

    pub(super) fn is_badly_turned(&self) -> bool {
        self.transform
            .is_some_and(|transform| transform.is_invalid())
    }

    /// The transformation from the coordinates of the layer to those of the screen.
    pub(super) fn matrix(&self) -> Matrix {
        let (tx, ty) = self.position;
        let moved = Matrix {
            tx,
            ty,
            ..Matrix::IDENTITY
        };
        match self.transform {
            None => moved,
            Some(transform) if transform.is_simple() => transform.simple(self.position),
            Some(transform) => {
                // SurfaceFlinger writes three of the four factors of layers into other fields.
                let [dsdx, dtdx, dsdy, dtdy] = transform.factors;
                Matrix {
                    dsdx,
                    dtdx: dsdy,
                    dsdy: dtdy,
                    dtdy: dtdx,
                    ..moved
                }
            }
        }
    }
}

/// Whether a `RegionProto` has a rectangle with an area.
fn has_area(mut region: Fields<'_>) -> bool {
    region.any(|field| field.number == 2 && !geometry::read(field.fields(), whole).is_empty())
}

/// A `PositionProto`.
fn position(fields: Fields<'_>) -> (f64, f64) {
    let mut position = (0.0, 0.0);
    for field in fields {
        match field.number {
            1 => position.0 = float(field),
            2 => position.1 = float(field),
            _ => {}
        }
    }
    position
}

fn color(fields: Fields<'_>) -> Color {
    let mut color = Color::default();
    for field in fields {
        match field.number {
            number @ 1..=3 => color.rgb[number as usize - 1] = float(field),
            4 => color.alpha = Some(float(field)),
            _ => {}
        }
    }
    color
}

/// Whether an `ActiveBufferProto` describes a buffer.
fn has_buffer(fields: Fields<'_>) -> bool {
    let mut last = [0; 4];
    for field in fields {
        match field.number {
            number @ 1..=3 => last[number as usize - 1] = i64::from(field.uint() as u32),
            4 => last[3] = field.int32().into(),
            _ => {}
        }
    }
    last.iter().any(|value| *value > 0)
}

/// The `BorderSettings`, if the border has a width.
fn border(fields: Fields<'_>) -> Option<(f64, i64)> {
    let (mut width, mut color) = (0.0, 0);
    for field in fields {
        match field.number {
            1 => width = float(field),
            2 => color = i64::from(field.uint() as u32),
            _ => {}
        }
    }
    (width > 0.0).then_some((width, color))
}
