//! The window manager. Each snapshot is a tree of containers, from displays down to windows.

use traceloom_trace::{ArgValue, NO_TIME, RecordId, TraceBuilder};

use super::Android;
use super::layers::fraction;
use super::messages::MOST_LEVELS;
use super::rects::{Matrix, Rect, TraceRect};

const ENTRY: &str = "WindowManagerTraceEntry";
const SERVICE: &str = "WindowManagerServiceDumpProto";
const ROOT: &str = "RootWindowContainerProto";
const CHILD: &str = "WindowContainerChildProto";
const CONTAINER: &str = "WindowContainerProto";

/// The fields of a `WindowContainerChildProto`, their message types, and the container types in the table.
const KINDS: [(&str, &str, &str); 8] = [
    ("window_container", CONTAINER, "WindowContainer"),
    ("display_content", "DisplayContentProto", "DisplayContent"),
    ("display_area", "DisplayAreaProto", "DisplayArea"),
    ("task", "TaskProto", "Task"),
    ("activity", "ActivityRecordProto", "Activity"),
    ("window_token", "WindowTokenProto", "WindowToken"),
    ("window", "WindowStateProto", "WindowState"),
    ("task_fragment", "TaskFragmentProto", "TaskFragment"),
];

/// Title prefixes of windows that temporarily stand in for another window.
const STAND_INS: [&str; 2] = ["Starting ", "Waiting For Debugger: "];

/// The transformation of all windows, as Perfetto stores it: it names the factor of y `dtdy`.
const UNMOVED: Matrix = Matrix {
    dsdx: 1.0,
    dtdx: 0.0,
    tx: 0.0,
    dtdy: 1.0,
    dsdy: 0.0,
    ty: 0.0,
};

/// A container.
#[derive(Default)]
struct Container<'a> {
    title: String,
    token: i64,
    is_visible: bool,
    rect: Option<TraceRect>,
    /// A better name than the title.
    name: Option<String>,
    /// The `WindowContainerProto` with the child containers.
    inside: &'a [u8],
}

/// The position of a container in the tree.
#[derive(Clone, Copy)]
struct Parent {
    snapshot: RecordId,
    token: Option<i64>,
    index: i64,
    level: u32,
}

/// The current display, and the number of its windows so far.
#[derive(Default)]
pub(super) struct Display {
    id: i64,
    windows: i64,
}

