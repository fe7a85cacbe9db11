//! The power that a device draws from its battery, measured by a BattOr.

use std::thread::{self, JoinHandle};
use std::time::Duration;

use traceloom_battor::{Battor, Measurement};

use crate::adb::{Device, Shell, ShellEvent, quote};
use crate::agent::{Agent, PartKind, Sink};
use crate::error::{CaptureError, Result};
use crate::threads::result_of;

/// Switches charging over USB. Not every kernel has it; writing needs root.
const CHARGING: &str = "/sys/class/power_supply/battery/charging_enabled";

/// Measures with a BattOr. Charging of the device is switched off meanwhile, if possible.
#[derive(Debug)]
pub struct BattorAgent {
    device: Option<Device>,
    charging: String,
    battor: Option<Battor>,
    /// Charging is off as long as this shell runs.
    charging_off: Option<Shell>,
    download: Option<JoinHandle<traceloom_battor::Result<Measurement>>>,
}

impl BattorAgent {
    /// An agent for a BattOr that measures `device`. `folder` has the file `charging_enabled`; the
    /// default is that of the kernel's battery driver.
    pub fn new(battor: Battor, device: Option<Device>, folder: Option<&str>) -> Self {
        let charging = folder.map(|folder| format!("{folder}/charging_enabled"));
        Self {
            device,
            charging: charging.unwrap_or_else(|| CHARGING.to_owned()),
            battor: Some(battor),
            charging_off: None,
            download: None,
        }
    }

    /// Switches charging off. A shell on the device switches it on again when its connection ends.
    fn stop_charging(&mut self, limit: Duration) -> Result<Vec<String>> {
        let Some(device) = &self.device else {
            return Ok(Vec::new());
        };
        let file = quote(&self.charging);
        let line = format!(
            "test -w {file} || exit 1; old=$(cat {file}); trap \"echo $old > {file}\" EXIT; \
             trap 'exit 0' HUP TERM; echo 0 > {file} && echo off; cat > /dev/null"
        );
        let mut shell = device.shell(&line)?;
        shell.limit(Some(limit));
        if let ShellEvent::Stdout(_) = shell.next_event()? {
            shell.limit(None);
            self.charging_off = Some(shell);
            return Ok(Vec::new());
        }
        let message = "Charging over USB cannot be turned off on this device: current from USB is \
                       not measured, and measured currents may be negative.";
        Ok(vec![message.to_owned()])
    }
}

impl Agent for BattorAgent {
    fn name(&self) -> &str {
        "BattOr"
    }

    fn start(&mut self, limit: Duration) -> Result<Vec<String>> {
        let messages = self.stop_charging(limit)?;
        if let Some(battor) = &mut self.battor {
            battor.start()?;
        }
        Ok(messages)
    }

    fn takes_marks(&self) -> bool {
        true
    }

    fn mark(&mut self, name: &str, _: Duration) -> Result<()> {
        match &mut self.battor {
            Some(battor) => Ok(battor.mark(name)?),
            None => Ok(()),
        }
    }

    /// Starts the download of the samples, which ends the measurement. It takes a fifth of the
    /// measured time, so it runs while other agents hand over their data.
    fn stop(&mut self, _: Duration) -> Result<()> {
        if let Some(mut battor) = self.battor.take() {
            self.download = Some(thread::spawn(move || battor.stop()));
        }
        self.charging_off = None;
        Ok(())
    }

    fn collect(&mut self, _: Duration, sink: &mut dyn Sink) -> Result<()> {
        let Some(download) = self.download.take() else {
            return Ok(());
        };
        let measurement = result_of(download)?;
        let begun = sink.begin(PartKind::Power, "BattOr");
        let written = begun.and_then(|()| measurement.write(&mut |bytes| sink.data(bytes)));
        written.map_err(CaptureError::Sink)
    }
}
