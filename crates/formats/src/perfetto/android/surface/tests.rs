//! Tests of the layers of synthetic snapshots.

use testkit::Proto;
use traceloom_trace::{ArgValue, IdKind, Trace};

use crate::perfetto::tests::{packet, read};

const PACKET: u32 = 93;

fn float(message: Proto, number: u32, value: f32) -> Proto {
    message.fixed32(number, value.to_bits())
}

/// A message of floats, from the field 1 on.
fn floats(values: &[f32]) -> Proto {
    let values = (1..).zip(values);
    values.fold(Proto::new(), |message, (number, value)| {
        float(message, number, *value)
    })
}

/// A rectangle of whole numbers.
fn rect(sides: [i64; 4]) -> Proto {
    let sides = (1..).zip(sides);
    sides.fold(Proto::new(), |rect, (number, side)| rect.int(number, side))
}

/// A layer with a color, whose bounds are also those on the screen.
fn layer(id: i64, z: i64, sides: [f32; 4], alpha: f32) -> Proto {
    let layer = Proto::new().int(1, id).int(10, z);
    let layer = layer.message(20, floats(&[1.0, 1.0, 1.0, alpha]));
    layer
        .message(45, floats(&sides))
        .message(46, floats(&sides))
}

/// A display of 100 by 200.
fn display() -> Proto {
    let size = Proto::new().int(1, 100).int(2, 200);
    let display = Proto::new().int(1, 7).message(4, size);
    display.message(5, rect([0, 0, 100, 200]))
}

fn snapshot(display: Proto, layers: impl IntoIterator<Item = Proto>) -> Trace {
    let layers = layers.into_iter();
    let layers = layers.fold(Proto::new(), |all, layer| all.message(1, layer));
    let snapshot = Proto::new()
        .int(1, 5)
        .message(3, layers)
        .message(7, display);
    read([packet(5, PACKET, snapshot)])
}

fn rows(trace: &Trace, table: &str) -> Vec<usize> {
    let table = trace.strings.lookup(table);
    let tables = trace.records.rows().table.iter().enumerate();
    let rows = tables.filter(|(_, of)| Some(*of) == table);
    rows.map(|(row, _)| row).collect()
}

fn cell(trace: &Trace, row: usize, name: &str) -> Option<ArgValue> {
    trace.records.cell(row, trace.strings.lookup(name)?)
}

fn number(trace: &Trace, row: usize, name: &str) -> Option<i64> {
    match cell(trace, row, name)? {
        ArgValue::Int(number) => Some(number),
        _ => None,
    }
}

/// The arguments of a layer whose keys have this beginning.
fn args(trace: &Trace, layer: usize, start: &str) -> Vec<String> {
    let row = rows(trace, "surfaceflinger_layer")[layer];
    let Some(ArgValue::Row(IdKind::ArgSet, set)) = cell(trace, row, "arg_set_id") else {
        return Vec::new();
    };
    let args = trace.args.set(traceloom_trace::ArgSetId(set));
    let args = args.filter(|(key, _)| trace.strings.get(*key).starts_with(start));
    args.map(|(_, value)| value.display(&trace.strings))
        .collect()
}

/// The rectangle to which a cell of a layer refers: its depth, whether it is visible, and its sides.
fn boxed(trace: &Trace, layer: usize, name: &str) -> Option<(i64, i64, [f64; 4])> {
    let row = rows(trace, "surfaceflinger_layer")[layer];
    let ArgValue::Row(_, area) = cell(trace, row, name)? else {
        return None;
    };
    let area = area as usize;
    let ArgValue::Row(_, rect) = cell(trace, area, "rect_id")? else {
        return None;
    };
    let sides = ["x", "y", "w", "h"].map(|side| match cell(trace, rect as usize, side) {
        Some(ArgValue::Float(side)) => side,
        other => panic!("{side} is {other:?}"),
    });
    let stats = ["depth", "is_visible"].map(|name| number(trace, area, name).unwrap());
    Some((stats[0], stats[1], sides))
}

