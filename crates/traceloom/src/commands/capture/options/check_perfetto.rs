//! Which options can be combined with `--perfetto`.

use anyhow::{Result, bail};

use super::args::{CaptureArgs, Target};
use super::kind::OutputKind;

impl CaptureArgs {
    /// Whether a device's perfetto records.
    pub fn is_perfetto(&self) -> bool {
        let kind = self.kind();
        self.perfetto.perfetto || kind.is_ok_and(|kind| kind == OutputKind::Perfetto)
    }

    /// Refuses options that cannot be combined with perfetto.
    ///
    /// # Errors
    /// Names the options.
    pub(super) fn check_perfetto(&self) -> Result<()> {
        let options = &self.perfetto;
        if !self.is_perfetto() {
            if let Some(config) = self.perfetto_config() {
                let shown = config.display();
                bail!("--config {shown}: options are in a .toml; any other file is for --perfetto");
            }
            if options.logcat || options.print_config {
                bail!("--logcat and --print-config are for --perfetto");
            }
            return Ok(());
        }
        if self.from_file.is_some() {
            bail!("--perfetto and -o FILE.pftrace are for recording, not for a file");
        }
        if self.target == Target::Linux {
            bail!(
                "--perfetto and -o FILE.pftrace are for Android; --raw records this machine's pages"
            );
        }
        if self.is_live() {
            bail!("--live, --ring and --until read the text of atrace; leave out --perfetto");
        }
        self.check_perfetto_atrace()?;
        self.check_perfetto_output()?;
        self.check_perfetto_config()
    }

    /// Refuses options that only atrace has.
    fn check_perfetto_atrace(&self) -> Result<()> {
        let extra = &self.extra;
        let only_atrace = [
            (self.raw.raw || self.kind()? == OutputKind::Dat, "--raw"),
            (self.ktr.is_some(), "--ktrace"),
            (self.android.push_agent.is_some(), "--push-agent"),
            (extra.process_dump_full.is_some(), "--process-dump-full"),
            (extra.process_dump_mmaps, "--process-dump-mmaps"),
        ];
        if let Some((_, option)) = only_atrace.iter().find(|(is_given, _)| *is_given) {
            bail!("{option} cannot be combined with --perfetto");
        }
        Ok(())
    }

    /// Refuses recordings that a Perfetto trace cannot hold.
    fn check_perfetto_output(&self) -> Result<()> {
        let is_more = self.method.method.is_some() || self.extra.walt || self.extra.battor.battor;
        if is_more && self.kind()? == OutputKind::Perfetto {
            bail!("a .pftrace can hold only perfetto's data; use -o FILE.html");
        }
        Ok(())
    }

    /// Refuses options next to a configuration, which defines the whole recording.
    fn check_perfetto_config(&self) -> Result<()> {
        let options = &self.perfetto;
        if self.perfetto_config().is_none() {
            return Ok(());
        }
        let is_more = !self.chosen().is_empty()
            || !self.linux.event.is_empty()
            || self.android.app.is_some()
            || self.buf_size.is_some()
            || self.extra.process_dump
            || options.logcat
            || options.print_config;
        if is_more {
            bail!(
                "--config says what is recorded; leave out the categories, and --event, --app, --buf-size, --process-dump, --logcat and --print-config"
            );
        }
        Ok(())
    }
}
