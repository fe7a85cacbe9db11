//! The options of `capture` for a BattOr power meter.

use std::path::PathBuf;

use anyhow::{Result, bail};
use traceloom_capture::Agent;
use traceloom_capture::adb::Device;

/// Whether this program can use a BattOr.
const IS_SUPPORTED: bool = cfg!(all(target_os = "linux", feature = "battor"));

/// Options for a BattOr. Without support they are accepted, since systrace had them, but hidden.
#[derive(clap::Args, Clone, Debug)]
pub struct BattorArgs {
    /// Measure the power that the device draws from its battery, with a BattOr
    #[arg(long, hide = !IS_SUPPORTED, help_heading = "Beside the trace")]
    pub battor: bool,

    /// Serial port of the BattOr, such as /dev/ttyUSB0 [default: the only BattOr that is attached]
    #[arg(
        long,
        value_name = "FILE",
        hide = !IS_SUPPORTED,
        help_heading = "Beside the trace"
    )]
    pub battor_path: Option<PathBuf>,

    /// JSON file that maps devices to BattOrs, if several are attached: [{"phone": SERIAL, "battor": SERIAL}]
    #[arg(
        long,
        value_name = "FILE",
        default_value = "serial_map.json",
        hide = !IS_SUPPORTED,
        help_heading = "Beside the trace"
    )]
    pub serial_map: PathBuf,

    // systrace accepted it without effect.
    #[arg(long, hide = true)]
    pub battor_categories: Option<String>,
}

impl BattorArgs {
    /// Checks that a measurement is possible, unless an existing file is converted.
    ///
    /// # Errors
    /// If this program does not support BattOrs.
    pub fn check(&self, is_from_file: bool) -> Result<()> {
        if !self.battor || is_from_file || IS_SUPPORTED {
            return Ok(());
        }
        if cfg!(target_os = "linux") {
            bail!("this build has no BattOr support: build traceloom with --features battor");
        }
        bail!("--battor needs Linux");
    }

    /// The agent that measures, if `--battor` was given.
    ///
    /// # Errors
    /// If it is not clear which BattOr to use.
    pub fn agent(&self, device: Option<&Device>) -> Result<Option<Box<dyn Agent>>> {
        if !self.battor {
            return Ok(None);
        }
        #[cfg(all(target_os = "linux", feature = "battor"))]
        return linux::agent(self, device).map(Some);
        #[cfg(not(all(target_os = "linux", feature = "battor")))]
        {
            _ = device;
            self.check(false)?;
            Ok(None)
        }
    }
}

/// Finds the BattOr.
#[cfg(all(target_os = "linux", feature = "battor"))]
mod linux {
    use std::path::Path;

    use anyhow::{Context, Result};
    use traceloom_battor::{Battor, Timing, choose_port, find_ports};
    use traceloom_capture::Agent;
    use traceloom_capture::adb::Device;
    use traceloom_capture::agents::BattorAgent;

    use super::BattorArgs;
    use crate::commands::capture::android::device_folder;

    pub fn agent(args: &BattorArgs, device: Option<&Device>) -> Result<Box<dyn Agent>> {
        let port = match &args.battor_path {
            Some(path) => path.clone(),
            None => {
                let ports = find_ports(Path::new("/sys/class/tty"));
                let map = match ports.len() {
                    0 | 1 => SerialMap::default(),
                    _ => SerialMap::read(&args.serial_map)?,
                };
                let serial = device.map(Device::serial);
                choose_port(&ports, serial, |phone| map.battor_of(phone))?
            }
        };
        let battor = Battor::new(port, Timing::default());
        let folder = device_folder();
        let agent = BattorAgent::new(battor, device.cloned(), folder.as_deref());
        Ok(Box::new(agent))
    }

    /// Maps serial numbers of devices to those of BattOrs.
    #[derive(Default, Debug)]
    struct SerialMap(Vec<(String, String)>);

    impl SerialMap {
        fn read(path: &Path) -> Result<Self> {
            let context = || {
                format!(
                    "{} maps devices to BattOrs; use another map with --serial-map, or choose a BattOr with --battor-path",
                    path.display()
                )
            };
            let text = std::fs::read(path).with_context(context)?;
            let json: serde_json::Value = serde_json::from_slice(&text).with_context(context)?;
            let pairs = json.as_array().map(Vec::as_slice).unwrap_or_default();
            let text = |pair: &serde_json::Value, key: &str| pair[key].as_str().map(str::to_owned);
            let pairs = pairs
                .iter()
                .filter_map(|pair| Some((text(pair, "phone")?, text(pair, "battor")?)));
            Ok(Self(pairs.collect()))
        }

        fn battor_of(&self, phone: &str) -> Option<String> {
            let found = self.0.iter().find(|(device, _)| device == phone);
            found.map(|(_, battor)| battor.clone())
        }
    }

    #[cfg(test)]
    mod tests {
        use super::SerialMap;

        #[test]
        fn maps_as_systrace_wrote_them() {
            let file = tempfile::NamedTempFile::new().unwrap();
            let text = r#"[{"phone": "HT1", "battor": "A1"}, {"battor": "A2", "phone": "HT2"}, {"phone": 3}]"#;
            std::fs::write(file.path(), text).unwrap();
            let map = SerialMap::read(file.path()).unwrap();
            assert_eq!(map.battor_of("HT2").as_deref(), Some("A2"));
            assert_eq!(map.battor_of("HT3"), None);
            let missing = SerialMap::read("/nowhere/serial_map.json".as_ref()).unwrap_err();
            assert!(
                missing
                    .to_string()
                    .starts_with("/nowhere/serial_map.json maps devices to BattOrs")
            );
        }
    }
}