fn visible(trace: &Trace) -> Vec<i64> {
    let layers = rows(trace, "surfaceflinger_layer").into_iter();
    layers
        .map(|row| number(trace, row, "is_visible").unwrap())
        .collect()
}

const ALL: [f32; 4] = [0.0, 0.0, 100.0, 200.0];

#[test]
fn an_opaque_layer_hides_those_below_it() {
    let small = [10.0, 10.0, 20.0, 20.0];
    let trace = snapshot(
        display(),
        [
            layer(1, 1, small, 1.0),
            layer(2, 2, [0.0, 0.0, 50.0, 50.0], 1.0).int(16, 1),
            layer(3, 0, ALL, 1.0),
            layer(4, 3, small, 0.5),
        ],
    );
    assert_eq!(visible(&trace), [0, 1, 1, 1]);
    let reasons = args(&trace, 0, "visibility_reason");
    assert_eq!(reasons, ["buffer is empty", "occluded"]);
    assert_eq!(args(&trace, 0, "occluded_by"), ["2"]);
    assert_eq!(args(&trace, 2, "partially_occluded_by"), ["2"]);
    // The hidden layer would cover it, too.
    assert_eq!(args(&trace, 2, "covered_by"), ["4", "1"]);
    assert_eq!(args(&trace, 1, "covered_by"), ["4"]);
}

/// The inner layer reaches into the corner that the outer layer's rounding cuts off.
#[test]
fn a_round_corner_does_not_hide_what_reaches_into_it() {
    let hides = |radius| {
        let corners = floats(&[radius; 4]);
        let outer = layer(1, 1, ALL, 1.0).int(16, 1).message(61, corners);
        let trace = snapshot(display(), [outer, layer(2, 0, ALL, 1.0)]);
        visible(&trace)[1] == 0
    };
    assert!(hides(0.0));
    assert!(!hides(40.0));
}

#[test]
fn a_layer_says_why_it_is_not_visible() {
    let trace = snapshot(
        display(),
        [
            Proto::new().int(1, 1).int(22, 1),
            layer(2, 0, ALL, 1.0).int(25, 1),
            layer(3, 0, ALL, 0.0),
            layer(4, 0, [0.0; 4], 1.0),
        ],
    );
    assert_eq!(visible(&trace), [0; 4]);
    let reasons = |layer| args(&trace, layer, "visibility_reason");
    let bare = "does not have color fill, shadow or blur";
    let expected = [
        "flag is hidden",
        "buffer is empty",
        "alpha is 0",
        "bounds is 0x0",
        "crop is 0x0",
        bare,
    ];
    assert_eq!(reasons(0), expected);
    assert_eq!(reasons(1), ["hidden by parent 1", "buffer is empty"]);
    assert_eq!(reasons(2), ["buffer is empty", "alpha is 0", bare]);
    assert_eq!(reasons(3), ["buffer is empty", "bounds is 0x0"]);
}

/// Children with a negative height are below their parent, and a layer may be drawn relative to another one.
#[test]
fn layers_are_drawn_from_bottom_to_top() {
    let child = |id, z, parent| layer(id, z, ALL, 0.5).int(25, parent);
    let trace = snapshot(
        display(),
        [
            layer(1, 0, ALL, 0.5),
            child(2, 1, 1),
            child(3, -1, 1),
            child(4, 0, 1).int(26, 2),
            child(5, 0, 9).int(26, 8),
        ],
    );
    let depth = |layer| boxed(&trace, layer, "layer_rect_id").map(|found| found.0);
    assert_eq!(
        [0, 1, 2, 3].map(depth),
        [Some(2), Some(3), Some(1), Some(4)]
    );
    assert_eq!(depth(4), None, "no root leads to it");
    let layers = rows(&trace, "surfaceflinger_layer");
    let lacks = |layer: usize| number(&trace, layers[layer], "is_missing_z_parent");
    assert_eq!((lacks(3), lacks(4)), (Some(0), Some(1)));
}

