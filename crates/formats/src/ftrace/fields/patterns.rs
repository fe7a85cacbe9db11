//! Print formats as patterns, for events that the general rule would misread.
//!
//! ```text
//! name={name} ({min}-{max})      literal text and fields; each field ends where the text after it
//!                                begins
//! a={a:x}                        a hexadecimal number without 0x
//! {name}: {*}                    the rest is parsed by the general rule
//! ```
//! A space matches any number of spaces. The keys are the names of the kernel's fields, or the keys
//! in the text, to match the binary form of the event.

use std::sync::OnceLock;

use rustc_hash::FxHashMap;

use super::general::{keyed, text_field};
use crate::ftrace::digits::{bare_hex, skip_spaces};
use crate::ftrace::event::{Field, Value};

/// Events and their possible formats; the first that matches is used.
#[rustfmt::skip]
pub(super) const PATTERNS: &[(&str, &[&str])] = &[
    ("android_fs_dataread_start", FILE_DATA),
    ("android_fs_datawrite_start", FILE_DATA),
    ("clk_disable", NAME),
    ("clk_disable_complete", NAME),
    ("clk_enable", NAME),
    ("clk_enable_complete", NAME),
    ("clk_prepare", NAME),
    ("clk_prepare_complete", NAME),
    ("clk_rate_request_done", REQUEST),
    ("clk_rate_request_start", REQUEST),
    ("clk_set_duty_cycle", &["{name} {num}/{den}"]),
    ("clk_set_duty_cycle_complete", &["{name} {num}/{den}"]),
    ("clk_set_max_rate", RATE),
    ("clk_set_min_rate", RATE),
    ("clk_set_parent", &["{name} {pname}"]),
    ("clk_set_parent_complete", &["{name} {pname}"]),
    ("clk_set_phase", &["{name} {phase}"]),
    ("clk_set_phase_complete", &["{name} {phase}"]),
    ("clk_set_rate", RATE),
    ("clk_set_rate_complete", RATE),
    ("clk_set_rate_range", &["{name} min {min} max {max}"]),
    ("clk_unprepare", NAME),
    ("clk_unprepare_complete", NAME),
    ("clock_disable", STATE),
    ("clock_enable", STATE),
    ("clock_set_rate", STATE),
    ("contention_begin", &["{lock_addr} (flags={flags})"]),
    ("contention_end", &["{lock_addr} (ret={ret})"]),
    ("cpuhp_enter", CPUHP),
    ("cpuhp_exit", &["cpu: {cpu} state: {state} step: {idx} ret: {ret}"]),
    ("cpuhp_multi_enter", CPUHP),
    ("device_pm_callback_end", &["{driver} {device}, err={err}"]),
    ("device_pm_callback_start", &["{driver} {device}, parent: {parent}, {pm_ops}[{event}]"]),
    ("drm_run_job", JOB),
    ("drm_sched_job", JOB),
    ("drm_sched_job_done", &["fence={fence_context}:{fence_seqno} signaled"]),
    ("drm_sched_job_queue", JOB_OF_DEVICE),
    ("drm_sched_job_run", JOB_OF_DEVICE),
    ("drm_sched_process_job", &["fence={fence} signaled"]),
    ("ext4_dataread_start", FILE_DATA),
    ("ext4_datawrite_start", FILE_DATA),
    ("f2fs_dataread_start", FILE_DATA),
    ("f2fs_datawrite_start", FILE_DATA),
    ("f2fs_write_checkpoint", &["dev = ({dev}), checkpoint for {reason}, state = {state}"]),
    ("fuse_request_send", &["connection {connection} req {unique} opcode {opcode} ({name}) len {len}"]),
    ("fuse_request_end", &["connection {connection} req {unique} len {len} error {error}"]),
    ("i2c_read", &["i2c-{adapter_nr} #{msg_nr} a={a:x} f={f:x} l={l}"]),
    ("i2c_reply", I2C_DATA),
    ("i2c_result", &["i2c-{adapter_nr} n={n} ret={ret}"]),
    ("i2c_write", I2C_DATA),
    ("ipi_entry", &["({reason})"]),
    ("ipi_exit", &["({reason})"]),
    ("kvm_exit", &["vcpu {vcpu} reason {reason} rip {rip} {*}", "vcpu {vcpu} reason {reason} rip {rip}"]),
    ("mm_shrink_slab_end", SHRINK_END),
    ("mm_shrink_slab_start", SHRINK_START),
    ("mmc_request_done", &["{name}: end struct mmc_request[{mrq}]: {*}"]),
    ("mmc_request_start", &["{name}: start struct mmc_request[{mrq}]: {*}"]),
    ("regulator_set_voltage", &["name={name} ({min}-{max})"]),
    ("rpm_idle", RPM),
    ("rpm_resume", RPM),
    ("rpm_return_int", &["{ip}:{name} ret={ret}"]),
    ("rpm_status", &["{name} status={status}"]),
    ("rpm_suspend", RPM),
    ("rpm_usage", RPM),
    ("smbus_read", &["i2c-{adapter_nr} a={a:x} f={f:x} c={c:x} {protocol}"]),
    ("smbus_reply", SMBUS_DATA),
    ("smbus_result", &["i2c-{adapter_nr} a={a:x} f={f:x} c={c:x} {protocol} {read_write} res={res}"]),
    ("smbus_write", SMBUS_DATA),
    ("spi_controller_busy", &["spi{bus_num}"]),
    ("spi_controller_idle", &["spi{bus_num}"]),
    ("spi_master_busy", &["spi{bus_num}"]),
    ("spi_master_idle", &["spi{bus_num}"]),
    ("spi_message_done", &["spi{bus_num}.{chip_select} {msg} len={len}"]),
    ("spi_message_start", SPI_MESSAGE),
    ("spi_message_submit", SPI_MESSAGE),
    ("spi_transfer_start", SPI_TRANSFER),
    ("spi_transfer_stop", SPI_TRANSFER),
    ("sys_enter", &["NR {id} ({args})"]),
    ("sys_exit", &["NR {id} = {ret}"]),
    ("sync_wait", &["{begin} name={name} state={state}"]),
    ("ufshcd_clk_gating", &["{dev_name}: gating state changed to {state}"]),
    ("ufshcd_command", &["{str_t}: {dev_name}: tag: {tag}, {*}"]),
    ("wakeup_source_activate", STATE),
    ("wakeup_source_deactivate", STATE),
];

