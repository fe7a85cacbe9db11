//! Views of an app's window. Each snapshot is a tree of views.

use rustc_hash::FxHashMap;
use traceloom_trace::{ArgValue, NO_TIME, RecordId, TraceBuilder};

use super::super::sequence::State;
use super::Android;
use super::layers::fraction;
use super::messages::Args;
use super::rects::{Rect, TraceRect};

const SNAPSHOT: &str = "ViewCapture";
const VIEW: &str = "ViewCapture.View";

/// The field of a snapshot with its views, which get their own rows.
const VIEWS: u32 = 3;

/// Arguments that are interned texts, and their fields of `InternedData`.
const INTERNED: [(&str, u32); 6] = [
    ("package_name", 38),
    ("window_name", 39),
    ("view_id", 40),
    ("class_name", 41),
    ("content_description", 45),
    ("text", 46),
];

/// The value of an argument whose interned text is missing.
const MISSING: &str = "STRING DE-INTERNING ERROR";

/// The difference in depth between a view and its children.
const DEPTH: i64 = 4;

/// The properties of a parent view that its children need.
#[derive(Clone, Copy)]
struct Around {
    /// The position of the contents, including scrolling.
    left: f64,
    top: f64,
    scale: [f64; 2],
    depth: i64,
    is_shown: bool,
}

/// The visibility and the rectangle of a view.
#[derive(Clone, Copy)]
struct Drawn {
    is_visible: bool,
    rect: ArgValue,
}

