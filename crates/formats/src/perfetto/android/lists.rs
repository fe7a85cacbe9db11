//! Packets with lists. Each item becomes a row.

use rustc_hash::FxHashSet;
use traceloom_trace::{ArgValue, NO_TIME, TraceBuilder};

use super::super::wire::{Field, Fields};

/// How the items of a packet become rows.
struct List {
    table: &'static str,
    /// The field number of the items.
    items: u32,
    columns: &'static [(u32, &'static str, As)],
}

/// The type of a column. Each variant documents the value for an item without the field.
#[derive(Clone, Copy)]
enum As {
    /// 0.
    Number,
    /// An empty text.
    Text,
    /// NULL.
    MaybeText,
    /// The first of the names.
    Name(&'static [&'static str]),
}

const PACKAGES: List = List {
    table: "package_list",
    items: 1,
    columns: &[
        (1, "package_name", As::Text),
        (2, "uid", As::Number),
        (3, "debuggable", As::Number),
        (4, "profileable_from_shell", As::Number),
        (5, "version_code", As::Number),
    ],
};

const USERS: List = List {
    table: "__intrinsic_android_user_list",
    items: 1,
    columns: &[(1, "type", As::Text), (2, "android_user_id", As::Number)],
};

const FLAGS: List = List {
    table: "__intrinsic_android_aflags",
    items: 1,
    columns: &[
        (1, "flag_namespace", As::Text),
        (2, "name", As::Text),
        (3, "package", As::Text),
        (4, "container", As::Text),
        (5, "value", As::Text),
        (6, "staged_value", As::MaybeText),
        (
            7,
            "permission",
            As::Name(&["unspecified", "read-only", "read-write"]),
        ),
        (
            8,
            "value_picked_from",
            As::Name(&["unspecified", "default", "server", "local"]),
        ),
        (
            9,
            "storage_backend",
            As::Name(&["unspecified", "none", "aconfigd", "device_config"]),
        ),
        (10, "type", As::Name(&["unspecified", "boolean", "integer"])),
    ],
};

/// The columns of each game mode, by mode number from 1 on.
const MODES: [[&str; 4]; 3] = [
    [
        "standard_mode_supported",
        "standard_mode_downscale",
        "standard_mode_use_angle",
        "standard_mode_fps",
    ],
    [
        "perf_mode_supported",
        "perf_mode_downscale",
        "perf_mode_use_angle",
        "perf_mode_fps",
    ],
    [
        "battery_mode_supported",
        "battery_mode_downscale",
        "battery_mode_use_angle",
        "battery_mode_fps",
    ],
];

/// The statistic about flags that the recorder could not read.
const FLAG_ERRORS: &str = "android_aflags_errors";

/// Reads lists. The recorder repeats some lists, so repeated items are skipped.
#[derive(Default)]
pub(super) struct Lists {
    packages: FxHashSet<Vec<u8>>,
    users: FxHashSet<i64>,
    /// The errors that are already in `stats`.
    reported_errors: FxHashSet<&'static str>,
    /// The number of packets that have an error in place of Android's flags.
    flag_errors: i64,
}

impl Lists {
    /// A `PackagesList`.
    pub fn packages(&mut self, content: &[u8], machine: i64, out: &mut TraceBuilder) {
        let packages = &mut self.packages;
        let is_new = |item: Field<'_>| {
            let name = item.fields().find(|field| field.number == 1);
            packages.insert(name.map_or(&[][..], Field::bytes).to_vec())
        };
        rows(&PACKAGES, NO_TIME, content, is_new, out);
        self.errors(content, (2, "packages_list_has_parse_errors"), machine, out);
        self.errors(content, (3, "packages_list_has_read_errors"), machine, out);
    }

    /// Adds a row to `stats` if the field `number` shows that the recorder had errors while reading the list.
    fn errors(
        &mut self,
        content: &[u8],
        (number, figure): (u32, &'static str),
        machine: i64,
        out: &mut TraceBuilder,
    ) {
        let mut fields = Fields::new(content);
        let has = fields.any(|field| field.number == number && field.bool());
        if has && self.reported_errors.insert(figure) {
            out.stat(figure, None, machine, 1);
        }
    }

    /// An `AndroidUserList`.
    pub fn users(&mut self, content: &[u8], machine: i64, out: &mut TraceBuilder) {
        self.errors(content, (2, "user_list_errors"), machine, out);
        let users = &mut self.users;
        let is_new = |item: Field<'_>| {
            let id = item.fields().find(|field| field.number == 2);
            users.insert(id.map_or(0, Field::int))
        };
        rows(&USERS, NO_TIME, content, is_new, out);
    }

    /// An `AndroidAflags`: the flags, or the reason why they could not be read.
    pub fn flags(&mut self, ts: i64, content: &[u8], out: &mut TraceBuilder) {
        const ERROR: u32 = 2;
        let error = Fields::new(content).filter(|field| field.number == ERROR);
        let Some(error) = error.last() else {
            return rows(&FLAGS, ts, content, |_| true, out);
        };
        self.flag_errors += 1;
        let why = ArgValue::Text(out.intern(error.bytes()));
        let args = [(out.intern(b"error"), why)];
        let args = out.args(args);
        let text = |text: &str, out: &mut TraceBuilder| ArgValue::Text(out.intern(text.as_bytes()));
        let cells = [
            ("trace_id", ArgValue::Int(0)),
            ("severity", text("error", out)),
            ("name", text(FLAG_ERRORS, out)),
            ("arg_set_id", args.into()),
        ];
        out.record(ts, "_trace_import_logs", &cells);
    }

    /// Writes the remaining statistics.
    pub fn finish(&self, out: &mut TraceBuilder) {
        if self.flag_errors > 0 {
            out.stat(FLAG_ERRORS, None, 0, self.flag_errors);
        }
    }

    /// An `AndroidGameInterventionList`: the settings that the system changes for games.
    pub fn games(&mut self, content: &[u8], machine: i64, out: &mut TraceBuilder) {
        self.errors(
            content,
            (2, "game_intervention_has_parse_errors"),
            machine,
            out,
        );
        self.errors(
            content,
            (3, "game_intervention_has_read_errors"),
            machine,
            out,
        );
        for game in Fields::new(content).filter(|field| field.number == 1) {
            let cells = game_cells(game.fields(), out);
            out.record(NO_TIME, "android_game_intervention_list", &cells);
        }
    }
}

