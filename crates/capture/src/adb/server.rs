//! The adb server: its version and devices, and how it is started.

use std::io;
use std::net::{TcpStream, ToSocketAddrs};
use std::process::{Command, Stdio};
use std::time::Duration;

use super::address::Address;
use super::error::{AdbError, Result};
use super::stream::Stream;

/// Time limit for an answer of the server itself.
const LIMIT: Duration = Duration::from_secs(10);

/// The adb server.
#[derive(Clone, Debug)]
pub struct Adb {
    address: Address,
    /// The program that starts the server if it is not running. `None`: do not start it.
    program: Option<String>,
}

/// A device in the server's list.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DeviceInfo {
    /// A serial number, or `HOST:PORT`.
    pub serial: String,
    /// `device` if it can be used; otherwise `offline`, `unauthorized`, `recovery` and others.
    pub state: String,
    /// Other properties, such as `product`, `model`, `device` and `transport_id`.
    pub properties: Vec<(String, String)>,
}

impl DeviceInfo {
    /// Whether it accepts commands.
    pub fn is_ready(&self) -> bool {
        matches!(self.state.as_str(), "device" | "recovery" | "rescue")
    }

    /// The value of a property.
    pub fn property(&self, name: &str) -> Option<&str> {
        let found = self.properties.iter().find(|(key, _)| key == name);
        found.map(|(_, value)| value.as_str())
    }

    /// Parses a line of `host:devices-l`: serial, spaces, state, then `key:value` fields.
    fn parse(line: &str) -> Option<Self> {
        let (serial, rest) = line.split_once(char::is_whitespace)?;
        let rest = rest.trim();
        // `no permissions (…); see [http…]` contains spaces.
        let state = if rest.starts_with("no permissions") {
            "no permissions"
        } else {
            rest.split_whitespace().next()?
        };
        let fields = rest[state.len()..].split_whitespace();
        let properties = fields.filter_map(|field| field.split_once(':'));
        Some(Self {
            serial: serial.to_owned(),
            state: state.to_owned(),
            properties: properties
                .map(|(key, value)| (key.to_owned(), value.to_owned()))
                .collect(),
        })
    }
}

impl Adb {
    /// The server at the address from the environment. `adb` starts it if it is not running.
    ///
    /// # Errors
    /// [`AdbError::Address`].
    pub fn from_env() -> Result<Self> {
        Ok(Self {
            address: Address::from_env()?,
            program: Some("adb".to_owned()),
        })
    }

    /// The server at an address. It must be running.
    pub fn at(address: Address) -> Self {
        Self {
            address,
            program: None,
        }
    }

    /// The server's protocol version.
    ///
    /// # Errors
    /// If no server answers.
    pub fn version(&self) -> Result<u32> {
        let mut stream = self.request("host:version")?;
        let text = stream.text()?;
        u32::from_str_radix(&text, 16)
            .map_err(|_| stream.protocol("a hexadecimal number", text.as_bytes()))
    }

    /// All devices in the server's list, ready or not.
    ///
    /// # Errors
    /// If no server answers.
    pub fn devices(&self) -> Result<Vec<DeviceInfo>> {
        let list = self.request("host:devices-l")?.text()?;
        Ok(list.lines().filter_map(DeviceInfo::parse).collect())
    }

    /// Opens a connection, sends `request` and waits until the server accepts it.
    pub(super) fn request(&self, request: &str) -> Result<Stream> {
        let mut stream = self.connect(request)?;
        stream.limit(Some(LIMIT));
        stream.send_request(request)?;
        Ok(stream)
    }

    fn connect(&self, request: &str) -> Result<Stream> {
        let refused = match self.try_connect() {
            Ok(tcp) => return Ok(Stream::new(tcp, request)),
            Err(error) => error,
        };
        match &self.program {
            Some(program) if refused.kind() == io::ErrorKind::ConnectionRefused => {
                start(program)?;
            }
            _ => return Err(self.no_server(refused)),
        }
        let tcp = self.try_connect().map_err(|error| self.no_server(error))?;
        Ok(Stream::new(tcp, request))
    }

    fn try_connect(&self) -> io::Result<TcpStream> {
        let mut last = io::Error::from(io::ErrorKind::NotFound);
        let name = (self.address.host.as_str(), self.address.port);
        for address in name.to_socket_addrs()? {
            match TcpStream::connect_timeout(&address, LIMIT) {
                Ok(tcp) => return Ok(tcp),
                Err(error) => last = error,
            }
        }
        Err(last)
    }

    fn no_server(&self, source: io::Error) -> AdbError {
        AdbError::NoServer {
            address: self.address.to_string(),
            source,
        }
    }
}

/// Starts the server in the background. adb takes the address from the same environment.
fn start(program: &str) -> Result<()> {
    let mut command = Command::new(program);
    command.arg("start-server").stdin(Stdio::null());
    let output = command.output().map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => AdbError::NoAdb,
        _ => AdbError::Start {
            message: error.to_string(),
        },
    })?;
    if output.status.success() {
        Ok(())
    } else {
        Err(AdbError::Start {
            message: String::from_utf8_lossy(&output.stderr).trim().to_owned(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::DeviceInfo;

    #[test]
    fn lines_of_devices() {
        let line =
            "0123456789ABCDEF       device usb:1-2 product:walleye model:Pixel_2 transport_id:4";
        let device = DeviceInfo::parse(line).unwrap();
        assert_eq!(device.serial, "0123456789ABCDEF");
        assert!(device.is_ready());
        assert_eq!(device.property("model"), Some("Pixel_2"));

        let line = "0123 no permissions (user in plugdev group); see [http://developer.android.com/tools/device.html] usb:1-2";
        let device = DeviceInfo::parse(line).unwrap();
        assert_eq!(device.state, "no permissions");
        assert!(!device.is_ready());
        assert_eq!(device.property("usb"), Some("1-2"));

        assert_eq!(DeviceInfo::parse(""), None);
        assert!(!DeviceInfo::parse("x\tunauthorized").unwrap().is_ready());
    }
}
