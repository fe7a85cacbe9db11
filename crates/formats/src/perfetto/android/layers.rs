//! SurfaceFlinger's layers: snapshots of the contents of the screens.

use traceloom_trace::{ArgValue, RecordId, TraceBuilder};

use super::super::sequence::State;
use super::super::wire::Field;
use super::Android;
use super::rects::{Rect, TraceRect};

const SNAPSHOT: &str = "LayersSnapshotProto";
const LAYER: &str = "LayerProto";
const DISPLAY: &str = "DisplayProto";

/// The field of a snapshot with its layers, which get their own rows.
const LAYERS: u32 = 3;

/// The layer stack of a display that is off.
const NO_STACK: i64 = 0xffff_ffff;

/// The flag of a hidden layer.
const HIDDEN: i64 = 1;

/// The id of the root of all offscreen layers.
const OFFSCREEN: i64 = 0x7fff_fffd;

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
        let layers = self.messages.inner(SNAPSHOT, content, "layers");
        for layer in self.messages.all("LayersProto", layers, "layers") {
            self.layer(layer.bytes(), snapshot, out);
        }
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
    fn layer(&mut self, content: &[u8], snapshot: RecordId, out: &mut TraceBuilder) {
        let mut cells = self.cells(LAYER, content, out).to_vec();
        cells.push(("snapshot_id", snapshot.into()));
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
        let flags = self.messages.number(LAYER, content, "flags");
        let id = self.messages.number(LAYER, content, "id");
        let is_hidden = flags & HIDDEN != 0 || id == OFFSCREEN;
        cells.push(("is_hidden_by_policy", ArgValue::Int(is_hidden.into())));
        let names = [
            "corner_radius_tl",
            "corner_radius_tr",
            "corner_radius_bl",
            "corner_radius_br",
        ];
        let radii = self.radii(content).map(ArgValue::Float);
        cells.extend(names.into_iter().zip(radii));
        out.record(traceloom_trace::NO_TIME, "surfaceflinger_layer", &cells);
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
