//! The user's categories: `[[category]]` tables in the file that may also have the `[[event]]`
//! tables of the readers.

use serde::Deserialize;
use serde::de::IgnoredAny;

use super::{Category, Event, Origin, builtin};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    category: Vec<Table>,
    /// The readers'; looked at there.
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
    /// Without one of these the category cannot be recorded.
    #[serde(default)]
    events: Vec<String>,
    /// These are recorded where the kernel has them.
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

/// Reads the tables. `Err` is what is wrong, with its place where TOML has one.
pub fn parse(text: &str) -> Result<Vec<Category>, String> {
    let file: File = toml::from_str(text).map_err(|error| error.to_string())?;
    file.category.into_iter().map(category).collect()
}

fn category(table: Table) -> Result<Category, String> {
    let name = table.name;
    let within = |reason: String| format!("[[category]] \"{name}\": {reason}");
    if name.is_empty() || name.starts_with('-') || name.contains([',', ' ', '\t', '\n']) {
        return Err(within(
            "a name has no blanks and commas, and no - in front".into(),
        ));
    }
    let required = table.events.into_iter().map(|path| (path, true));
    let optional = table.optional_events.into_iter().map(|path| (path, false));
    let mut events = Vec::new();
    for (path, required) in required.chain(optional) {
        let path = checked(&path).map_err(within)?;
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
        origin: Origin::Own,
    })
}

fn bit(tag: &Tag) -> Result<u64, String> {
    let bit = match tag {
        Tag::Bit(bit) => Some(*bit),
        Tag::Name(name) => builtin::tag(name),
    };
    match (bit, tag) {
        (Some(bit @ 0..=62), _) => Ok(1 << bit),
        (_, Tag::Bit(bit)) => Err(format!("there is no tag {bit}: 0 to 62")),
        (_, Tag::Name(name)) => Err(format!("there is no tag called \"{name}\"")),
    }
}

/// The path of an event: `system/event` or `system`, no other file of tracefs.
pub fn checked(path: &str) -> Result<String, String> {
    let part = |part: &str| !part.is_empty() && !part.starts_with('.') && part != "enable";
    let fine = path.split('/').count() <= 2 && path.split('/').all(part);
    if fine && !path.contains(char::is_whitespace) {
        Ok(path.to_owned())
    } else {
        Err(format!(
            "\"{path}\" is no event: system/event, or system for all of its events"
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_gives_tags_and_events() {
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
    fn what_is_wrong_is_named() {
        let wrong = |text: &str| parse(text).unwrap_err();
        assert!(wrong("[[category]]\nname = \"x\"\n").contains("neither tags nor events"));
        assert!(wrong("[[category]]\nname = \"x\"\ntags = [\"gfxx\"]\n").contains("gfxx"));
        assert!(wrong("[[category]]\nname = \"x\"\ntags = [63]\n").contains("63"));
        assert!(
            wrong("[[category]]\nname = \"x\"\nevents = [\"../tracing_on\"]\n")
                .contains("no event")
        );
        assert!(wrong("[[category]]\nname = \"x\"\nevnts = []\n").contains("evnts"));
        assert!(wrong("[[catgory]]\nname = \"x\"\n").contains("catgory"));
    }
}
