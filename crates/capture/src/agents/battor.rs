//! What a device draws from its battery, as a BattOr measures it.

use std::thread::{self, JoinHandle};
use std::time::Duration;

use crate::adb::{Device, Shell, ShellEvent, quote};
use crate::agent::{Agent, PartKind, Sink};
use crate::battor::{Battor, BattorError, Measured};
use crate::error::{CaptureError, Result};

/// Whether the battery is charged over USB, on devices whose kernels have it; root may change it.
const CHARGING: &str = "/sys/class/power_supply/battery/charging_enabled";

/// Measures with a BattOr. The device that it measures is not charged meanwhile, where that can be
/// turned off.
#[derive(Debug)]
pub struct BattorAgent {
    device: Option<Device>,
    charging: String,
    battor: Option<Battor>,
    /// As long as this is there the device is not charged.
    uncharged: Option<Shell>,
    download: Option<JoinHandle<std::result::Result<Measured, BattorError>>>,
}

impl BattorAgent {
    /// With a BattOr; `device` is what it measures. The switch of its charging is
    /// `charging_enabled` in `folder`, else where kernels have it.
    pub fn new(battor: Battor, device: Option<Device>, folder: Option<&str>) -> Self {
        let charging = folder.map(|folder| format!("{folder}/charging_enabled"));
        Self {
            device,
            charging: charging.unwrap_or_else(|| CHARGING.to_owned()),
            battor: Some(battor),
            uncharged: None,
            download: None,
        }
    }

    /// Has the device not charged, until the shell that sees to that hears no more of us.
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
            self.uncharged = Some(shell);
            return Ok(Vec::new());
        }
        let said = "Charging over USB cannot be turned off on this device: what it draws from \
                    there is missing, and currents may be below zero.";
        Ok(vec![said.to_owned()])
    }
}

impl Agent for BattorAgent {
    fn name(&self) -> &str {
        "BattOr"
    }

    fn start(&mut self, limit: Duration) -> Result<Vec<String>> {
        let said = self.stop_charging(limit)?;
        if let Some(battor) = &mut self.battor {
            battor.start()?;
        }
        Ok(said)
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

    /// Handing the samples over ends the measurement; that takes a fifth of the time that it took,
    /// and goes on beside what others hand over.
    fn stop(&mut self, _: Duration) -> Result<()> {
        if let Some(mut battor) = self.battor.take() {
            self.download = Some(thread::spawn(move || battor.stop()));
        }
        self.uncharged = None;
        Ok(())
    }

    fn collect(&mut self, _: Duration, sink: &mut dyn Sink) -> Result<()> {
        let Some(download) = self.download.take() else {
            return Ok(());
        };
        let Ok(measured) = download.join() else {
            return Ok(());
        };
        let measured = measured?;
        let mut hand_over = || {
            sink.begin(PartKind::Power, "BattOr")?;
            measured.write(&mut |bytes| sink.data(bytes))
        };
        hand_over().map_err(CaptureError::Sink)
    }
}
