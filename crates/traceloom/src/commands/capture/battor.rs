//! Which power meter measures.

use std::path::PathBuf;

use anyhow::Result;
use traceloom_capture::Agent;
use traceloom_capture::adb::Device;

/// Choices for the power meter.
#[derive(clap::Args, Clone, Debug)]
pub struct BattorArgs {
    /// Measure what the device draws from its battery, with a BattOr
    #[arg(long, help_heading = "Beside the trace")]
    pub battor: bool,

    /// The BattOr's serial line, such as /dev/ttyUSB0 [default: the only one that is attached]
    #[arg(long, value_name = "FILE", help_heading = "Beside the trace")]
    pub battor_path: Option<PathBuf>,

    /// JSON that says which BattOr measures which device, where several are attached: [{"phone": SERIAL, "battor": SERIAL}]
    #[arg(
        long,
        value_name = "FILE",
        default_value = "serial_map.json",
        help_heading = "Beside the trace"
    )]
    pub serial_map: PathBuf,

    // systrace took it, and used it for nothing.
    #[arg(long, hide = true)]
    pub battor_categories: Option<String>,
}

impl BattorArgs {
    /// What measures, if anything is to.
    ///
    /// # Errors
    /// If it is not clear which meter is meant.
    #[cfg(target_os = "linux")]
    pub fn agent(&self, device: Option<&Device>) -> Result<Option<Box<dyn Agent>>> {
        use std::path::Path;

        use traceloom_capture::{Battor, BattorAgent, BattorTiming, battor_ports, choose_battor};

        use super::android::device_folder;

        if !self.battor {
            return Ok(None);
        }
        let path = match &self.battor_path {
            Some(path) => path.clone(),
            None => {
                let ports = battor_ports(Path::new("/sys/class/tty"));
                let map = match ports.len() {
                    0 | 1 => SerialMap::default(),
                    _ => SerialMap::read(&self.serial_map)?,
                };
                let serial = device.map(Device::serial);
                choose_battor(&ports, serial, |phone| map.battor_of(phone))?
            }
        };
        let battor = Battor::new(path, BattorTiming::default());
        let folder = device_folder();
        let agent = BattorAgent::new(battor, device.cloned(), folder.as_deref());
        Ok(Some(Box::new(agent)))
    }

    /// Nothing: the serial lines of other systems are not spoken to.
    ///
    /// # Errors
    /// If something is to measure.
    #[cfg(not(target_os = "linux"))]
    pub fn agent(&self, _: Option<&Device>) -> Result<Option<Box<dyn Agent>>> {
        match self.battor {
            true => anyhow::bail!("--battor needs Linux"),
            false => Ok(None),
        }
    }
}

/// Which BattOr measures which phone, by serial numbers.
#[cfg(target_os = "linux")]
#[derive(Default, Debug)]
struct SerialMap(Vec<(String, String)>);

#[cfg(target_os = "linux")]
impl SerialMap {
    fn read(path: &std::path::Path) -> Result<Self> {
        use anyhow::Context;
        let wrong = || {
            format!(
                "{} says which BattOr measures which device; --serial-map names another, --battor-path the BattOr",
                path.display()
            )
        };
        let text = std::fs::read(path).with_context(wrong)?;
        let json: serde_json::Value = serde_json::from_slice(&text).with_context(wrong)?;
        let pairs = json.as_array().map(Vec::as_slice).unwrap_or_default();
        let text = |pair: &serde_json::Value, key: &str| pair[key].as_str().map(str::to_owned);
        let pairs = pairs
            .iter()
            .filter_map(|pair| Some((text(pair, "phone")?, text(pair, "battor")?)));
        Ok(Self(pairs.collect()))
    }

    fn battor_of(&self, phone: &str) -> Option<String> {
        let found = self.0.iter().find(|(named, _)| named == phone);
        found.map(|(_, battor)| battor.clone())
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::SerialMap;

    #[test]
    fn maps_as_systrace_wrote_them() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let text =
            r#"[{"phone": "HT1", "battor": "A1"}, {"battor": "A2", "phone": "HT2"}, {"phone": 3}]"#;
        std::fs::write(file.path(), text).unwrap();
        let map = SerialMap::read(file.path()).unwrap();
        assert_eq!(map.battor_of("HT2").as_deref(), Some("A2"));
        assert_eq!(map.battor_of("HT3"), None);
        let missing = SerialMap::read("/nowhere/serial_map.json".as_ref()).unwrap_err();
        assert!(
            missing
                .to_string()
                .starts_with("/nowhere/serial_map.json says which BattOr")
        );
    }
}
