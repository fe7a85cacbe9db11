//! Metadata and raw data of Chrome.

use base64::Engine;
use traceloom_trace::{ArgValue, StringId, TraceBuilder};

use super::super::wire::{Field, Fields};
use super::Service;
use super::facts::{field_trial, text};

/// The table for raw data in Chrome's packets.
const RAW: &str = "__intrinsic_chrome_raw";

impl Service<'_> {
    /// Reads a `ChromeMetadataPacket`. Each Chrome instance has its own packet and gets its own letter.
    pub(super) fn chrome(&mut self, metadata: &[u8], out: &mut TraceBuilder) {
        let letter = char::from(b'a' + self.chromes % 26);
        self.chromes = self.chromes.wrapping_add(1);
        let mut hashes = String::new();
        for field in Fields::new(metadata) {
            let (key, value) = match field.number {
                1 => {
                    background(field, out);
                    continue;
                }
                2 => ("playstore_version_code", field.int32().to_string()),
                3 => ("enabled_categories", text(field)),
                4 => {
                    hashes += &field_trial(field);
                    continue;
                }
                5 => ("package-name", text(field)),
                6 => ("product-version", text(field)),
                7 => ("channel", field.uint().to_string()),
                8 => ("os-name", text(field)),
                _ => continue,
            };
            out.metadata(&format!("cr-{letter}-{key}"), &value);
        }
        if !hashes.is_empty() {
            out.metadata(&format!("cr-{letter}-field_trial_hashes"), &hashes);
        }
    }

    /// Reads a `ChromeEventBundle`: metadata with keys of Chrome, and traces of other formats as text.
    pub(super) fn chrome_bundle(&mut self, ts: i64, bundle: &[u8], out: &mut TraceBuilder) {
        const USER_TRACE: u64 = 0;
        let all = |number| Fields::new(bundle).filter(move |field| field.number == number);
        if all(2).next().is_some() {
            self.bundles += 1;
            let facts = all(2).filter_map(|fact| self.chrome_fact(fact.fields(), out));
            let facts = facts.collect();
            raw(ts, "chrome_event.metadata", facts, out);
        }
        let output: Vec<u8> = all(4).flat_map(Field::bytes).copied().collect();
        if !output.is_empty() {
            raw_text(ts, "chrome_event.legacy_system_trace", &output, out);
        }
        for json in all(5).map(Field::fields) {
            let kind = json.clone().find(|field| field.number == 1);
            let data = json.clone().find(|field| field.number == 2);
            if kind.is_some_and(|kind| kind.uint() == USER_TRACE) {
                let data = data.map_or(&b""[..], Field::bytes);
                raw_text(ts, "chrome_event.legacy_user_trace", data, out);
            }
        }
    }

    /// Reads a `ChromeMetadata` and stores it as metadata. From the second bundle on, the key contains the number of
    /// the bundle.
    fn chrome_fact(
        &self,
        fact: Fields<'_>,
        out: &mut TraceBuilder,
    ) -> Option<(StringId, ArgValue)> {
        let name = fact.clone().find(|field| field.number == 1);
        let name = name.map_or(String::new(), text);
        let value = fact.filter(|field| field.number != 1).last()?;
        let (shown, value) = match value.number {
            2 => (text(value), ArgValue::Text(out.intern(value.bytes()))),
            3 => (
                u8::from(value.bool()).to_string(),
                ArgValue::Int(value.bool().into()),
            ),
            4 => (value.int().to_string(), ArgValue::Int(value.int())),
            5 => (text(value), ArgValue::Json(out.intern(value.bytes()))),
            _ => return None,
        };
        let number = match self.bundles {
            1 => String::new(),
            number => format!("{number}-"),
        };
        out.metadata(&format!("cr-{number}{name}"), &shown);
        Some((out.intern(name.as_bytes()), value))
    }
}

/// Stores a `BackgroundTracingMetadata`: the whole message, and the scenario for which Chrome recorded.
fn background(metadata: Field<'_>, out: &mut TraceBuilder) {
    const SCENARIO: u32 = 3;
    let whole = base64::engine::general_purpose::STANDARD.encode(metadata.bytes());
    out.metadata("cr-background_tracing_metadata", &whole);
    let scenario = metadata.fields().filter(|field| field.number == SCENARIO);
    if let Some(hash) = scenario.last() {
        out.metadata("cr-scenario_name_hash", &hash.uint().to_string());
    }
}

fn raw_text(ts: i64, name: &str, text: &[u8], out: &mut TraceBuilder) {
    let data = (out.intern(b"data"), ArgValue::Text(out.intern(text)));
    raw(ts, name, vec![data], out);
}

fn raw(ts: i64, name: &str, args: Vec<(StringId, ArgValue)>, out: &mut TraceBuilder) {
    let name = ArgValue::Text(out.intern(name.as_bytes()));
    let cells = [
        ("name", name),
        ("utid", ArgValue::Int(0)),
        ("arg_set_id", out.args(args).into()),
    ];
    out.record(ts.max(0), RAW, &cells);
}