fn rows(
    list: &List,
    ts: i64,
    content: &[u8],
    mut is_new: impl FnMut(Field<'_>) -> bool,
    out: &mut TraceBuilder,
) {
    let items = Fields::new(content).filter(|field| field.number == list.items);
    for item in items {
        if is_new(item) {
            let columns = list.columns.iter();
            let cells: Vec<_> = columns
                .filter_map(|(number, name, kind)| {
                    let field = item.fields().filter(|field| field.number == *number);
                    Some((*name, cell(field.last(), *kind, out)?))
                })
                .collect();
            out.record(ts, list.table, &cells);
        }
    }
}

/// The value of a column; `None` for NULL.
fn cell(field: Option<Field<'_>>, kind: As, out: &mut TraceBuilder) -> Option<ArgValue> {
    Some(match (kind, field) {
        (As::Number, field) => ArgValue::Int(field.map_or(0, Field::int)),
        (As::MaybeText, None) => return None,
        (As::Text | As::MaybeText, field) => {
            ArgValue::Text(out.intern(field.map_or(&[][..], Field::bytes)))
        }
        (As::Name(names), field) => {
            let place = field.map_or(0, Field::uint) as usize;
            let name = names.get(place).or(names.first());
            ArgValue::Text(out.intern(name.copied().unwrap_or_default().as_bytes()))
        }
    })
}

/// A `GamePackageInfo`.
fn game_cells(fields: Fields<'_>, out: &mut TraceBuilder) -> Vec<(&'static str, ArgValue)> {
    let name = out.intern(b"");
    let mut cells = vec![
        ("package_name", ArgValue::Text(name)),
        ("uid", ArgValue::Int(0)),
        ("current_mode", ArgValue::Int(0)),
    ];
    cells.extend(MODES.map(|[supported, ..]| (supported, ArgValue::Int(0))));
    for field in fields {
        match field.number {
            1 => set(
                &mut cells,
                "package_name",
                ArgValue::Text(out.intern(field.bytes())),
            ),
            2 => set(&mut cells, "uid", ArgValue::Int(field.int())),
            3 => set(&mut cells, "current_mode", ArgValue::Int(field.int())),
            4 => mode(field.fields(), &mut cells),
            _ => {}
        }
    }
    cells
}

/// A `GameModeInfo`.
fn mode(fields: Fields<'_>, cells: &mut Vec<(&'static str, ArgValue)>) {
    let (mut mode, mut angle, mut downscale, mut fps) = (0, 0, 0.0, 0.0);
    let fraction = |field: Field<'_>| f64::from(f32::from_bits(field.uint() as u32));
    for field in fields {
        match field.number {
            1 => mode = field.uint() as usize,
            2 => angle = i64::from(field.bool()),
            3 => downscale = fraction(field),
            4 => fps = fraction(field),
            _ => {}
        }
    }
    let Some(names) = mode.checked_sub(1).and_then(|place| MODES.get(place)) else {
        return;
    };
    set(cells, names[0], ArgValue::Int(1));
    set(cells, names[1], ArgValue::Float(downscale));
    set(cells, names[2], ArgValue::Int(angle));
    set(cells, names[3], ArgValue::Float(fps));
}

/// Sets a cell. Replaces an earlier value.
fn set(cells: &mut Vec<(&'static str, ArgValue)>, name: &'static str, value: ArgValue) {
    match cells.iter_mut().find(|(known, _)| *known == name) {
        Some((_, cell)) => *cell = value,
        None => cells.push((name, value)),
    }
}
