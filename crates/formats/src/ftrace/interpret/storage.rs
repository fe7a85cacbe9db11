//! Flash devices and F2FS.

use traceloom_trace::{ArgValue, SliceBegin, StringId, TraceBuilder, TrackType};

use super::args::Fields;
use super::derived::argument;
use super::interpreter::Interpreter;
use super::position::At;
use crate::ftrace::event::Value;

/// The SCSI commands that flash devices support, by number (`include/scsi/scsi_proto.h`).
const COMMANDS: &[(i64, &str)] = &[
    (0x00, "TEST UNIT READY"),
    (0x03, "REQUEST SENSE"),
    (0x04, "FORMAT UNIT"),
    (0x08, "READ (6)"),
    (0x0a, "WRITE (6)"),
    (0x12, "INQUIRY"),
    (0x1b, "START STOP UNIT"),
    (0x1d, "SEND DIAGNOSTIC"),
    (0x25, "READ CAPACITY (10)"),
    (0x28, "READ (10)"),
    (0x2a, "WRITE (10)"),
    (0x2f, "VERIFY"),
    (0x34, "PRE-FETCH (10)"),
    (0x35, "SYNCHRONIZE CACHE (10)"),
    (0x3b, "WRITE BUFFER"),
    (0x3c, "READ BUFFER"),
    (0x42, "UNMAP"),
    (0x55, "MODE SELECT (10)"),
    (0x5a, "MODE SENSE (10)"),
    (0x88, "READ (16)"),
    (0x8a, "WRITE (16)"),
    (0x90, "PRE-FETCH (16)"),
    (0x91, "SYNCHRONIZE CACHE (16)"),
    (0x9e, "READ CAPACITY (16)"),
    (0xa0, "REPORT LUNS"),
    (0xa2, "SECURITY PROTOCOL IN"),
    (0xb5, "SECURITY PROTOCOL OUT"),
];

/// Why F2FS writes a checkpoint, by bit (`fs/f2fs/f2fs.h`).
const REASONS: [&str; 8] = [
    "Umount", "Fastboot", "Sync", "Recovery", "Discard", "Trimmed", "Pause", "Resize",
];

impl Interpreter {
    /// `ufshcd_command`: the number of commands, and a slice for the command with this tag.
    pub(super) fn ufs_command(
        &mut self,
        at: At,
        fields: Fields<'_>,
        out: &mut TraceBuilder,
    ) -> Option<()> {
        self.ufs_commands(at, fields, out);
        let name = format!("io.ufs.command.tag[{:03}]", fields.int("tag")?);
        let name = out.intern(name.as_bytes());
        let track = out.global_track(TrackType::UfsCommandTag, name);
        if fields.text("str_t")? != b"send_req" {
            out.end_slice(track, at.ts, None);
            return None;
        }
        let name = ufs_name(fields)?;
        let begin = SliceBegin::named(at.ts, out.intern(name.as_bytes()));
        out.begin_slice(track, begin);
        None
    }

    /// `ufshcd_clk_gating`: whether the device has a clock; 1 and 2 are the transitions to off and on.
    pub(super) fn ufs_clock(
        &mut self,
        at: At,
        fields: Fields<'_>,
        out: &mut TraceBuilder,
    ) -> Option<()> {
        let state = match fields.get("state")? {
            Value::Int(1) | Value::Text(b"CLKS_ON") => 3,
            Value::Int(2) | Value::Text(b"REQ_CLKS_OFF") => 1,
            Value::Int(3) | Value::Text(b"REQ_CLKS_ON") => 2,
            _ => 0,
        };
        let name = out.intern(b"io.ufs.clkgating (OFF:0/REQ_OFF/REQ_ON/ON:3)");
        let track = out.global_track(TrackType::UfsClkgating, name);
        out.counter(track, at.ts, state.into());
        None
    }

    /// `f2fs_write_checkpoint`: phase 0 begins it, phase 2 ends it. The kernel prints texts.
    pub(super) fn checkpoint(
        &mut self,
        at: At,
        fields: Fields<'_>,
        out: &mut TraceBuilder,
    ) -> Option<()> {
        let phase = fields.get("phase").or(fields.get("state"))?;
        let begins = match phase {
            Value::Int(0) | Value::Text(b"start block_ops") => true,
            Value::Int(2) | Value::Text(b"finish checkpoint") => false,
            _ => return None,
        };
        let tid = self.threads.slot(at.slot).tid;
        let upid = self.threads.process(at.slot, out);
        let upid = upid.unwrap_or_else(|| out.process(tid.into()));
        let name = out.intern(format!("f2fs_ckpt {tid}").as_bytes());
        let track = out.process_track(TrackType::F2fsWriteCheckpoint, upid, name);
        out.end_slice(track, at.ts, None);
        if begins {
            let args = checkpoint_args(fields, out);
            let begin = SliceBegin {
                arg_set_id: out.args(args),
                ..SliceBegin::named(at.ts, out.intern(b"F2fs Write Checkpoint"))
            };
            out.begin_slice(track, begin);
        }
        None
    }
}

fn checkpoint_args(fields: Fields<'_>, out: &mut TraceBuilder) -> Vec<(StringId, ArgValue)> {
    let mut args = Vec::new();
    let reason = match fields.get("reason") {
        Some(Value::Text(_)) => "reason_str",
        _ => "reason_int",
    };
    for (key, field) in [("dev", "dev"), (reason, "reason")] {
        if let Some(value) = fields.get(field) {
            args.push((out.intern(key.as_bytes()), argument(value, out)));
        }
    }
    let Some(reason) = fields.int("reason") else {
        return args;
    };
    let given = REASONS.iter().enumerate();
    let given = given.filter(|(bit, _)| reason & 1 << bit != 0);
    for (place, (_, text)) in given.enumerate() {
        let key = out.intern(format!("reason_str[{place}]").as_bytes());
        args.push((key, ArgValue::Text(out.intern(text.as_bytes()))));
    }
    if reason == 0 {
        let unknown = ArgValue::Text(out.intern(b"Unknown"));
        args.push((out.intern(b"reason_str"), unknown));
    }
    args
}

/// The name of a command. The kernel's text has it as `opcode: 0x28 (READ_10)`.
fn ufs_name(fields: Fields<'_>) -> Option<String> {
    let number = |key: &str| match fields.get(key)? {
        Value::Int(number) => Some(number),
        Value::Hex(number) => i64::try_from(number).ok(),
        Value::Text(text) => {
            let text = std::str::from_utf8(text).ok()?.split(' ').next()?;
            i64::from_str_radix(text.trim_start_matches("0x"), 16).ok()
        }
    };
    let opcode = number("opcode").unwrap_or(0);
    let known = COMMANDS.iter().find(|(number, _)| *number == opcode);
    let name = known.map_or("UNDEFINED", |(_, name)| name);
    Some(match number("group_id").unwrap_or(0) {
        group if group > 0 => format!("{name} (GID={group:#x})"),
        _ => name.to_owned(),
    })
}
