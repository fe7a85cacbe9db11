//! Rules for kernel events that traceloom does not know, from the `--events` file.

use serde::Deserialize;
use serde::de::IgnoredAny;

/// The `[[event]]` tables of a rules file. The file may also hold `[[category]]` tables, which belong to the
/// recorder. Any other table is an error, because it may be mistyped.
///
/// ```
/// let text = r#"
/// [[event]]
/// name = "battery_level"
/// counter = "level"
///
/// [[event]]
/// name = "ion_lock"
/// begin = "what"
///
/// [[event]]
/// name = "ion_unlock"
/// end = true
/// "#;
/// let rules = traceloom_formats::EventRules::parse(text).unwrap();
/// assert_eq!(rules.events.len(), 3);
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EventRules {
    /// One rule for each event.
    pub events: Vec<EventRule>,
}

/// The tables of a rules file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RulesFile {
    #[serde(default)]
    event: Vec<EventRule>,
    /// Checked by the recorder.
    #[serde(default, rename = "category")]
    _category: IgnoredAny,
}

/// How to show one kernel event. Exactly one of `counter`, `begin`, `end`, `instant` is given.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EventRule {
    /// The event's name in the trace, such as `battery_level`.
    pub name: String,
    /// The field with the value of a counter.
    pub counter: Option<String>,
    /// The event begins a slice: the field with its name (empty: the event's name).
    pub begin: Option<String>,
    /// The event ends the slice opened by the last `begin` on the same track.
    #[serde(default)]
    pub end: bool,
    /// The event is an instant: the field with its name (empty: the event's name).
    pub instant: Option<String>,
    /// What the track belongs to: `thread` (the default), `cpu`, `global`.
    #[serde(default)]
    pub track: RuleTrack,
    /// The track's name; by default the event's name. The begin and end of a slice must have the
    /// same title.
    pub title: Option<String>,
    /// A field, such as a device. Each of its values gets its own track.
    pub key: Option<String>,
}

/// What the track of a rule belongs to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RuleTrack {
    /// The thread the event happened in.
    #[default]
    Thread,
    /// The CPU it happened on.
    Cpu,
    /// The whole machine.
    Global,
}

/// Why a rules file cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RulesError {
    /// It is not TOML, or a key has the wrong type or name. The message has the line and column.
    #[error(transparent)]
    Toml(#[from] toml::de::Error),
    /// A rule gives none or several of the four choices.
    #[error(
        "[[event]] \"{name}\": exactly one of counter, begin, end and instant is needed, {found} are given"
    )]
    Choice {
        /// The event's name.
        name: String,
        /// How many are given.
        found: usize,
    },
}

impl EventRules {
    /// Reads a rules file.
    ///
    /// # Errors
    /// If it is not TOML, or a rule is ambiguous.
    pub fn parse(text: &str) -> Result<Self, RulesError> {
        let file: RulesFile = toml::from_str(text)?;
        let rules = Self { events: file.event };
        for rule in &rules.events {
            let given = [
                rule.counter.is_some(),
                rule.begin.is_some(),
                rule.end,
                rule.instant.is_some(),
            ];
            let found = given.into_iter().filter(|given| *given).count();
            if found != 1 {
                return Err(RulesError::Choice {
                    name: rule.name.clone(),
                    found,
                });
            }
        }
        Ok(rules)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_must_be_clear() {
        let error = EventRules::parse("[[event]]\nname = \"x\"\n").unwrap_err();
        assert!(error.to_string().contains("\"x\""), "{error}");
        let error = EventRules::parse("[[event]]\nname = \"x\"\ncouner = \"y\"\n").unwrap_err();
        assert!(error.to_string().contains("couner"), "{error}");
    }

    #[test]
    fn a_mistyped_table_is_named() {
        let error = EventRules::parse("[[evnt]]\nname = \"x\"\n").unwrap_err();
        let message = error.to_string();
        assert!(
            message.contains("`evnt`") && message.contains("`event`"),
            "{message}"
        );
        assert!(EventRules::parse("nmae = 1\n").is_err());
    }

    #[test]
    fn tables_of_the_recorder_are_passed_over() {
        let rules = EventRules::parse("[[category]]\nname = \"mine\"\n").unwrap();
        assert!(rules.events.is_empty());
    }
}
