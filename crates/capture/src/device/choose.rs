//! Choosing a device.

use std::time::Duration;

use crate::adb::{Adb, Device};
use crate::error::{CaptureError, Result};

/// Returns the device with the given serial number, or the only device.
///
/// # Errors
/// [`CaptureError::NoDevice`], [`CaptureError::ManyDevices`], [`CaptureError::NotConnected`].
pub fn choose_device(adb: &Adb, serial: Option<&str>) -> Result<Device> {
    let all = adb.devices()?;
    if let Some(serial) = serial {
        let found = all.iter().find(|device| device.serial == serial);
        return match found {
            Some(device) if device.is_ready() => Ok(adb.device(serial)),
            _ => Err(CaptureError::NotConnected {
                serial: serial.to_owned(),
                state: found.map(|device| device.state.clone()),
            }),
        };
    }
    let ready: Vec<_> = all.iter().filter(|device| device.is_ready()).collect();
    match (&ready[..], &all[..]) {
        ([device], _) => Ok(adb.device(&device.serial)),
        ([], [device]) => Err(CaptureError::NotConnected {
            serial: device.serial.clone(),
            state: Some(device.state.clone()),
        }),
        ([], _) => Err(CaptureError::NoDevice),
        (several, _) => Err(CaptureError::ManyDevices {
            serials: several.iter().map(|device| device.serial.clone()).collect(),
        }),
    }
}

/// Whether the device's shell runs as root.
///
/// # Errors
/// If the connection to the device is lost.
pub fn is_root(device: &Device) -> Result<bool> {
    // Shells before Android 6 do not support `id -u`.
    let id = device.run("id", Duration::from_secs(20))?;
    Ok(id.text().contains("uid=0("))
}
