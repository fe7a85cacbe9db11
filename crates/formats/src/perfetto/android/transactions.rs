//! SurfaceFlinger's transactions: the changes that apps requested.

use traceloom_trace::{ArgValue, NO_TIME, RecordId, TraceBuilder};

use super::super::wire::Field;
use super::Android;
use super::messages::Args;

const ENTRY: &str = "TransactionTraceEntry";
const TRANSACTION: &str = "TransactionState";
const LAYER: &str = "LayerState";
const DISPLAY: &str = "DisplayState";

/// The fields of a transaction that are also arguments of its changes: the token and the barriers.
const SHARED: [u32; 2] = [10, 11];

/// The common values of rows of a snapshot.
struct Row<'a> {
    snapshot: RecordId,
    kind: &'static str,
    /// The transaction to which the change belongs.
    transaction: Option<&'a Transaction>,
}

/// The arguments and cells that all changes of a transaction have in common.
struct Transaction {
    args: Args,
    cells: [(&'static str, ArgValue); 3],
}

impl Android<'_> {
    /// A `TransactionTraceEntry`.
    pub(super) fn transactions(&mut self, ts: i64, content: &[u8], out: &mut TraceBuilder) {
        let mut cells = self.cells(ENTRY, content, out).to_vec();
        let vsync = self.messages.number(ENTRY, content, "vsync_id");
        cells.push(("vsync_id", ArgValue::Int(vsync)));
        let snapshot = out.record(ts, "surfaceflinger_transactions", &cells);
        for transaction in self.messages.all(ENTRY, content, "transactions") {
            self.transaction(transaction.bytes(), snapshot, out);
        }
        let row = |kind| Row {
            snapshot,
            kind,
            transaction: None,
        };
        for layer in self.messages.all(ENTRY, content, "added_layers") {
            let id = self
                .messages
                .number("LayerCreationArgs", layer.bytes(), "layer_id");
            let change = ("LayerCreationArgs", layer.bytes());
            let cells = vec![("layer_id", ArgValue::Int(id))];
            self.change(&row("LAYER_ADDED"), Some(change), cells, out);
        }
        self.gone(
            content,
            "destroyed_layers",
            "layer_id",
            &row("LAYER_DESTROYED"),
            out,
        );
        for display in self.messages.all(ENTRY, content, "added_displays") {
            self.of_display(&row("DISPLAY_ADDED"), display.bytes(), out);
        }
        self.gone(
            content,
            "removed_displays",
            "display_id",
            &row("DISPLAY_REMOVED"),
            out,
        );
        let handles = row("LAYER_HANDLE_DESTROYED");
        self.gone(
            content,
            "destroyed_layer_handles",
            "layer_id",
            &handles,
            out,
        );
    }

    /// A `TransactionState`.
    fn transaction(&mut self, content: &[u8], snapshot: RecordId, out: &mut TraceBuilder) {
        let shared = |number| SHARED.contains(&number);
        let transaction = Transaction {
            args: self.messages.args(TRANSACTION, content, shared, out),
            cells: ["transaction_id", "pid", "uid"].map(|column| {
                let value = self.messages.number(TRANSACTION, content, column);
                (column, ArgValue::Int(value))
            }),
        };
        let row = |kind| Row {
            snapshot,
            kind,
            transaction: Some(&transaction),
        };
        let mut is_empty = true;
        for layer in self.messages.all(TRANSACTION, content, "layer_changes") {
            is_empty = false;
            self.of_layer(&row("LAYER_CHANGED"), layer.bytes(), out);
        }
        for display in self.messages.all(TRANSACTION, content, "display_changes") {
            is_empty = false;
            self.of_display(&row("DISPLAY_CHANGED"), display.bytes(), out);
        }
        if is_empty {
            self.change(&row("NOOP"), None, Vec::new(), out);
        }
    }

    /// A `LayerState`.
    fn of_layer(&mut self, row: &Row<'_>, content: &[u8], out: &mut TraceBuilder) {
        let id = self.messages.number(LAYER, content, "layer_id");
        let mut cells = vec![("layer_id", ArgValue::Int(id))];
        if let Some(what) = self.messages.find(LAYER, content, "what") {
            let kinds = ["LayerState.ChangesLsb", "LayerState.ChangesMsb"];
            cells.push(("flags_id", self.flags(false, what, kinds, out)));
        }
        self.change(row, Some((LAYER, content)), cells, out);
    }

    /// A `DisplayState`.
    fn of_display(&mut self, row: &Row<'_>, content: &[u8], out: &mut TraceBuilder) {
        let id = self.messages.number(DISPLAY, content, "id");
        let mut cells = vec![("display_id", ArgValue::Int(id))];
        if let Some(what) = self.messages.find(DISPLAY, content, "what") {
            let kinds = ["DisplayState.Changes", ""];
            cells.push(("flags_id", self.flags(true, what, kinds, out)));
        }
        self.change(row, Some((DISPLAY, content)), cells, out);
    }

    /// Adds rows for objects of which only the id is recorded.
    fn gone(
        &mut self,
        content: &[u8],
        name: &str,
        column: &'static str,
        row: &Row<'_>,
        out: &mut TraceBuilder,
    ) {
        for field in self.messages.all(ENTRY, content, name) {
            for id in field.numbers() {
                let cells = vec![(column, ArgValue::Int(id as i64))];
                self.change(row, None, cells, out);
            }
        }
    }

    /// Adds a row with the message of its change.
    fn change(
        &mut self,
        row: &Row<'_>,
        message: Option<(&'static str, &[u8])>,
        mut cells: Vec<(&'static str, ArgValue)>,
        out: &mut TraceBuilder,
    ) {
        const FOR_ROW: usize = 128;
        let shared = row.transaction.map_or(0, |it| it.args.len());
        if !self.messages.take(FOR_ROW + 16 * shared) {
            return;
        }
        if let Some((kind, content)) = message {
            let mut args = self.messages.args(kind, content, |_| true, out);
            args.extend(row.transaction.iter().flat_map(|it| &it.args));
            let args = out.args(args);
            let message = self.messages.keep(content, out);
            cells.extend([("arg_set_id", args.into()), ("base64_proto_id", message)]);
        }
        cells.extend(row.transaction.iter().flat_map(|it| it.cells));
        let kind = out.intern(row.kind.as_bytes());
        cells.push(("snapshot_id", row.snapshot.into()));
        cells.push(("transaction_type", ArgValue::Text(kind)));
        out.record(NO_TIME, "__intrinsic_surfaceflinger_transaction", &cells);
    }

    /// The id of a set of change flags. For a new set, a row is added for each flag. `kinds` are the enums for the
    /// lower and the upper 32 bits.
    fn flags(
        &mut self,
        of_display: bool,
        what: Field<'_>,
        kinds: [&str; 2],
        out: &mut TraceBuilder,
    ) -> ArgValue {
        let what = what.uint();
        let next = self.flags.0.len() as i64;
        let id = *self.flags.0.entry((of_display, what)).or_insert(next);
        if id == next {
            for (kind, bits) in kinds.into_iter().zip([what as u32, (what >> 32) as u32]) {
                for (bit, name) in self.messages.descriptors.values(kind) {
                    if bits & bit as u32 != 0 && self.messages.take(64) {
                        let flag = ArgValue::Text(out.intern(name.as_bytes()));
                        let cells = [("flags_id", ArgValue::Int(id)), ("flag", flag)];
                        let table = "__intrinsic_surfaceflinger_transaction_flag";
                        out.record(NO_TIME, table, &cells);
                    }
                }
            }
        }
        ArgValue::Int(id)
    }
}
