//! The arguments of frames, with the keys of PerfettoSQL.

use traceloom_trace::{ArgSetId, ArgValue, StringId, TraceBuilder};

use super::jank;
use super::start::{Start, slot};

/// Collects arguments.
struct Args<'a, 'f> {
    start: &'a Start<'f>,
    out: &'a mut TraceBuilder,
    args: Vec<(StringId, ArgValue)>,
}

/// Stores the arguments of a frame. Only an actual frame has a jank verdict.
pub(super) fn store(start: &Start<'_>, is_actual: bool, out: &mut TraceBuilder) -> ArgSetId {
    let mut args = Args {
        start,
        out,
        args: Vec::new(),
    };
    args.tokens();
    if is_actual {
        args.verdict();
    }
    let Args { args, out, .. } = args;
    out.args(args)
}

impl Args<'_, '_> {
    fn tokens(&mut self) {
        if self.start.is_surface {
            self.some_int("Surface frame token", slot::TOKEN);
            self.some_int("Display frame token", slot::DISPLAY_TOKEN);
            if let Some(layer) = self.start.layer {
                let layer = self.out.intern(layer);
                self.push("Layer name", ArgValue::Text(layer));
            }
        } else {
            self.some_int("Display frame token", slot::TOKEN);
        }
    }

    fn verdict(&mut self) {
        let start = self.start;
        if start.int(slot::ANIMATION_MS).is_some() {
            self.float("Animation Time (ms)", slot::ANIMATION_MS);
        }
        self.float("Present Delay (ms)", slot::DELAY_MS);
        if start.is_surface {
            self.float("Vsync Resynced Jitter (ms)", slot::JITTER_MS);
        }
        let bits = |slot| start.bits(slot);
        let (present, jank) = (bits(slot::PRESENT), bits(slot::JANK));
        let (new_present, new_jank) = (
            bits(slot::PRESENT_EXPERIMENTAL),
            bits(slot::JANK_EXPERIMENTAL),
        );
        self.text("Present type", jank::present(present));
        self.text("Present type (experimental)", jank::present(new_present));
        self.flag("On time finish", slot::ON_TIME);
        self.flag("GPU composition", slot::GPU_COMPOSITION);
        self.text("Jank type", &jank::reasons(jank));
        self.text("Jank type (experimental)", &jank::reasons(new_jank));
        let severity = jank::severity(start.int(slot::SEVERITY), jank);
        self.text("Jank severity type", severity);
        self.float("Jank Severity Score", slot::SEVERITY_SCORE);
        self.text("Prediction type", jank::prediction(bits(slot::PREDICTION)));
        self.text("Jank tag", jank::tag(jank, start.is_surface, present));
        let tag = jank::tag(new_jank, start.is_surface, new_present);
        self.text("Jank tag (experimental)", tag);
        if start.is_surface {
            let is_buffer = match start.int(slot::IS_BUFFER) {
                None => "Unspecified",
                Some(0) => "No",
                Some(_) => "Yes",
            };
            self.text("Is Buffer?", is_buffer);
        }
        self.float("Jank Metadata (debugging only)", slot::DEBUG);
        if let Some(fence) = start.int(slot::FENCE) {
            self.text("Latched fence state", jank::fence(fence));
        }
        self.some_int("Latched unsignaled count", slot::LATCHED);
        self.some_int("Addressable unsignaled latch count", slot::LATCHABLE);
    }

    fn push(&mut self, key: &str, value: ArgValue) {
        let key = self.out.intern(key.as_bytes());
        self.args.push((key, value));
    }

    fn text(&mut self, key: &str, text: &str) {
        let text = self.out.intern(text.as_bytes());
        self.push(key, ArgValue::Text(text));
    }

    fn float(&mut self, key: &str, slot: usize) {
        self.push(key, ArgValue::Float(self.start.float(slot)));
    }

    /// Adds a `bool`, which PerfettoSQL shows as 0 or 1.
    fn flag(&mut self, key: &str, slot: usize) {
        let flag = self.start.bits(slot) != 0;
        self.push(key, ArgValue::Int(flag.into()));
    }

    /// Adds a number, unless it is absent.
    fn some_int(&mut self, key: &str, slot: usize) {
        if let Some(number) = self.start.int(slot) {
            self.push(key, ArgValue::Int(number));
        }
    }
}
