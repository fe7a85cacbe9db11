//! The user's categories: `[[category]]` tables in a TOML file, which may also have `[[event]]` tables
//! for the readers.

use serde::Deserialize;
use serde::de::IgnoredAny;

use super::builtin;
use super::definition::{Category, Event, Origin};
use super::vendor::check_event_path;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    category: Vec<Table>,
    /// For the readers.
    #[serde(default, rename = "event")]
    _event: IgnoredAny,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    name: String,
    #[serde(default)]
    title: String,
    #[serde(default)]
    tags: Vec<Tag>,
    /// Required events.
    #[serde(default)]
    events: Vec<String>,
    /// Events that are recorded if the kernel has them.
    #[serde(default)]
    optional_events: Vec<String>,
}

/// A tag by its name or its bit.
#[derive(Deserialize)]
#[serde(untagged)]
enum Tag {
    Name(String),
    Bit(u8),
}

/// Parses the tables. The error is the reason, with its position if known.
pub fn parse(text: &str) -> Result<Vec<Category>, String> {
    let file: File = toml::from_str(text).map_err(|error| error.to_string())?;
    file.category.into_iter().map(category).collect()
}

fn category(table: Table) -> Result<Category, String> {
    let name = table.name;
    let within = |reason: String| format!("[[category]] \"{name}\": {reason}");
    if name.is_empty() || name.starts_with('-') || name.contains([',', ' ', '\t', '\n']) {
        return Err(within(
            "a name has no spaces or commas and does not begin with -".into(),
        ));
    }
    let required = table.events.into_iter().map(|path| (path, true));
    let optional = table.optional_events.into_iter().map(|path| (path, false));
    let mut events = Vec::new();
    for (path, required) in required.chain(optional) {
        let path = check_event_path(&path).map_err(within)?;
        events.push(Event { path, required });
    }
    let mut tags = 0;
    for tag in &table.tags {
        tags |= bit(tag).map_err(within)?;
    }
    if tags == 0 && events.is_empty() {
        return Err(within("it has neither tags nor events".into()));
    }
    Ok(Category {
        name,
        title: table.title,
        tags,
        events,
        origin: Origin::User,
    })
}

fn bit(tag: &Tag) -> Result<u64, String> {
    let bit = match tag {
        Tag::Bit(bit) => Some(*bit),
        Tag::Name(name) => builtin::tag(name),
    };
    match (bit, tag) {
        (Some(bit @ 0..=62), _) => Ok(1 << bit),
        (_, Tag::Bit(bit)) => Err(format!("there is no tag {bit}: use 0 to 62")),
        (_, Tag::Name(name)) => Err(format!("there is no tag called \"{name}\"")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_has_tags_and_events() {
        let text = r#"
            [[category]]
            name = "mydrv"
            title = "My driver"
            tags = ["gfx", "app", 40]
            events = ["mydrv/start", "mydrv2"]
            optional_events = ["irq"]
            [[event]]
            name = "start"
            begin = ""
        "#;
        let categories = parse(text).unwrap();
        assert_eq!(categories.len(), 1);
        assert_eq!(categories[0].tags, 1 << 1 | 1 << 12 | 1 << 40);
        let switches: Vec<_> = categories[0].events.iter().map(Event::switch).collect();
        let expected = [
            "events/mydrv/start/enable",
            "events/mydrv2/enable",
            "events/irq/enable",
        ];
        assert_eq!(switches, expected);
        assert!(!categories[0].events[2].required);
    }

    #[test]
    fn errors_name_the_reason() {
        let wrong = |text: &str| parse(text).unwrap_err();
        assert!(wrong("[[category]]\nname = \"x\"\n").contains("neither tags nor events"));
        assert!(wrong("[[category]]\nname = \"x\"\ntags = [\"gfxx\"]\n").contains("gfxx"));
        assert!(wrong("[[category]]\nname = \"x\"\ntags = [63]\n").contains("63"));
        assert!(
            wrong("[[category]]\nname = \"x\"\nevents = [\"../tracing_on\"]\n")
                .contains("not an event")
        );
        assert!(wrong("[[category]]\nname = \"x\"\nevnts = []\n").contains("evnts"));
        assert!(wrong("[[catgory]]\nname = \"x\"\n").contains("catgory"));
    }
}
