//! Options for probes: events that a recording adds to functions.

/// Options for probes.
#[derive(clap::Args, Clone, Debug)]
pub struct ProbeArgs {
    /// Record when the kernel reaches this function: '[NAME=]FUNCTION[+OFFSET] [ARG…]'; repeatable
    ///
    /// Arguments have the kernel's own syntax, such as 'do_sys_openat2 dfd=%di file=+0(%si):ustring'.
    #[arg(long, value_name = "PLACE", help_heading = "Probes")]
    pub kprobe: Vec<String>,

    /// Record the calls of this function of the kernel as slices; repeatable
    ///
    /// As --kprobe, with a second probe at the return. Arguments with $retval are those of the return.
    #[arg(long, value_name = "PLACE", help_heading = "Probes")]
    pub kretprobe: Vec<String>,

    /// Record when any program reaches this function: '[NAME=]/FILE:FUNCTION[+OFFSET] [ARG…]'; repeatable
    ///
    /// FUNCTION is a symbol of the program or library, or an offset in the file, such as 0x1234.
    #[arg(long, value_name = "PLACE", help_heading = "Probes")]
    pub uprobe: Vec<String>,

    /// Record the calls of this function of a program or library as slices; repeatable
    #[arg(long, value_name = "PLACE", help_heading = "Probes")]
    pub uretprobe: Vec<String>,
}

impl ProbeArgs {
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        [&self.kprobe, &self.kretprobe, &self.uprobe, &self.uretprobe]
            .iter()
            .all(|probes| probes.is_empty())
    }

    /// The probes.
    ///
    /// # Errors
    /// If one is written wrong, or two have the same name.
    #[cfg(target_os = "linux")]
    pub fn all(&self) -> anyhow::Result<Vec<traceloom_tracefs::Probe>> {
        use traceloom_tracefs::Probe;
        let kernel = |is_call: bool| move |text: &String| Probe::kernel(text, is_call);
        let user = |is_call: bool| move |text: &String| Probe::user(text, is_call);
        let kernel = [(&self.kprobe, false), (&self.kretprobe, true)]
            .into_iter()
            .flat_map(|(texts, is_call)| texts.iter().map(kernel(is_call)));
        let user = [(&self.uprobe, false), (&self.uretprobe, true)]
            .into_iter()
            .flat_map(|(texts, is_call)| texts.iter().map(user(is_call)));
        let all: Result<Vec<Probe>, String> = kernel.chain(user).collect();
        let all = all.map_err(anyhow::Error::msg)?;
        let mut events: Vec<String> = all.iter().flat_map(Probe::events).collect();
        events.sort();
        if let Some(twice) = events.windows(2).find(|two| two[0] == two[1]) {
            anyhow::bail!(
                "two probes would be the event {}; name one: NAME=FUNCTION",
                twice[0]
            );
        }
        Ok(all)
    }
}
