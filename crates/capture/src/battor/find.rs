//! Finding BattOrs among the serial lines of this machine.

use std::fs;
use std::path::{Path, PathBuf};

use super::{BattorError, Result};

/// The USB adapter that is in a BattOr, FTDI's FT232.
const VENDOR: &str = "0403";
const PRODUCT: &str = "6001";

/// A serial line with a BattOr.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BattorPort {
    /// `/dev/ttyUSB0`.
    pub path: PathBuf,
    /// The adapter's serial number; empty where it has none.
    pub serial: String,
}

/// The serial lines that may have a BattOr, as the kernel's `class` folder (`/sys/class/tty`)
/// lists them, in the order of their names.
pub fn battor_ports(class: &Path) -> Vec<BattorPort> {
    let entries = fs::read_dir(class).into_iter().flatten().flatten();
    let mut ports: Vec<_> = entries
        .filter_map(|entry| {
            let adapter = adapter(&entry.path())?;
            Some(BattorPort {
                path: Path::new("/dev").join(entry.file_name()),
                serial: read(&adapter.join("serial")).unwrap_or_default(),
            })
        })
        .collect();
    ports.sort_by(|a, b| a.path.cmp(&b.path));
    ports
}

/// The USB device that a line is of, if it is such an adapter.
fn adapter(line: &Path) -> Option<PathBuf> {
    let device = fs::canonicalize(line.join("device")).ok()?;
    let is_usb = |folder: &&Path| folder.join("idVendor").exists();
    let usb = device.ancestors().find(is_usb)?;
    let is = |file: &str, wanted: &str| read(&usb.join(file)).is_some_and(|id| id == wanted);
    (is("idVendor", VENDOR) && is("idProduct", PRODUCT)).then(|| usb.to_owned())
}

fn read(path: &Path) -> Option<String> {
    Some(fs::read_to_string(path).ok()?.trim().to_owned())
}

/// The BattOr of a device: the only one, or the one whose serial number `of_device` tells.
///
/// # Errors
/// Where there is none, or it is not known which.
pub fn choose_battor(
    ports: &[BattorPort],
    device: Option<&str>,
    of_device: impl FnOnce(&str) -> Option<String>,
) -> Result<PathBuf> {
    match ports {
        [] => Err(BattorError::None),
        [only] => Ok(only.path.clone()),
        several => {
            let unknown = || BattorError::Several {
                paths: several
                    .iter()
                    .map(|port| port.path.display().to_string())
                    .collect(),
            };
            let device = device.ok_or_else(unknown)?;
            let serial = of_device(device).ok_or_else(unknown)?;
            let found = several.iter().find(|port| port.serial == serial);
            let found = found.ok_or_else(|| BattorError::NotAttached {
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

    /// A line as the kernel shows it: a link from the class to the place of the adapter.
    fn line(root: &Path, name: &str, vendor: &str, serial: &str) {
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
    fn the_right_line_is_found() {
        let root = tempfile::tempdir().unwrap();
        let class = root.path().join("class");
        assert_eq!(battor_ports(&class), []);
        line(root.path(), "ttyUSB1", "0403", "A1");
        line(root.path(), "ttyUSB0", "067b", "other");
        fs::create_dir_all(class.join("tty0")).unwrap();
        let one = battor_ports(&class);
        let port = BattorPort {
            path: "/dev/ttyUSB1".into(),
            serial: "A1".to_owned(),
        };
        assert_eq!(one, [port]);
        let any = |ports: &[BattorPort]| choose_battor(ports, None, |_| None);
        assert_eq!(any(&one).unwrap(), Path::new("/dev/ttyUSB1"));
        assert!(matches!(any(&[]), Err(BattorError::None)));

        line(root.path(), "ttyUSB2", "0403", "A2");
        let two = battor_ports(&class);
        assert!(matches!(any(&two), Err(BattorError::Several { paths }) if paths.len() == 2));
        let of = |serial: &str| {
            let serial = serial.to_owned();
            choose_battor(&two, Some("phone"), move |_| Some(serial))
        };
        assert_eq!(of("A2").unwrap(), Path::new("/dev/ttyUSB2"));
        assert!(matches!(of("A9"), Err(BattorError::NotAttached { .. })));
        let unknown = choose_battor(&two, Some("phone"), |_| None);
        assert!(matches!(unknown, Err(BattorError::Several { .. })));
    }
}
