//! The device maker's categories: a line without indent is a name, the indented lines below it are
//! its events, such as `power/clock_set_rate`.

use super::{Category, Event, Origin};

/// Where Android has the file.
pub const FILE: &str = "/vendor/etc/atrace/atrace_categories.txt";

/// Reads the file's text. `Err` is what is wrong with it.
pub fn parse(text: &str) -> Result<Vec<Category>, String> {
    let mut categories: Vec<Category> = Vec::new();
    for (number, line) in text
        .lines()
        .enumerate()
        .filter(|(_, line)| !line.is_empty())
    {
        let event = line.trim_start_matches([' ', '\t']);
        if event.len() == line.len() {
            categories.push(named(line));
        } else if !event.is_empty() {
            let category = categories.last_mut();
            let category = category
                .ok_or_else(|| format!("line {}: an event before any category", number + 1))?;
            category.events.push(Event {
                path: super::own::checked(event)?,
                required: false,
            });
        }
    }
    Ok(categories)
}

fn named(name: &str) -> Category {
    Category {
        name: name.to_owned(),
        title: String::new(),
        tags: 0,
        events: Vec::new(),
        origin: Origin::Vendor,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indented_lines_are_events_of_the_name_above() {
        let categories = parse("camera_hw\n cam/start\n\tcam/stop\n\n \nempty\n").unwrap();
        let paths = |i: usize| -> Vec<&str> {
            categories[i]
                .events
                .iter()
                .map(|event| event.path.as_str())
                .collect()
        };
        assert_eq!(categories.len(), 2);
        assert_eq!(categories[0].name, "camera_hw");
        assert_eq!(paths(0), ["cam/start", "cam/stop"]);
        assert_eq!(paths(1), [""; 0]);
    }

    #[test]
    fn an_event_needs_a_name_above_it_and_stays_in_its_folder() {
        assert!(parse(" cam/start\n").unwrap_err().contains("line 1"));
        assert!(parse("x\n ../../tracing_on\n").is_err());
    }
}
