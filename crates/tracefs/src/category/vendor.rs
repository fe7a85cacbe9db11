//! The device vendor's categories. A line without indentation is a name; the indented lines below it
//! are its events, such as `power/clock_set_rate`.

use super::definition::{Category, Event, Origin};

/// The path of the file on Android.
pub const FILE: &str = "/vendor/etc/atrace/atrace_categories.txt";

/// Parses the file. The error is the reason.
pub fn parse(text: &str) -> Result<Vec<Category>, String> {
    let mut categories: Vec<Category> = Vec::new();
    for (number, line) in text
        .lines()
        .enumerate()
        .filter(|(_, line)| !line.is_empty())
    {
        let event = line.trim_start_matches([' ', '\t']);
        if event.len() == line.len() {
            categories.push(new_category(line));
        } else if !event.is_empty() {
            let category = categories.last_mut();
            let category = category
                .ok_or_else(|| format!("line {}: an event before any category", number + 1))?;
            category.events.push(Event {
                path: check_event_path(event)?,
                required: false,
            });
        }
    }
    Ok(categories)
}

fn new_category(name: &str) -> Category {
    Category {
        name: name.to_owned(),
        title: String::new(),
        tags: 0,
        events: Vec::new(),
        origin: Origin::Vendor,
    }
}

/// Checks that a path is `system/event` or `system`, and no other file of tracefs.
pub fn check_event_path(path: &str) -> Result<String, String> {
    let part = |part: &str| !part.is_empty() && !part.starts_with('.') && part != "enable";
    let is_event = path.split('/').count() <= 2 && path.split('/').all(part);
    if is_event && !path.contains(char::is_whitespace) {
        Ok(path.to_owned())
    } else {
        Err(format!(
            "\"{path}\" is not an event: use system/event, or system for all its events"
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indented_lines_are_events() {
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
    fn events_without_a_name_or_outside_the_folder_are_errors() {
        assert!(parse(" cam/start\n").unwrap_err().contains("line 1"));
        assert!(parse("x\n ../../tracing_on\n").is_err());
    }
}
