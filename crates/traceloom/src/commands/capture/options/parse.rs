//! Parses the values of options.

use traceloom_capture::agents::ExtraBuffer;
use traceloom_capture::live::Trigger;

use crate::times::parse_time;

/// `WHAT,…:SIZE`.
pub fn parse_buffer(text: &str) -> Result<ExtraBuffer, String> {
    let wrong =
        || format!("{text} is not a buffer; write 'sched:64M' or 'irq,block/block_rq_issue:512K'");
    let (items, size) = text.rsplit_once(':').ok_or_else(wrong)?;
    let items: Vec<String> = items
        .split(',')
        .map(|item| item.trim().to_owned())
        .collect();
    let (digits, kb) = match size.trim().to_ascii_uppercase() {
        size if size.ends_with('K') => (size[..size.len() - 1].to_owned(), 1),
        size if size.ends_with('M') => (size[..size.len() - 1].to_owned(), 1 << 10),
        size if size.ends_with('G') => (size[..size.len() - 1].to_owned(), 1 << 20),
        size => (size, 1),
    };
    let size: u32 = digits.parse().map_err(|_| wrong())?;
    let buffer_kb = size
        .checked_mul(kb)
        .filter(|&kb| kb > 0)
        .ok_or_else(wrong)?;
    if items.iter().any(String::is_empty) {
        return Err(wrong());
    }
    Ok(ExtraBuffer { items, buffer_kb })
}

/// `EVENT: EXPRESSION`. The event is `group/name`, `group:name` or `name`.
pub fn parse_filter(text: &str) -> Result<(String, String), String> {
    let wrong = || format!("{text} is not a filter; write 'sched_switch: prev_prio < 100'");
    let (event, filter) = text.split_once(": ").ok_or_else(wrong)?;
    let (event, filter) = (event.trim(), filter.trim());
    if event.is_empty() || filter.is_empty() {
        return Err(wrong());
    }
    Ok((event.replace(':', "/"), filter.to_owned()))
}

/// `slice:NAME>TIME`, `slice:NAME`, `event:NAME`.
pub fn parse_trigger(text: &str) -> Result<Trigger, String> {
    let wrong = || format!("{text} is not a trigger; write slice:NAME>32ms or event:NAME");
    match text.split_once(':').ok_or_else(wrong)? {
        ("event", name) if !name.is_empty() => Ok(Trigger::event(name)),
        ("slice", rest) if !rest.is_empty() => {
            // A name may contain this character; the last one is the separator.
            let (name, time) = rest.rsplit_once('>').unwrap_or((rest, "0ns"));
            Ok(Trigger::slice(name, parse_time(time.trim())?))
        }
        _ => Err(wrong()),
    }
}
