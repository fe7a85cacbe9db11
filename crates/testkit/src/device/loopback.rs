//! A device on loopback: Debian's adb server, Android's adbd, and scripts in place of a device's programs.

use std::fs;
use std::io;
use std::net::TcpListener;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use super::device_part;

/// Timeout for both programs to connect.
const LIMIT: Duration = Duration::from_secs(20);

/// Properties are files. A property that is not set prints an empty line.
const GETPROP: &str = r#"cat "$DEVICE_HOME/properties/$1" 2>/dev/null || echo"#;
const SETPROP: &str = r#"printf '%s\n' "$2" > "$DEVICE_HOME/properties/$1""#;
/// There are no services to notify of properties.
const SERVICE: &str = "echo 'Found 0 services:'";

/// An adb server on a free port, and devices behind it. All are stopped when this is dropped.
pub struct Loopback {
    port: u16,
    home: tempfile::TempDir,
    server: Child,
    devices: Vec<(String, Child)>,
}

impl Drop for Loopback {
    fn drop(&mut self) {
        for (_, adbd) in &mut self.devices {
            end(adbd);
        }
        end(&mut self.server);
    }
}

impl Loopback {
    /// Starts a server with one device. `atrace` is the program that the device has under this name.
    ///
    /// # Errors
    /// A message about what is missing.
    pub fn start(atrace: Option<&Path>) -> Result<Self, String> {
        let home = tempfile::tempdir().map_err(text)?;
        furnish(home.path(), atrace).map_err(text)?;
        let port = free_port().map_err(text)?;
        // Without a host, the server listens on loopback. With a host, this adb does not listen at all.
        let socket = format!("tcp:{port}");
        let server = program(Path::new("adb"), home.path())
            .args(["-L", &socket, "server", "nodaemon"])
            .spawn()
            .map_err(|error| format!("adb: {error}"))?;
        let mut this = Self {
            port,
            home,
            server,
            devices: Vec::new(),
        };
        this.add_device()?;
        Ok(this)
    }

    /// Adds a device with the same programs and returns its serial.
    ///
    /// # Errors
    /// A message about what is missing.
    pub fn add_device(&mut self) -> Result<String, String> {
        let adbd = device_part("adbd");
        if !adbd.is_file() {
            return Err("no adbd was built (cargo xtask device adbd)".to_owned());
        }
        let port = free_port().map_err(text)?;
        let adbd = program(&adbd, self.home.path())
            .env("ADBD_LISTEN_ADDRS", format!("tcp:localhost:{port}"))
            .spawn()
            .map_err(|error| format!("adbd: {error}"))?;
        let serial = format!("127.0.0.1:{port}");
        self.devices.push((serial.clone(), adbd));
        self.connect(&serial)?;
        Ok(serial)
    }

    /// Waits until the device is ready.
    fn connect(&self, serial: &str) -> Result<(), String> {
        let begun = Instant::now();
        let mut said = String::new();
        while begun.elapsed() < LIMIT {
            said = self.adb(&["connect", serial]);
            if self.adb(&["-s", serial, "get-state"]).trim() == "device" {
                return Ok(());
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        Err(format!("adbd did not answer: {said}"))
    }

    /// The output of adb for these arguments.
    pub fn adb(&self, args: &[&str]) -> String {
        let mut adb = program(Path::new("adb"), self.home.path());
        adb.args(["-P", &self.port.to_string()]).args(args);
        let output = adb.stdout(Stdio::piped()).stderr(Stdio::piped()).output();
        output.map_or_else(text, |output| {
            String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned()
        })
    }

    /// The port of the server on 127.0.0.1.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// The serial of the first device.
    pub fn serial(&self) -> &str {
        &self.devices[0].0
    }

    /// A folder that the devices can access.
    pub fn home(&self) -> &Path {
        self.home.path()
    }

    /// Adds a program to the devices: a line of shell.
    ///
    /// # Errors
    /// If a file cannot be written.
    pub fn install(&self, name: &str, script: &str) -> io::Result<()> {
        write_script(&self.home.path().join("bin").join(name), script)
    }

    /// Sets a property of the devices.
    ///
    /// # Errors
    /// If a file cannot be written.
    pub fn set_property(&self, name: &str, value: &str) -> io::Result<()> {
        let path = self.home.path().join("properties").join(name);
        fs::write(path, format!("{value}\n"))
    }

    /// A property; empty if it is not set.
    pub fn property(&self, name: &str) -> String {
        let path = self.home.path().join("properties").join(name);
        fs::read_to_string(path)
            .unwrap_or_default()
            .trim()
            .to_owned()
    }

    /// Kills the first device's adbd, as if the device was unplugged.
    pub fn unplug(&mut self) {
        if let Some((_, adbd)) = self.devices.first_mut() {
            end(adbd);
        }
    }
}

fn text(error: impl std::fmt::Display) -> String {
    error.to_string()
}

fn end(child: &mut Child) {
    _ = child.kill();
    _ = child.wait();
}

fn furnish(home: &Path, atrace: Option<&Path>) -> io::Result<()> {
    let bin = home.join("bin");
    fs::create_dir(&bin)?;
    fs::create_dir(home.join("properties"))?;
    let scripts = [
        ("getprop", GETPROP),
        ("setprop", SETPROP),
        ("service", SERVICE),
    ];
    for (name, script) in scripts {
        write_script(&bin.join(name), script)?;
    }
    if let Some(atrace) = atrace {
        symlink(atrace, bin.join("atrace"))?;
    }
    fs::write(home.join("properties/ro.build.version.sdk"), "33\n")
}

/// Another process writes the script. A child that another test forks at that moment would inherit
/// our open file, and a script that is open for writing cannot be executed.
fn write_script(path: &PathBuf, script: &str) -> io::Result<()> {
    let text = path.with_extension("text");
    fs::write(&text, format!("#!/bin/sh\n{script}\n"))?;
    fs::set_permissions(&text, fs::Permissions::from_mode(0o755))?;
    let copied = Command::new("cp").args([&text, path]).status()?;
    fs::remove_file(text)?;
    if copied.success() {
        Ok(())
    } else {
        Err(io::Error::other("cp cannot copy a script"))
    }
}

fn program(program: &Path, home: &Path) -> Command {
    let path = std::env::var("PATH").unwrap_or_default();
    let mut command = Command::new(program);
    command
        .env("HOME", home)
        .env("DEVICE_HOME", home)
        .env("PATH", format!("{}:{path}", home.join("bin").display()))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command
}

/// A free port outside the range of emulators.
fn free_port() -> io::Result<u16> {
    loop {
        let port = TcpListener::bind(("127.0.0.1", 0))?.local_addr()?.port();
        if !(5555..=5585).contains(&port) {
            return Ok(port);
        }
    }
}
