//! Which options of `traceloom capture` exclude each other, and which have no effect.

use anyhow::{Result, bail};

use super::args::{CaptureArgs, Target};
use super::kind::OutputKind;
use crate::print::message;

impl CaptureArgs {
    /// Refuses options that exclude each other.
    ///
    /// # Errors
    /// Names the options.
    pub fn check(&self) -> Result<()> {
        if self.old.link_assets || self.old.asset_dir.is_some() {
            bail!("--link-assets and --asset-dir are deprecated.");
        }
        if self.target == Target::Linux && self.android.app.is_some() {
            bail!("--app is for Android; on Linux every program's own marks are recorded");
        }
        if self.target == Target::Linux && self.method.method.is_some() {
            bail!("--method is for Android");
        }
        if self.target == Target::Android && !self.linux.event.is_empty() && !self.is_perfetto() {
            bail!("--event is for Linux (--target linux), or for --perfetto");
        }
        let limits = &self.linux;
        let has_limits =
            !(limits.filter.is_empty() && limits.pid.is_empty() && limits.stacks.is_empty());
        if self.target == Target::Android && has_limits {
            bail!("--filter, --pid and --stacks are for Linux: --target linux");
        }
        if self.target == Target::Android && !self.linux.probes.is_empty() {
            bail!("--kprobe, --kretprobe, --uprobe and --uretprobe are for Linux: --target linux");
        }
        self.check_buffers()?;
        if !self.command.is_empty() && (self.from_file.is_some() || self.android.resume) {
            bail!("a command can be given only for a recording");
        }
        if (self.ring.is_some() || self.until.is_some()) && self.from_file.is_some() {
            bail!("--ring and --until are for recording, not for a file");
        }
        if self.from_file.as_ref() == Some(&self.output()) {
            bail!(
                "{} is the input; choose another output file with -o",
                self.output().display()
            );
        }
        self.kind()?;
        self.check_extra()?;
        self.check_live()?;
        self.check_perfetto()?;
        self.check_raw()
    }

    /// Refuses additional buffers where they cannot be recorded.
    ///
    /// # Errors
    /// Names the option.
    fn check_buffers(&self) -> Result<()> {
        let buffers = &self.linux.buffer;
        if buffers.is_empty() {
            return Ok(());
        }
        if self.target == Target::Android {
            bail!("--buffer is for Linux: --target linux");
        }
        if self.is_live() {
            bail!("--buffer cannot be combined with --live, --ring and --until");
        }
        if self.raw.raw_version.as_deref() == Some("7") || self.raw.raw_compression.is_some() {
            bail!("several buffers are written as version 6 of trace.dat, without compression");
        }
        let mut seen = self.chosen();
        seen.extend(self.linux.event.iter().map(|event| event.replace(':', "/")));
        for item in buffers.iter().flat_map(|buffer| &buffer.items) {
            let item = item.replace(':', "/");
            if seen.contains(&item) {
                bail!(
                    "{item} is chosen twice: name it either in one --buffer, or as a category or event"
                );
            }
            seen.push(item);
        }
        Ok(())
    }

    /// Refuses combinations that cannot be recorded.
    ///
    /// # Errors
    /// Names the option.
    fn check_extra(&self) -> Result<()> {
        let extra = &self.extra;
        if extra.walt && self.target == Target::Linux {
            bail!("--walt is for Android");
        }
        extra.battor.check(self.from_file.is_some())?;
        let asked = [
            // perfetto's own trace holds it.
            (extra.process_dump && !self.is_perfetto(), "--process-dump"),
            (extra.walt, "--walt"),
            (extra.battor.battor, "--battor"),
        ];
        let has_place = matches!(self.kind()?, OutputKind::Page | OutputKind::Json);
        for (_, option) in asked.iter().filter(|(is_asked, _)| *is_asked) {
            if !has_place && self.from_file.is_none() {
                bail!("{option} needs an output file that can hold its data: .html or .json");
            }
        }
        Ok(())
    }

    /// Warns about options without effect.
    pub fn warn_of_extra(&self) {
        self.warn_of_categories();
        let extra = &self.extra;
        let is_asked = extra.process_dump || extra.walt || extra.battor.battor;
        if is_asked && self.from_file.is_some() {
            message!(
                "Warning: --process-dump, --walt and --battor are for recording; they have no effect with --from-file."
            );
        }
        let is_detailed = extra.process_dump_interval.is_some()
            || extra.process_dump_full.is_some()
            || extra.process_dump_mmaps;
        if is_detailed && !extra.process_dump {
            message!("Warning: --process-dump-… has no effect without --process-dump.");
        }
        if !extra.battor.battor && extra.battor.battor_path.is_some() {
            message!("Warning: --battor-path has no effect without --battor.");
        }
    }

    /// Warns about categories for another target than the chosen one.
    fn warn_of_categories(&self) {
        let (others, option, target) = match self.target {
            Target::Android => (&self.linux.ftrace_categories, "ftrace", "linux"),
            Target::Linux => (&self.android.atrace_categories, "atrace", "android"),
        };
        if !others.is_empty() && self.from_file.is_none() {
            message!(
                "Warning: --{option}-categories has no effect here: it is for --target {target}."
            );
        }
    }

    /// Refuses recordings that cannot be shown live.
    ///
    /// # Errors
    /// Names the options.
    fn check_live(&self) -> Result<()> {
        if !self.live.live {
            return Ok(());
        }
        if self.from_file.is_some() {
            bail!("--live shows a recording while it runs; use traceloom view to show a file");
        }
        if self.method.method.is_some() && self.chosen().is_empty() {
            bail!(
                "a method trace arrives only when it has ended; add categories to show live beside --method"
            );
        }
        Ok(())
    }

    /// Refuses options that cannot be combined with raw pages.
    ///
    /// # Errors
    /// Names the option.
    fn check_raw(&self) -> Result<()> {
        let (version, packed) = (&self.raw.raw_version, &self.raw.raw_compression);
        if !self.is_raw() {
            if version.is_some() || packed.is_some() {
                bail!("--raw-version and --raw-compression are for --raw, or for -o FILE.dat");
            }
            return Ok(());
        }
        if self.from_file.is_some() {
            bail!("--raw records pages; it cannot convert a file");
        }
        if self.is_live() && self.target == Target::Android {
            bail!(
                "--live, --ring and --until read text from a device and cannot be combined with raw pages"
            );
        }
        if self.is_live() && (version.as_deref() == Some("7") || packed.is_some()) {
            bail!("--live, --ring and --until write version 6 of trace.dat");
        }
        if self.method.method.is_some() && self.chosen().is_empty() {
            bail!(
                "--raw applies to the system trace: add categories to record one beside --method"
            );
        }
        let is_packed = packed.as_ref().is_some_and(|name| name != "none");
        if version.as_deref() == Some("6") && is_packed {
            bail!("version 6 of trace.dat has no compression; use --raw-version 7");
        }
        Ok(())
    }
}