/// Layers without bounds of their own get ten times the size of a display.
#[test]
fn bounds_that_are_not_its_own_are_no_rectangle() {
    for sides in [
        [-1_000.0, -2_000.0, 1_000.0, 2_000.0],
        [-2_000.0, -1_000.0, 2_000.0, 1_000.0],
        [-50_000.0, -50_000.0, 50_000.0, 50_000.0],
    ] {
        let trace = snapshot(display(), [layer(1, 0, sides, 0.0)]);
        assert_eq!(boxed(&trace, 0, "layer_rect_id"), None);
        let trace = snapshot(display(), [layer(1, 0, sides, 1.0)]);
        assert!(boxed(&trace, 0, "layer_rect_id").is_some(), "it is visible");
    }
}

#[test]
fn input_is_in_the_coordinates_of_the_layer() {
    const SPY: i64 = 1 << 14;
    let region = Proto::new().message(2, rect([10, 20, 30, 40]));
    let window = Proto::new().message(3, rect([10, 20, 60, 80]));
    let window = window.message(4, region).int(6, 1).int(17, SPY);
    let moved = layer(1, 0, ALL, 1.0).message(11, floats(&[10.0, 20.0]));
    let trace = snapshot(display(), [moved.message(47, window)]);
    let input = boxed(&trace, 0, "input_rect_id");
    assert_eq!(input, Some((1, 1, [0.0, 0.0, 50.0, 60.0])));
    let fill = rows(&trace, "__intrinsic_winscope_fill_region");
    let Some(ArgValue::Row(_, touchable)) = cell(&trace, fill[0], "rect_id") else {
        panic!("no touchable area");
    };
    let width = cell(&trace, touchable as usize, "w");
    assert_eq!(width, Some(ArgValue::Float(20.0)));
}

/// A window without a frame fills the display, and one that cannot be touched has an empty area.
#[test]
fn a_window_without_a_frame_fills_its_display() {
    const NOT_TOUCHABLE: i64 = 1 << 3;
    let window = Proto::new().message(3, rect([-5, -5, 500, 500]));
    let window = window.int(17, NOT_TOUCHABLE | 1 << 6);
    let trace = snapshot(display(), [layer(1, 0, ALL, 0.0).message(47, window)]);
    let input = boxed(&trace, 0, "input_rect_id");
    assert_eq!(input, Some((1, 0, [0.0, 0.0, 100.0, 200.0])));
    assert_eq!(rows(&trace, "__intrinsic_winscope_fill_region").len(), 1);
}

/// A display that is rotated by 90 degrees: its point (x, y) is the point (y, height - x) of the layers.
#[test]
fn a_turned_display_turns_the_input() {
    const TURNED: i64 = 0x400;
    let turned = display().message(6, Proto::new().int(5, TURNED));
    let window = Proto::new().message(3, rect([10, 20, 30, 60]));
    let trace = snapshot(turned, [layer(1, 0, ALL, 1.0).message(47, window)]);
    let input = boxed(&trace, 0, "input_rect_id").unwrap();
    assert_eq!(input.2, [20.0, 170.0, 40.0, 20.0]);
}

/// Broken trees neither end the process nor take forever.
#[test]
fn layers_that_are_their_own_parents_are_not_drawn() {
    let own = layer(1, 0, ALL, 1.0).int(25, 1);
    let circle = [
        layer(2, 0, ALL, 1.0).int(25, 3),
        layer(3, 0, ALL, 1.0).int(25, 2),
    ];
    let deep = (10..3_000).map(|id| layer(id, 0, ALL, 1.0).int(25, id - 1));
    let root = layer(9, 0, ALL, 1.0);
    let layers = [own, root].into_iter().chain(circle).chain(deep);
    let trace = snapshot(display(), layers);
    assert_eq!(visible(&trace)[..4], [0, 1, 0, 0]);
}
