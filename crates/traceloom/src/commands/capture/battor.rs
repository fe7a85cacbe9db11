//! Finds the BattOr for a recording.

use std::path::Path;

use anyhow::{Context, Result};
use traceloom_battor::{Battor, Timing, choose_port, find_ports};
use traceloom_capture::Agent;
use traceloom_capture::adb::Device;
use traceloom_capture::agents::BattorAgent;

use super::device_folder::device_folder;
use super::options::BattorArgs;

/// The agent that measures with the BattOr of `device`, or of this machine.
///
/// # Errors
/// If it is not clear which BattOr to use.
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

/// Maps a device's serial number to its BattOr's serial number.
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
                .starts_with("/nowhere/serial_map.json maps devices to BattOrs")
        );
    }
}
