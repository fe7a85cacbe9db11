//! Android's property store, behind a trait, and the ways to reach it.

use std::io;
use std::path::Path;
use std::process::{Command, Stdio};

/// The user space tags that are on, as a hexadecimal number.
pub const TAGS: &str = "debug.atrace.tags.enableflags";
/// Whether somebody is recording.
pub const USER_INITIATED: &str = "debug.atrace.user_initiated";
/// How many apps record their own marks.
pub const APP_NUMBER: &str = "debug.atrace.app_number";

/// The property with the command line of app `number`.
pub fn app(number: usize) -> String {
    format!("debug.atrace.app_{number}")
}

/// A store of properties that processes read.
pub trait Properties {
    /// A property's value; none where it is missing or empty, which is the same on Android.
    fn get(&self, name: &str) -> Option<String>;

    /// Sets a property.
    ///
    /// # Errors
    /// What the system says.
    fn set(&self, name: &str, value: &str) -> io::Result<()>;

    /// Tells running processes to read their properties again.
    fn announce(&self) {}

    /// Whether anybody reads these properties.
    fn is_real(&self) -> bool {
        true
    }
}

/// No store: what is set is gone. For machines that are no Android device.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoProperties;

impl Properties for NoProperties {
    fn get(&self, _name: &str) -> Option<String> {
        None
    }
    fn set(&self, _name: &str, _value: &str) -> io::Result<()> {
        Ok(())
    }
    fn is_real(&self) -> bool {
        false
    }
}

/// The device's store, through its own programs `getprop`, `setprop` and `service`: they are on
/// every Android device, and a static program needs none of its libraries.
#[derive(Clone, Copy, Debug, Default)]
pub struct DeviceProperties;

/// `IBinder::SYSPROPS_TRANSACTION`, the four letters `_SPR`: the code by which a process learns
/// that properties changed.
const SYSPROPS_TRANSACTION: u32 = u32::from_be_bytes(*b"_SPR");

/// So many services are told at a time; each is a short process.
const TOLD_TOGETHER: usize = 16;

impl DeviceProperties {
    /// The store of this device, if it has one.
    pub fn find() -> Option<Self> {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let mut folders = std::env::split_paths(&path);
        let there =
            |folder: &Path| folder.join("setprop").is_file() && folder.join("getprop").is_file();
        (there(Path::new("/system/bin")) || folders.any(|folder| there(&folder))).then_some(Self)
    }

    fn run(program: &str, args: &[&str]) -> io::Result<String> {
        let mut command = Command::new(program);
        let output = command.args(args).stdin(Stdio::null()).output()?;
        if !output.status.success() {
            let text = String::from_utf8_lossy(&output.stderr);
            return Err(io::Error::other(format!("{program}: {}", text.trim())));
        }
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }
}

impl Properties for DeviceProperties {
    fn get(&self, name: &str) -> Option<String> {
        let value = Self::run("getprop", &[name]).ok()?;
        let value = value.trim_end_matches(['\n', '\r']);
        (!value.is_empty()).then(|| value.to_owned())
    }

    fn set(&self, name: &str, value: &str) -> io::Result<()> {
        Self::run("setprop", &[name, value]).map(drop)
    }

    /// Calls every service of the service manager. A service that refuses is no error: it reads its
    /// properties when it starts the next time.
    fn announce(&self) {
        let Ok(list) = Self::run("service", &["list"]) else {
            return;
        };
        let names: Vec<&str> = list.lines().filter_map(service_name).collect();
        let code = SYSPROPS_TRANSACTION.to_string();
        for names in names.chunks(TOLD_TOGETHER) {
            let call = |name: &&str| {
                let mut command = Command::new("service");
                let command = command.args(["call", name, &code]).stdin(Stdio::null());
                command
                    .stdout(Stdio::null())
                    .stderr(Stdio::null())
                    .spawn()
                    .ok()
            };
            let calls: Vec<_> = names.iter().filter_map(call).collect();
            for mut call in calls {
                let _ = call.wait();
            }
        }
    }
}

/// `12\tactivity: [android.app.IActivityManager]` is the service `activity`.
fn service_name(line: &str) -> Option<&str> {
    let (number, rest) = line.split_once('\t')?;
    number.trim().parse::<u32>().ok()?;
    rest.split_once(": [").map(|(name, _)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn services_are_found_in_the_list() {
        let list = "Found 2 services:\n0\tsip: [android.net.sip.ISipService]\n1\tmedia.audio_flinger: [x]\n";
        let names: Vec<_> = list.lines().filter_map(service_name).collect();
        assert_eq!(names, ["sip", "media.audio_flinger"]);
        assert_eq!(SYSPROPS_TRANSACTION, 1_599_295_570);
    }
}
