//! SurfaceFlinger's layers: snapshots of the contents of the screens.

use rustc_hash::{FxHashMap, FxHashSet};
use traceloom_trace::{ArgValue, RecordId, TraceBuilder};

use super::super::sequence::State;
use super::super::wire::{Field, Fields};
use super::Android;
use super::messages::Args;
use super::rects::{Rect, TraceRect};
use super::surface::{Boxes, Displays, Layer, Visibility, bottom_to_top, boxes, visibilities};

const SNAPSHOT: &str = "LayersSnapshotProto";
const LAYER: &str = "LayerProto";
const DISPLAY: &str = "DisplayProto";

/// The memory for a layer in addition to its arguments, bytes.
const FOR_LAYER: usize = 512;

/// The field of a snapshot with its layers, which get their own rows.
const LAYERS: u32 = 3;

/// The layer stack of a display that is off.
const NO_STACK: i64 = 0xffff_ffff;

/// The flag of a rotation by 90 degrees.
const TURNED: i64 = 0x400;

impl Android<'_> {
    /// A `LayersSnapshotProto`.
    pub(super) fn layers(&mut self, ts: i64, content: &[u8], state: State, out: &mut TraceBuilder) {
        let args = self
            .messages
            .args(SNAPSHOT, content, |number| number != LAYERS, out);
        let args = out.args(args);
        let elapsed = self
            .messages
            .number(SNAPSHOT, content, "elapsed_realtime_nanos");
        let mut cells = vec![
            ("arg_set_id", args.into()),
            ("base64_proto_id", self.messages.keep(content, out)),
            (
                "has_invalid_elapsed_ts",
                ArgValue::Int((elapsed == 0).into()),
            ),
        ];
        if state.sequence != 0 {
            cells.push(("sequence_id", ArgValue::Int(state.sequence.into())));
        }
        let snapshot = out.record(ts, "surfaceflinger_layers_snapshot", &cells);
        let displays = self.messages.all(SNAPSHOT, content, "displays");
        for (place, display) in displays.enumerate() {
            self.display(display.bytes(), place as i64, snapshot, out);
        }
        self.layer_rows(content, snapshot, out);
    }

    /// Adds the rows of the layers of a `LayersSnapshotProto`, and of their rectangles.
    fn layer_rows(&mut self, content: &[u8], snapshot: RecordId, out: &mut TraceBuilder) {
        let mut displays = Displays::default();
        for display in self.messages.all(SNAPSHOT, content, "displays") {
            displays.add(display.fields());
        }
        let early = self
            .messages
            .find(SNAPSHOT, content, "excludes_composition_state");
        let is_early = early.is_none_or(Field::bool);
        let all = self.messages.inner(SNAPSHOT, content, "layers");
        let all = self.messages.all("LayersProto", all, "layers");
        let all = all.filter(|_| self.messages.take(FOR_LAYER));
        let all: Vec<&[u8]> = all.map(Field::bytes).collect();
        let mut layers = Vec::with_capacity(all.len());
        for layer in &all {
            let radii = self.radii(layer);
            let mut layer = Layer::read(Fields::new(layer));
            layer.radii = radii;
            layers.push(layer);
        }
        let order = bottom_to_top(&layers);
        let seen = visibilities(&layers, &order, &displays, is_early);
        let mut rects = FxHashMap::default();
        for (index, boxes) in boxes(&layers, &order, &seen, &displays) {
            rects.insert(index, self.box_rows(&boxes, out));
        }
        let ids: FxHashSet<i32> = layers.iter().filter_map(|layer| layer.id).collect();
        for (index, (bytes, layer)) in all.iter().zip(&layers).enumerate() {
            let rects = rects.remove(&index).unwrap_or_default();
            let lacks_parent = layer.z_parent > 0 && !ids.contains(&layer.z_parent);
            let mut cells = vec![
                ("snapshot_id", snapshot.into()),
                ("is_missing_z_parent", ArgValue::Int(lacks_parent.into())),
            ];
            cells.extend(rects);
            self.layer((bytes, layer), seen.get(&index), cells, out);
        }
    }

    /// Adds the rows of a layer's rectangles. Returns the cells of the layer that refer to them.
    fn box_rows(&mut self, boxes: &Boxes, out: &mut TraceBuilder) -> Vec<(&'static str, ArgValue)> {
        /// The memory for a touchable rectangle, bytes.
        const FOR_RECT: usize = 64;
        let mut cells = Vec::new();
        if let Some(bounds) = boxes.bounds {
            cells.push(("layer_rect_id", self.rects.trace_row(bounds, out)));
        }
        if let Some(input) = boxes.input {
            let row = self.rects.trace_row(input, out);
            cells.push(("input_rect_id", row));
            for rect in boxes.touchable.iter().flatten() {
                if self.messages.take(FOR_RECT) {
                    self.rects.fill(row, *rect, out);
                }
            }
        }
        cells
    }

    /// A `DisplayProto`.
    fn display(&mut self, content: &[u8], place: i64, snapshot: RecordId, out: &mut TraceBuilder) {
        let messages = &mut self.messages;
        let stack = messages.number(DISPLAY, content, "layer_stack");
        let area = messages.inner(DISPLAY, content, "layer_stack_space_rect");
        let mut rect = Rect::read(messages, area);
        if rect.is_empty() {
            rect = self.size(content);
        }
        let rect = TraceRect {
            rect,
            group: stack,
            depth: place,
            ..TraceRect::default()
        };
        let rect = self.rects.trace_row(rect, out);
        let messages = &mut self.messages;
        let is_virtual = messages.number(DISPLAY, content, "is_virtual") != 0;
        let mut cells = vec![
            ("snapshot_id", snapshot.into()),
            ("is_on", ArgValue::Int((stack != NO_STACK).into())),
            ("is_virtual", ArgValue::Int(is_virtual.into())),
            ("trace_rect_id", rect),
            (
                "display_id",
                ArgValue::Int(messages.number(DISPLAY, content, "id")),
            ),
        ];
        if let Some(name) = messages.find(DISPLAY, content, "name") {
            let name = out.intern(name.bytes());
            cells.push(("display_name", ArgValue::Text(name)));
        }
        let table = "__intrinsic_surfaceflinger_display";
        out.record(traceloom_trace::NO_TIME, table, &cells);
    }

    /// The size of a display after its rotation.
    fn size(&mut self, display: &[u8]) -> Rect {
        let size = self.messages.inner(DISPLAY, display, "size");
        let transform = self.messages.inner(DISPLAY, display, "transform");
        let mut side = |name| self.messages.number("SizeProto", size, name) as i32;
        let (w, h) = (side("w").into(), side("h").into());
        let turn = self.messages.number("TransformProto", transform, "type");
        let (w, h) = if turn & TURNED == 0 { (w, h) } else { (h, w) };
        Rect {
            x: 0.0,
            y: 0.0,
            w,
            h,
        }
    }

    /// A `LayerProto`.
    fn layer(
        &mut self,
        (content, layer): (&[u8], &Layer<'_>),
        seen: Option<&Visibility>,
        mut cells: Vec<(&'static str, ArgValue)>,
        out: &mut TraceBuilder,
    ) {
        let mut args = self.messages.args(LAYER, content, |_| true, out);
        if let Some(seen) = seen {
            self.report_visibility(seen, &mut args, out);
        }
        let is_visible = seen.is_some_and(|seen| seen.is_visible);
        let args = out.args(args);
        let message = self.messages.keep(content, out);
        cells.extend([
            ("arg_set_id", args.into()),
            ("base64_proto_id", message),
            ("is_visible", ArgValue::Int(is_visible.into())),
        ]);
        for (column, field) in [
            ("layer_id", "id"),
            ("parent", "parent"),
            ("hwc_composition_type", "hwc_composition_type"),
            ("z_order_relative_of", "z_order_relative_of"),
        ] {
            if let Some(field) = self.messages.find(LAYER, content, field) {
                cells.push((column, ArgValue::Int(field.int())));
            }
        }
        if let Some(name) = self.messages.find(LAYER, content, "name") {
            let name = out.intern(name.bytes());
            cells.push(("layer_name", ArgValue::Text(name)));
        }
        let is_hidden = layer.is_hidden();
        cells.push(("is_hidden_by_policy", ArgValue::Int(is_hidden.into())));
        let names = [
            "corner_radius_tl",
            "corner_radius_tr",
            "corner_radius_bl",
            "corner_radius_br",
        ];
        let radii = layer.radii.map(ArgValue::Float);
        cells.extend(names.into_iter().zip(radii));
        out.record(traceloom_trace::NO_TIME, "surfaceflinger_layer", &cells);
    }

    /// Adds arguments that tell why a layer is not visible, and which layers cover it.
    fn report_visibility(&mut self, seen: &Visibility, args: &mut Args, out: &mut TraceBuilder) {
        for (place, reason) in seen.reasons.iter().enumerate() {
            let reason = ArgValue::Text(out.intern(reason.as_bytes()));
            let key = format!("visibility_reason[{place}]");
            self.messages.push(&key, reason, args, out);
        }
        for (key, layers) in [
            ("occluded_by", &seen.occluded_by),
            ("partially_occluded_by", &seen.partially_occluded_by),
            ("covered_by", &seen.covered_by),
        ] {
            for (place, layer) in layers.iter().enumerate() {
                let layer = ArgValue::Int((*layer).into());
                self.messages
                    .push(&format!("{key}[{place}]"), layer, args, out);
            }
        }
    }

    /// The corner radii of a layer, plus the effective radii that the app draws itself.
    fn radii(&mut self, layer: &[u8]) -> [f64; 4] {
        let mut radii = self.corners(layer, "corner_radii");
        if radii.iter().all(|radius| *radius <= 0.0) {
            let all = self.messages.find(LAYER, layer, "corner_radius");
            radii = [all.map_or(0.0, fraction); 4];
        }
        let drawn = self.corners(layer, "effective_radii");
        for (radius, drawn) in radii.iter_mut().zip(drawn) {
            *radius += drawn;
        }
        radii
    }

    /// A `CornerRadiiProto` of a layer.
    fn corners(&mut self, layer: &[u8], name: &str) -> [f64; 4] {
        let corners = self.messages.inner(LAYER, layer, name);
        ["tl", "tr", "bl", "br"].map(|corner| {
            let corner = self.messages.find("CornerRadiiProto", corners, corner);
            corner.map_or(0.0, fraction)
        })
    }
}

/// The value of a field of type `float`.
pub(super) fn fraction(field: Field<'_>) -> f64 {
    f32::from_bits(field.uint() as u32).into()
}
