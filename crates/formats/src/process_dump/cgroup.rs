//! CGROUP DUMP: the table of `/proc/cgroups` and the tasks of each group.

use traceloom_trace::TraceBuilder;

use super::lines::{lines, unparsed};

/// Whether a line begins a cgroup dump.
pub(super) fn is_title(line: &[u8]) -> bool {
    line == b"CGROUP DUMP"
        || line.starts_with(b"#subsys_name")
        || line
            .strip_prefix(b"# tracer:")
            .is_some_and(|rest| rest.trim_ascii() == b"CGROUP DUMP")
}

/// Stores the dump as metadata: `cgroup.cpuset` and `cgroup.tasks./top-app (root=4)`.
pub(super) fn read(text: &[u8], out: &mut TraceBuilder) {
    for (number, line) in lines(text).enumerate() {
        let line_text = String::from_utf8_lossy(line);
        if line.is_empty() || line.starts_with(b"#") || line == b"CGROUP DUMP" {
            continue;
        }
        let words: Vec<&str> = line_text.split_whitespace().collect();
        match (line_text.split_once(" : "), words.as_slice()) {
            (Some((group, tasks)), _) => out.metadata(&format!("cgroup.tasks.{group}"), tasks),
            (None, _) if line.ends_with(b":") => {
                out.metadata(
                    &format!("cgroup.tasks.{}", line_text.trim_end_matches([':', ' '])),
                    "",
                );
            }
            (None, [subsystem, hierarchy, groups, enabled]) => out.metadata(
                &format!("cgroup.{subsystem}"),
                &format!("hierarchy {hierarchy}, {groups} groups, enabled {enabled}"),
            ),
            _ => unparsed(line, number, out),
        }
    }
}
