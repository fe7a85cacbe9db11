//! Finds the serial ports that have a BattOr.

use std::fs;
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};

/// USB IDs of the serial adapter in a BattOr, an FTDI FT232.
const VENDOR: &str = "0403";
const PRODUCT: &str = "6001";

/// A serial port that may have a BattOr.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Port {
    /// The device file, such as `/dev/ttyUSB0`.
    pub path: PathBuf,
    /// The serial number of the USB adapter; empty if unknown.
    pub serial: String,
}

/// Lists the serial ports below `class` (`/sys/class/tty`) that have the USB adapter of a BattOr,
/// sorted by name.
pub fn find_ports(class: &Path) -> Vec<Port> {
    let entries = fs::read_dir(class).into_iter().flatten().flatten();
    let mut ports: Vec<_> = entries
        .filter_map(|entry| {
            let adapter = adapter(&entry.path())?;
            Some(Port {
                path: Path::new("/dev").join(entry.file_name()),
                serial: read(&adapter.join("serial")).unwrap_or_default(),
            })
        })
        .collect();
    ports.sort_by(|a, b| a.path.cmp(&b.path));
    ports
}

/// The USB device of a port, if it is such an adapter.
fn adapter(port: &Path) -> Option<PathBuf> {
    let device = fs::canonicalize(port.join("device")).ok()?;
    let is_usb = |folder: &&Path| folder.join("idVendor").exists();
    let usb = device.ancestors().find(is_usb)?;
    let has_id = |file: &str, id: &str| read(&usb.join(file)).is_some_and(|found| found == id);
    (has_id("idVendor", VENDOR) && has_id("idProduct", PRODUCT)).then(|| usb.to_owned())
}

fn read(path: &Path) -> Option<String> {
    Some(fs::read_to_string(path).ok()?.trim().to_owned())
}

/// Returns the port of the only BattOr, or of the one that belongs to `device` (a serial number).
/// `battor_of` maps a device's serial number to its BattOr's serial number.
///
/// # Errors
/// [`Error::NotFound`], [`Error::Ambiguous`], [`Error::NotAttached`].
pub fn choose_port(
    ports: &[Port],
    device: Option<&str>,
    battor_of: impl FnOnce(&str) -> Option<String>,
) -> Result<PathBuf> {
    match ports {
        [] => Err(Error::NotFound),
        [only] => Ok(only.path.clone()),
        several => {
            let ambiguous = || Error::Ambiguous {
                paths: several
                    .iter()
                    .map(|port| port.path.display().to_string())
                    .collect(),
            };
            let device = device.ok_or_else(ambiguous)?;
            let serial = battor_of(device).ok_or_else(ambiguous)?;
            let found = several.iter().find(|port| port.serial == serial);
            let found = found.ok_or_else(|| Error::NotAttached {
                serial,
                device: device.to_owned(),
            })?;
            Ok(found.path.clone())
        }
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    /// Creates a port as sysfs shows it: a link from the class to the folder of the adapter.
    fn add_port(root: &Path, name: &str, vendor: &str, serial: &str) {
        let usb = root.join("devices/usb1").join(name);
        let port = usb.join("1-1:1.0").join(name);
        fs::create_dir_all(port.join("tty").join(name)).unwrap();
        for (file, text) in [
            ("idVendor", vendor),
            ("idProduct", "6001"),
            ("serial", serial),
        ] {
            fs::write(usb.join(file), format!("{text}\n")).unwrap();
        }
        let class = root.join("class").join(name);
        fs::create_dir_all(&class).unwrap();
        symlink(&port, class.join("device")).unwrap();
    }

    #[test]
    fn the_right_port_is_found() {
        let root = tempfile::tempdir().unwrap();
        let class = root.path().join("class");
        assert_eq!(find_ports(&class), []);
        add_port(root.path(), "ttyUSB1", "0403", "A1");
        add_port(root.path(), "ttyUSB0", "067b", "other");
        fs::create_dir_all(class.join("tty0")).unwrap();
        let one = find_ports(&class);
        let port = Port {
            path: "/dev/ttyUSB1".into(),
            serial: "A1".to_owned(),
        };
        assert_eq!(one, [port]);
        let any = |ports: &[Port]| choose_port(ports, None, |_| None);
        assert_eq!(any(&one).unwrap(), Path::new("/dev/ttyUSB1"));
        assert!(matches!(any(&[]), Err(Error::NotFound)));

        add_port(root.path(), "ttyUSB2", "0403", "A2");
        let two = find_ports(&class);
        assert!(matches!(any(&two), Err(Error::Ambiguous { paths }) if paths.len() == 2));
        let of = |serial: &str| {
            let serial = serial.to_owned();
            choose_port(&two, Some("phone"), move |_| Some(serial))
        };
        assert_eq!(of("A2").unwrap(), Path::new("/dev/ttyUSB2"));
        assert!(matches!(of("A9"), Err(Error::NotAttached { .. })));
        let unknown = choose_port(&two, Some("phone"), |_| None);
        assert!(matches!(unknown, Err(Error::Ambiguous { .. })));
    }
}
