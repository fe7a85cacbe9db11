//! The configuration of the recording.

use std::collections::BTreeMap;

use traceloom_trace::{Place, RepairKind, TraceBuilder};

use super::super::descriptors::text;
use super::super::wire::{Field, Fields};
use super::Service;

impl Service<'_> {
    /// A `TraceConfig`.
    pub(super) fn config(&mut self, config: &[u8], out: &mut TraceBuilder) {
        self.config = Some(config.to_vec());
        match text(self.descriptors, "TraceConfig", config) {
            Some(text) => out.metadata("trace_config_pbtxt", &text),
            None => out.repair(RepairKind::BeyondLimit, 1, Place::default(), || {
                "the text of the configuration is too long".to_owned()
            }),
        }
        let value = |number| {
            let field = Fields::new(config).filter(|field| field.number == number);
            field.last()
        };
        let number = |number| value(number).map_or(0, Field::uint);
        self.set_uuid(number(27), number(28), out);
        if let Some(attributes) = value(48) {
            // Attributes from packets take precedence.
            let mut found = BTreeMap::new();
            super::facts::attributes(attributes.bytes(), &mut found);
            for (key, value) in found {
                self.attributes.entry(key).or_insert(value);
            }
        }
        let subscription = value(7).and_then(|statsd| {
            let mut fields = statsd.fields();
            fields.find(|field| field.number == 4)
        });
        if let Some(id) = subscription {
            out.metadata("statsd_triggering_subscription_id", &id.int().to_string());
        }
        if let Some(name) = value(22) {
            let name = String::from_utf8_lossy(name.bytes());
            out.metadata("unique_session_name", &name);
        }
    }
}