type Formats = &'static [&'static str];

const CPUHP: Formats = &["cpu: {cpu} target: {target} step: {idx} ({fun})"];
const FILE_DATA: Formats = &[
    "entry_name {pathbuf}, offset {offset}, bytes {bytes}, cmdline {cmdline}, pid {pid}, i_size {i_size}, ino {ino}",
];
const I2C_DATA: Formats = &["i2c-{adapter_nr} #{msg_nr} a={a:x} f={f:x} l={l} [{buf}]"];
const NAME: Formats = &["{name}"];
const RATE: Formats = &["{name} {rate}"];
const REQUEST: Formats = &["{name} min {min} max {max}, parent {pname} ({prate})"];
const RPM: Formats = &["{name} flags-{flags:x} {*}"];
const SHRINK_START: Formats = &[
    "{shrink} {shr}: nid: {nid} objects to shrink {nr_objects_to_shrink} gfp_flags {gfp_flags} cache items {cache_items} delta {delta} total_scan {total_scan} priority {priority}",
    "{shrink} {shr}: {*}",
];
const SHRINK_END: Formats = &[
    "{shrink} {shr}: nid: {nid} unused scan count {unused_scan} new scan count {new_scan} total_scan {total_scan} last shrinker return val {retval}",
    "{shrink} {shr}: {*}",
];
const JOB: Formats = &[
    "entity={entity}, id={id}, fence={fence}, ring={name}, job count:{job_count}, hw job count:{hw_job_count}",
];
const JOB_OF_DEVICE: Formats = &[
    "dev={dev}, fence={fence_context}:{fence_seqno}, ring={name}, job count:{job_count}, hw job count:{hw_job_count}, client_id:{client_id}",
    "dev={dev}, fence={fence_context}:{fence_seqno}, ring={name}, job count:{job_count}, hw job count:{hw_job_count}",
];
const SMBUS_DATA: Formats = &["i2c-{adapter_nr} a={a:x} f={f:x} c={c:x} {protocol} l={l} [{buf}]"];
const SPI_MESSAGE: Formats = &["spi{bus_num}.{chip_select} {msg}"];
const SPI_TRANSFER: Formats =
    &["spi{bus_num}.{chip_select} {xfer} len={len} tx=[{tx_buf}] rx=[{rx_buf}]"];
