//! The cpuset control groups of a device and their tasks, as systrace's CGROUP DUMP.

use std::time::Duration;

use crate::adb::Device;
use crate::agent::{Agent, PartKind, Sink, hand_over};
use crate::device::{DeviceExt, is_root};
use crate::error::Result;

/// Prints the table of hierarchies, then the path and the tasks of each group. Android mounts the
/// groups at `/dev/cpuset`.
const COMMAND: &str = "cat /proc/cgroups; for d in /dev/cpuset /sys/fs/cgroup/cpuset; do \
                    test -e $d/tasks && cd $d && break; done && \
                    for t in */tasks; do test -e \"$t\" && echo \"/$t\" && cat \"$t\"; done; true";

/// The first lines, by which readers detect the format.
const TITLE: &str = "# tracer: \nCGROUP DUMP\n";

/// Lists the groups when recording starts; later changes are events in the trace. Without root there
/// is no dump, since only root may read the groups.
#[derive(Debug)]
pub struct CgroupAgent {
    device: Device,
    dump: Option<String>,
}

impl CgroupAgent {
    /// An agent for a device.
    pub fn new(device: Device) -> Self {
        Self { device, dump: None }
    }
}

impl Agent for CgroupAgent {
    fn name(&self) -> &str {
        "cgroups"
    }

    fn is_aid(&self) -> bool {
        true
    }

    fn start(&mut self, limit: Duration) -> Result<Vec<String>> {
        if is_root(&self.device)? {
            self.dump = Some(dump(&self.device.run_ok(COMMAND, limit)?.text()));
        }
        Ok(Vec::new())
    }

    fn collect(&mut self, _: Duration, sink: &mut dyn Sink) -> Result<()> {
        match self.dump.take() {
            Some(dump) => hand_over(sink, PartKind::CgroupDump, "CGROUP DUMP", dump.as_bytes()),
            None => Ok(()),
        }
    }
}

/// Converts the output of the command to the dump:
///
/// ```text
/// cpuset 4 7 1                            cpuset 4 7 1
/// /background/tasks                       # cgroup task attachment
/// 466                             ─>      /background (root=4) : 466 467
/// 467
/// ```
fn dump(output: &str) -> String {
    let is_group = |line: &&str| line.starts_with('/');
    let table: Vec<&str> = output.lines().take_while(|line| !is_group(line)).collect();
    let root = table.iter().find_map(|line| {
        let mut words = line.split_whitespace();
        words.next().filter(|name| *name == "cpuset")?;
        words.next()
    });
    let root = root.unwrap_or("-1");
    let mut dump = format!("{TITLE}{}\n# cgroup task attachment\n", table.join("\n"));
    let mut is_first = true;
    for line in output.lines().skip(table.len()) {
        if let Some(group) = line.strip_suffix("/tasks") {
            let end = if is_first { "" } else { "\n" };
            dump += &format!("{end}{group} (root={root}) : ");
        } else {
            let space = if dump.ends_with(' ') { "" } else { " " };
            dump += &format!("{space}{}", line.trim());
        }
        is_first = false;
    }
    dump + "\n"
}

#[cfg(test)]
mod tests {
    use traceloom_formats::{ReadOptions, read_bytes};

    use super::dump;

    /// The example output in catapult's tests.
    #[test]
    fn a_dump_is_the_same_as_systraces() {
        let output = "#subsys_name\thierarchy\tnum_cgroups\tenabled\ncpuset\t4\t7\t1\ncpu\t2\t1\t1\n\
                    /background/tasks\n466\n467\n/restricted/tasks\n/top-app/tasks\n466\n";
        let dump = dump(output);
        let expected = "# tracer: \nCGROUP DUMP\n#subsys_name\thierarchy\tnum_cgroups\tenabled\n\
                        cpuset\t4\t7\t1\ncpu\t2\t1\t1\n# cgroup task attachment\n\
                        /background (root=4) : 466 467\n/restricted (root=4) : \n/top-app (root=4) : 466\n";
        assert_eq!(dump, expected);
        let trace = read_bytes(dump.as_bytes(), ReadOptions::default()).unwrap();
        let facts: Vec<_> = trace
            .metadata
            .rows()
            .map(|row| (trace.strings.get(row.key), trace.strings.get(row.value)))
            .collect();
        assert!(facts.contains(&("cgroup.tasks./background (root=4)", "466 467")));
        assert!(facts.contains(&("cgroup.tasks./restricted (root=4)", "")));
        assert!(facts.contains(&("cgroup.cpuset", "hierarchy 4, 7 groups, enabled 1")));
        assert!(trace.repairs.rows().is_empty());
    }

    #[test]
    fn no_groups_and_no_hierarchy() {
        assert_eq!(
            dump("cpu 2 1 1"),
            "# tracer: \nCGROUP DUMP\ncpu 2 1 1\n# cgroup task attachment\n\n"
        );
    }
}