impl Android<'_> {
    /// A `WindowManagerTraceEntry`.
    pub(super) fn windows(&mut self, ts: i64, content: &[u8], out: &mut TraceBuilder) {
        self.messages.left_out = ROOT;
        let mut cells = self.pruned_cells(ENTRY, content, out);
        self.messages.left_out = CHILD;
        let messages = &mut self.messages;
        let elapsed = messages.number(ENTRY, content, "elapsed_realtime_nanos");
        cells.push((
            "has_invalid_elapsed_ts",
            ArgValue::Int((elapsed == 0).into()),
        ));
        let service = messages.inner(ENTRY, content, "window_manager_service");
        let focused = messages.number(SERVICE, service, "focused_display_id") as u32;
        cells.push(("focused_display_id", ArgValue::Int(focused.into())));
        let snapshot = out.record(ts, "__intrinsic_windowmanager", &cells);
        let root = self
            .messages
            .inner(SERVICE, service, "root_window_container");
        let inside = self.messages.inner(ROOT, root, "window_container");
        let parent = Parent {
            snapshot,
            token: None,
            index: 0,
            level: 0,
        };
        if let Some(found) = self.plain(inside) {
            let mut display = Display::default();
            let row = (ROOT, root, "RootWindowContainer");
            self.container(row, &found, parent, &mut display, out);
        }
        self.messages.left_out = "";
    }

    /// The cells of a row whose message is stored without the child containers.
    fn pruned_cells(
        &mut self,
        kind: &'static str,
        content: &[u8],
        out: &mut TraceBuilder,
    ) -> Vec<(&'static str, ArgValue)> {
        let mut pruned = Vec::new();
        self.messages.prune(kind, content, 0, &mut pruned);
        self.cells(kind, &pruned, out).to_vec()
    }

    /// Adds a container and its children.
    fn container(
        &mut self,
        (kind, content, name): (&'static str, &[u8], &str),
        found: &Container<'_>,
        parent: Parent,
        display: &mut Display,
        out: &mut TraceBuilder,
    ) {
        let mut cells = self.pruned_cells(kind, content, out);
        cells.extend([
            ("snapshot_id", parent.snapshot.into()),
            ("title", ArgValue::Text(out.intern(found.title.as_bytes()))),
            ("token", ArgValue::Int(found.token)),
            ("is_visible", ArgValue::Int(found.is_visible.into())),
            (
                "container_type",
                ArgValue::Text(out.intern(name.as_bytes())),
            ),
        ]);
        if let Some(token) = parent.token {
            cells.push(("parent_token", ArgValue::Int(token)));
            cells.push(("child_index", ArgValue::Int(parent.index)));
        }
        if let Some(name) = &found.name {
            let name = out.intern(name.as_bytes());
            cells.push(("name_override", ArgValue::Text(name)));
        }
        if let Some(rect) = found.rect {
            cells.push(("window_rect_id", self.rects.trace_row(rect, out)));
        }
        out.record(NO_TIME, "__intrinsic_windowmanager_windowcontainer", &cells);
        if parent.level >= MOST_LEVELS {
            return;
        }
        let children = self.messages.all(CONTAINER, found.inside, "children");
        for (index, child) in children.enumerate() {
            let parent = Parent {
                token: Some(found.token),
                index: index as i64,
                level: parent.level + 1,
                ..parent
            };
            self.child(child.bytes(), parent, display, out);
        }
    }

    /// A `WindowContainerChildProto`.
    fn child(
        &mut self,
        content: &[u8],
        parent: Parent,
        display: &mut Display,
        out: &mut TraceBuilder,
    ) {
        for (field, kind, name) in KINDS {
            let Some(inner) = self.messages.find(CHILD, content, field) else {
                continue;
            };
            if let Some(found) = self.read(kind, inner.bytes(), display) {
                self.container((CHILD, content, name), &found, parent, display, out);
            }
            return;
        }
    }

    /// Reads a container. `None` if its title or token is missing.
    fn read<'a>(
        &mut self,
        kind: &'static str,
        content: &'a [u8],
        display: &mut Display,
    ) -> Option<Container<'a>> {
        match kind {
            CONTAINER => self.plain(content),
            "DisplayContentProto" => self.display_content(content, display),
            "DisplayAreaProto" => {
                let inside = self.messages.inner(kind, content, CONTAINER_FIELD);
                let name = self.messages.find(kind, content, "name")?;
                self.titled(inside, name.bytes())
            }
            "TaskProto" => self.task(content),
            "ActivityRecordProto" => {
                let token = self.messages.inner(kind, content, "window_token");
                let name = self.messages.find(kind, content, "name")?;
                let is_visible = self.messages.number(kind, content, "visible") != 0;
                let mut found = self.window_token(token)?;
                found.title = String::from_utf8_lossy(name.bytes()).into_owned();
                found.is_visible = is_visible;
                Some(found)
            }
            "WindowTokenProto" => self.window_token(content),
            "WindowStateProto" => self.window(content, display),
            _ => {
                let inside = self.messages.inner(kind, content, CONTAINER_FIELD);
                self.plain(inside)
            }
        }
    }

    /// A `WindowContainerProto` with the title from its identifier.
    fn plain<'a>(&mut self, inside: &'a [u8]) -> Option<Container<'a>> {
        let identifier = self.messages.inner(CONTAINER, inside, "identifier");
        let title = self.messages.find("IdentifierProto", identifier, "title")?;
        self.titled(inside, title.bytes())
    }

    /// A `WindowContainerProto` with the given title.
    fn titled<'a>(&mut self, inside: &'a [u8], title: &[u8]) -> Option<Container<'a>> {
        let identifier = self.messages.inner(CONTAINER, inside, "identifier");
        let token = self
            .messages
            .find("IdentifierProto", identifier, "hash_code")?;
        Some(Container {
            title: String::from_utf8_lossy(title).into_owned(),
            token: token.int(),
            is_visible: self.messages.number(CONTAINER, inside, "visible") != 0,
            inside,
            ..Container::default()
        })
    }

    /// A `DisplayContentProto`. It becomes the current display.
    fn display_content<'a>(
        &mut self,
        content: &'a [u8],
        display: &mut Display,
    ) -> Option<Container<'a>> {
        const KIND: &str = "DisplayContentProto";
        const INFO: &str = "DisplayInfoProto";
        let area = self.messages.inner(KIND, content, "root_display_area");
        let inside = self
            .messages
            .inner("DisplayAreaProto", area, CONTAINER_FIELD);
        let info = self.messages.inner(KIND, content, "display_info");
        let name = self.messages.find(INFO, info, "name")?;
        let mut found = self.titled(inside, name.bytes())?;
        let id = self.messages.number(KIND, content, "id");
        *display = Display { id, windows: 0 };
        let mut side = |name| f64::from(self.messages.number(INFO, info, name) as i32);
        let rect = Rect {
            w: side("logical_width"),
            h: side("logical_height"),
            ..Rect::default()
        };
        found.rect = Some(TraceRect {
            rect,
            group: id,
            matrix: Some(UNMOVED),
            ..TraceRect::default()
        });
        Some(found)
    }

    /// A `TaskProto`. Its container may be in a fragment.
    fn task<'a>(&mut self, content: &'a [u8]) -> Option<Container<'a>> {
        const KIND: &str = "TaskProto";
        let own = self.messages.inner(KIND, content, CONTAINER_FIELD);
        let fragment = self.messages.inner(KIND, content, "task_fragment");
        let inner = self
            .messages
            .find("TaskFragmentProto", fragment, CONTAINER_FIELD);
        let inner = inner.map(|field| field.bytes());
        let mut found = self.plain(inner.unwrap_or(own))?;
        let mut children = self
            .messages
            .all(CONTAINER, inner.unwrap_or_default(), "children");
        if children.next().is_none() {
            found.inside = own;
        }
        if let Some(id) = self.messages.find(KIND, content, "id") {
            let name = self.messages.inner(KIND, content, "task_name");
            found.name = Some(match String::from_utf8_lossy(name) {
                name if name.is_empty() => id.int().to_string(),
                name => format!("{}({name})", id.int()),
            });
        }
        Some(found)
    }

    /// A `WindowTokenProto`.
    fn window_token<'a>(&mut self, content: &'a [u8]) -> Option<Container<'a>> {
        const KIND: &str = "WindowTokenProto";
        let inside = self.messages.inner(KIND, content, CONTAINER_FIELD);
        let token = self.messages.find(KIND, content, "hash_code")?.int();
        Some(Container {
            title: format!("0x{:02x}", token as u32),
            token,
            is_visible: self.messages.number(CONTAINER, inside, "visible") != 0,
            inside,
            ..Container::default()
        })
    }

    /// A `WindowStateProto`.
    fn window<'a>(&mut self, content: &'a [u8], display: &mut Display) -> Option<Container<'a>> {
        const KIND: &str = "WindowStateProto";
        let inside = self.messages.inner(KIND, content, CONTAINER_FIELD);
        let mut found = self.plain(inside)?;
        let frames = self.messages.inner(KIND, content, "window_frames");
        let frame = self.messages.inner("WindowFramesProto", frames, "frame");
        let attributes = self.messages.inner(KIND, content, "attributes");
        let alpha = self
            .messages
            .find("WindowLayoutParamsProto", attributes, "alpha");
        display.windows += 1;
        found.is_visible = self.messages.number(KIND, content, "is_visible") != 0;
        found.rect = Some(TraceRect {
            rect: Rect::read(&mut self.messages, frame),
            group: display.id,
            depth: display.windows,
            is_visible: found.is_visible,
            opacity: Some(alpha.map_or(0.0, fraction)),
            matrix: Some(UNMOVED),
            ..TraceRect::default()
        });
        let mut stand_ins = STAND_INS.iter();
        let name = stand_ins.find_map(|before| found.title.strip_prefix(before));
        found.name = name.map(str::to_owned);
        Some(found)
    }
}

/// The field with the `WindowContainerProto` of a message.
const CONTAINER_FIELD: &str = "window_container";