const STATE: Formats = &["{name} {*}", "{name}"];

/// A field of a pattern, and the text before it.
pub(super) struct Piece {
    pub before: &'static [u8],
    pub key: &'static [u8],
    pub is_hex: bool,
}

/// A parsed pattern.
pub(super) struct Pattern {
    pub pieces: Vec<Piece>,
    pub after: &'static [u8],
}

/// Whether events of this name have a pattern.
pub(super) fn has_pattern(event: &[u8]) -> bool {
    patterns().contains_key(event)
}

/// Parses a payload with the event's pattern; `None` if there is none, or none matches.
pub(super) fn by_pattern<'a>(event: &[u8], text: &'a [u8], out: &mut Vec<Field<'a>>) -> Option<()> {
    let before = out.len();
    for pattern in patterns().get(event)? {
        if pattern.read(text, out).is_some() {
            return Some(());
        }
        out.truncate(before);
    }
    None
}

pub(super) fn patterns() -> &'static FxHashMap<&'static [u8], Vec<Pattern>> {
    static ALL: OnceLock<FxHashMap<&'static [u8], Vec<Pattern>>> = OnceLock::new();
    ALL.get_or_init(|| {
        let parse = |formats: &Formats| formats.iter().copied().map(Pattern::parse).collect();
        let all = PATTERNS.iter();
        all.map(|(event, formats)| (event.as_bytes(), parse(formats)))
            .collect()
    })
}

impl Pattern {
    fn parse(format: &'static str) -> Self {
        let mut pieces = Vec::new();
        let mut rest = format;
        while let Some((before, behind)) = rest.split_once('{') {
            let (field, after) = behind.split_once('}').unwrap_or((behind, ""));
            let (key, kind) = field.split_once(':').unwrap_or((field, ""));
            pieces.push(Piece {
                before: before.as_bytes(),
                key: key.as_bytes(),
                is_hex: kind == "x",
            });
            rest = after;
        }
        Self {
            pieces,
            after: rest.as_bytes(),
        }
    }

    fn read<'a>(&self, text: &'a [u8], out: &mut Vec<Field<'a>>) -> Option<()> {
        let mut at = literal(text, 0, self.pieces.first()?.before)?;
        for (nth, piece) in self.pieces.iter().enumerate() {
            if piece.key == b"*" {
                keyed(&text[at..], out);
                return Some(());
            }
            let behind = self.pieces.get(nth + 1);
            let behind = behind.map_or(self.after, |piece| piece.before);
            let (end, next) = find(text, at, behind)?;
            let value = text[at..end].trim_ascii();
            // `key=value` instead of a plain value: another tool printed the event.
            if !piece.before.ends_with(b"=") && value.contains(&b'=') {
                return None;
            }
            out.push(piece.field(value));
            at = next;
        }
        (at == text.len()).then_some(())
    }
}

impl Piece {
    fn field<'a>(&self, value: &'a [u8]) -> Field<'a> {
        match bare_hex(value).filter(|_| self.is_hex) {
            Some(number) => Field {
                key: self.key,
                value: Value::Hex(number),
            },
            None => text_field(self.key, value),
        }
    }
}

/// The start and end of the first `wanted` at or after `from`. An empty text matches only at the
/// end.
fn find(text: &[u8], from: usize, wanted: &[u8]) -> Option<(usize, usize)> {
    let Some(first) = wanted.first() else {
        return Some((text.len(), text.len()));
    };
    let starts = memchr::memchr_iter(*first, &text[from..]).map(|at| from + at);
    let mut found = starts.filter_map(|start| Some((start, literal(text, start, wanted)?)));
    found.next()
}

/// The end of `wanted`, if it is at `at`.
fn literal(text: &[u8], mut at: usize, wanted: &[u8]) -> Option<usize> {
    for byte in wanted {
        if text.get(at) != Some(byte) {
            return None;
        }
        at = match byte {
            b' ' => skip_spaces(text, at),
            _ => at + 1,
        };
    }
    Some(at)
}
