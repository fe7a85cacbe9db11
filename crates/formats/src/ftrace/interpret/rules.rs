//! Events with rules in the user's rules file.

use std::borrow::Cow;

use traceloom_trace::{RepairKind, TraceBuilder, TrackId, TrackType};

use super::args::Fields;
use super::interpreter::Interpreter;
use super::pairs::RULE;
use super::position::At;
use crate::rules::{EventRule, RuleTrack};

impl Interpreter {
    /// Applies every rule for the event.
    pub(super) fn apply_rules(
        &mut self,
        at: At,
        name: &[u8],
        fields: Fields<'_>,
        out: &mut TraceBuilder,
    ) {
        let rules = self.kernel.rules.clone();
        for rule in rules
            .events
            .iter()
            .filter(|rule| rule.name.as_bytes() == name)
        {
            if self.apply(at, rule, fields, out).is_none() {
                out.repair(RepairKind::BadField, 1, at.place(), || {
                    format!("the rule for {} does not fit the event's fields", rule.name)
                });
            }
        }
    }

    fn apply(
        &mut self,
        at: At,
        rule: &EventRule,
        fields: Fields<'_>,
        out: &mut TraceBuilder,
    ) -> Option<()> {
        if let Some(field) = &rule.counter {
            let track = self.rule_track(at, rule, fields, out)?;
            out.counter(track, at.ts, fields.number(field)?);
        } else if let Some(field) = &rule.begin {
            let name = shown_or_name(field, rule, fields)?;
            let track = self.rule_track(at, rule, fields, out)?;
            if is_own_track(rule) {
                self.begin(at, track, name.as_bytes(), fields, out);
            } else {
                let begin = self.slice_begin(at, name.as_bytes(), fields, out);
                self.push_slice(track, RULE, begin, out);
            }
        } else if rule.end {
            let track = self.rule_track(at, rule, fields, out)?;
            let ended = if is_own_track(rule) {
                out.end_slice(track, at.ts, None).map(drop)
            } else {
                self.pop_innermost(at, track, out)
            };
            if ended.is_none() {
                self.history.unmatched(at);
            }
        } else if let Some(field) = &rule.instant {
            let name = shown_or_name(field, rule, fields)?;
            let track = self.rule_track(at, rule, fields, out)?;
            let arg_set_id = fields.keep(out);
            let name = out.intern(name.as_bytes());
            out.instant(track, at.ts, name, arg_set_id);
        }
        Some(())
    }

    /// The rule's track, from its title (for counters the event's name) and the value of its key.
    /// Slices and instants of threads without title and key are on the thread's own track.
    fn rule_track(
        &mut self,
        at: At,
        rule: &EventRule,
        fields: Fields<'_>,
        out: &mut TraceBuilder,
    ) -> Option<TrackId> {
        let is_counter = rule.counter.is_some();
        let mut title = rule.title.clone().unwrap_or_default();
        if is_counter && title.is_empty() {
            title.clone_from(&rule.name);
        }
        if let Some(key) = &rule.key {
            title = format!("{title} {}", fields.shown(key)?)
                .trim_start()
                .to_owned();
        }
        if title.is_empty() && rule.track == RuleTrack::Thread {
            return Some(self.threads.track(at.slot, out));
        }
        let kind = match (rule.track, is_counter) {
            (RuleTrack::Thread, true) => TrackType::ThreadCounter,
            (RuleTrack::Thread, false) => TrackType::ThreadSlice,
            (RuleTrack::Cpu, true) => TrackType::CpuCounter,
            (RuleTrack::Cpu, false) => TrackType::CpuSlice,
            (RuleTrack::Global, true) => TrackType::GlobalCounter,
            (RuleTrack::Global, false) => TrackType::GlobalSlice,
        };
        let kind = kind.named(&title);
        let name = out.intern(title.as_bytes());
        Some(match rule.track {
            RuleTrack::Thread => out.thread_named_track(kind, at.utid, name),
            RuleTrack::Cpu => out.cpu_track(kind, at.cpu, name),
            RuleTrack::Global => out.global_track(kind, name),
        })
    }
}

/// Whether the slices of a rule are on the thread's own track, which marks also use.
fn is_own_track(rule: &EventRule) -> bool {
    let is_named = rule.title.as_ref().is_some_and(|title| !title.is_empty());
    rule.track == RuleTrack::Thread && !is_named && rule.key.is_none()
}

/// The text of the field that the rule names, or the name of the event.
fn shown_or_name(field: &str, rule: &EventRule, fields: Fields<'_>) -> Option<String> {
    if field.is_empty() {
        return Some(rule.name.clone());
    }
    fields.shown(field).map(Cow::into_owned)
}
