//! Android's system properties, behind a trait so that tests can use fake ones.

use std::io;
use std::path::Path;
use std::process::{Command, Stdio};

/// The enabled user space tags, as a hexadecimal number.
pub const TAGS: &str = "debug.atrace.tags.enableflags";
/// Whether a recording is running.
pub const USER_INITIATED: &str = "debug.atrace.user_initiated";
/// Number of apps whose own sections are recorded.
pub const APP_NUMBER: &str = "debug.atrace.app_number";

/// The property with the command line of app `number`.
pub fn app(number: usize) -> String {
    format!("debug.atrace.app_{number}")
}

/// System properties, which other processes read.
pub trait Properties {
    /// The value of a property. `None` if it is missing or empty, which is the same on Android.
    fn get(&self, name: &str) -> Option<String>;

    /// Sets a property.
    ///
    /// # Errors
    /// The system's error.
    fn set(&self, name: &str, value: &str) -> io::Result<()>;

    /// Makes running processes read their properties again.
    fn announce(&self) {}

    /// Whether processes read these properties.
    fn have_effect(&self) -> bool {
        true
    }
}

/// Properties without effect, for machines that do not run Android.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoProperties;

impl Properties for NoProperties {
    fn get(&self, _name: &str) -> Option<String> {
        None
    }
    fn set(&self, _name: &str, _value: &str) -> io::Result<()> {
        Ok(())
    }
    fn have_effect(&self) -> bool {
        false
    }
}

/// The properties of an Android device, through its programs `getprop`, `setprop` and `service`. A
/// static binary cannot use the device's libraries.
#[derive(Clone, Copy, Debug, Default)]
pub struct DeviceProperties;

/// `IBinder::SYSPROPS_TRANSACTION`, which tells a process that properties have changed.
const SYSPROPS_TRANSACTION: u32 = u32::from_be_bytes(*b"_SPR");

/// How many services to call at a time. Each call is a process.
const CALLS_AT_ONCE: usize = 16;

impl DeviceProperties {
    /// The properties of this device, if it runs Android.
    pub fn find() -> Option<Self> {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let mut folders = std::env::split_paths(&path);
        let has_programs =
            |folder: &Path| folder.join("setprop").is_file() && folder.join("getprop").is_file();
        (has_programs(Path::new("/system/bin")) || folders.any(|folder| has_programs(&folder)))
            .then_some(Self)
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

    /// Calls every service of the service manager. Failed calls are ignored: the service then reads the
    /// properties when it starts the next time.
    fn announce(&self) {
        let Ok(list) = Self::run("service", &["list"]) else {
            return;
        };
        let names: Vec<&str> = list.lines().filter_map(service_name).collect();
        let code = SYSPROPS_TRANSACTION.to_string();
        for names in names.chunks(CALLS_AT_ONCE) {
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

/// The name in a line such as `12\tactivity: [android.app.IActivityManager]`.
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