impl Android<'_> {
    /// A `ViewCapture`.
    pub(super) fn views(&mut self, ts: i64, content: &[u8], state: State, out: &mut TraceBuilder) {
        let args = self
            .messages
            .args(SNAPSHOT, content, |number| number != VIEWS, out);
        let (args, mut cells) = self.with_names(args, state, out);
        cells.push(("arg_set_id", out.args(args).into()));
        cells.push(("base64_proto_id", self.messages.keep(content, out)));
        let snapshot = out.record(ts, "__intrinsic_viewcapture", &cells);
        let views = self.messages.all(SNAPSHOT, content, "views");
        let views: Vec<&[u8]> = views.map(|view| view.bytes()).collect();
        let drawn = self.draw(&views, out);
        for view in views {
            self.view(view, snapshot, &drawn, state, out);
        }
    }

    /// A `View`.
    fn view(
        &mut self,
        content: &[u8],
        snapshot: RecordId,
        drawn: &FxHashMap<i64, Drawn>,
        state: State,
        out: &mut TraceBuilder,
    ) {
        let args = self.messages.args(VIEW, content, |_| true, out);
        let (args, mut cells) = self.with_names(args, state, out);
        cells.push(("arg_set_id", out.args(args).into()));
        cells.push(("base64_proto_id", self.messages.keep(content, out)));
        cells.push(("snapshot_id", snapshot.into()));
        for (column, name) in [
            ("node_id", "id"),
            ("hashcode", "hashcode"),
            ("parent_id", "parent_id"),
        ] {
            let number = self.messages.number(VIEW, content, name) as u32;
            cells.push((column, ArgValue::Int(number.into())));
        }
        let id = self.messages.number(VIEW, content, "id");
        if let Some(drawn) = drawn.get(&id) {
            cells.push(("is_visible", ArgValue::Int(drawn.is_visible.into())));
            cells.push(("trace_rect_id", drawn.rect));
        }
        out.record(NO_TIME, "__intrinsic_viewcapture_view", &cells);
    }

    /// Replaces the iids of interned texts in the arguments. Also returns the texts that are columns.
    fn with_names(
        &self,
        args: Args,
        state: State,
        out: &mut TraceBuilder,
    ) -> (Args, Vec<(&'static str, ArgValue)>) {
        let (mut replaced, mut columns) = (Args::with_capacity(args.len()), Vec::new());
        for (key, value) in args {
            let name = out.trace().strings.get(key).strip_suffix("_iid");
            let known = INTERNED.iter().find(|(known, _)| Some(*known) == name);
            let (Some((name, field)), ArgValue::Int(iid)) = (known, value) else {
                replaced.push((key, value));
                continue;
            };
            let text = self.interned(state, *field, iid as u64);
            if text.is_none() {
                replaced.push((key, value));
            }
            let value = ArgValue::Text(out.intern(text.unwrap_or(MISSING.as_bytes())));
            replaced.push((out.intern(name.as_bytes()), value));
            if text.is_some() && !matches!(field, 45 | 46) {
                columns.push((*name, value));
            }
        }
        (replaced, columns)
    }

    /// Computes the positions of the views on the screen, parents first.
    fn draw(&mut self, views: &[&[u8]], out: &mut TraceBuilder) -> FxHashMap<i64, Drawn> {
        const ROOT: i64 = -1;
        let (mut by_id, mut inside) = (FxHashMap::default(), FxHashMap::<_, Vec<i64>>::default());
        let mut root = 0;
        for view in views {
            let id = self.messages.number(VIEW, view, "id");
            match self.messages.number(VIEW, view, "parent_id") {
                ROOT => root = id,
                parent => inside.entry(parent).or_default().push(id),
            }
            by_id.entry(id).or_insert(*view);
        }
        let mut drawn = FxHashMap::default();
        let mut waiting = vec![(root, None)];
        while let Some((id, around)) = waiting.pop() {
            // A view's parent may be the view itself or one of its descendants.
            let Some(view) = by_id.remove(&id) else {
                continue;
            };
            let (this, within) = self.draw_view(view, around, out);
            drawn.insert(id, this);
            let children = inside.remove(&id).unwrap_or_default();
            waiting.extend(
                children
                    .into_iter()
                    .rev()
                    .map(|child| (child, Some(within))),
            );
        }
        drawn
    }

    fn draw_view(
        &mut self,
        view: &[u8],
        around: Option<Around>,
        out: &mut TraceBuilder,
    ) -> (Drawn, Around) {
        let parent = around.unwrap_or(Around {
            left: 0.0,
            top: 0.0,
            scale: [1.0; 2],
            depth: -1,
            is_shown: true,
        });
        let mut number = |name| self.messages.number(VIEW, view, name) as i32;
        let corner = [number("left"), number("top")].map(f64::from);
        let size = [number("width"), number("height")].map(f64::from);
        let scroll = [number("scroll_x"), number("scroll_y")].map(f64::from);
        let is_shown = number("visibility") == 0 && parent.is_shown;
        let mut real = |name| self.messages.find(VIEW, view, name).map_or(0.0, fraction);
        let moved = [real("translation_x"), real("translation_y")];
        let scaled = [real("scale_x"), real("scale_y")];
        let opacity = real("alpha");
        let start = [parent.left, parent.top];
        let mut scale = [0.0; 2];
        let mut at = [0.0; 2];
        for axis in 0..2 {
            let before = parent.scale[axis];
            scale[axis] = before * scaled[axis];
            let grown = size[axis] * (before - scale[axis]) / 2.0;
            at[axis] = start[axis] + (corner[axis] + moved[axis]) * before + grown;
        }
        let is_visible = is_shown && size.iter().all(|side| *side > 0.0);
        let depth = parent.depth + 1;
        let rect = TraceRect {
            rect: Rect {
                x: at[0],
                y: at[1],
                w: size[0] * scale[0],
                h: size[1] * scale[1],
            },
            group: 0,
            depth: depth * DEPTH,
            is_visible,
            opacity: Some(opacity),
            ..TraceRect::default()
        };
        let rect = self.rects.trace_row(rect, out);
        let within = Around {
            left: at[0] - scroll[0],
            top: at[1] - scroll[1],
            scale,
            depth,
            is_shown,
        };
        (Drawn { is_visible, rect }, within)
    }
}
