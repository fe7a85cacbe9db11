//! The address of the adb server.

use std::env;
use std::fmt;

use super::error::{AdbError, Result};

const HOST: &str = "127.0.0.1";
const PORT: u16 = 5037;

/// The address of the adb server.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Address {
    /// The host name or IP address.
    pub host: String,
    /// The TCP port.
    pub port: u16,
}

impl Default for Address {
    fn default() -> Self {
        Self {
            host: HOST.to_owned(),
            port: PORT,
        }
    }
}

impl fmt::Display for Address {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.host.contains(':') {
            write!(out, "[{}]:{}", self.host, self.port)
        } else {
            write!(out, "{}:{}", self.host, self.port)
        }
    }
}

impl Address {
    /// Reads the address from the environment variables that adb uses: `ADB_SERVER_SOCKET`
    /// (`tcp:PORT` or `tcp:HOST:PORT`), otherwise `ANDROID_ADB_SERVER_ADDRESS` and
    /// `ANDROID_ADB_SERVER_PORT`.
    ///
    /// # Errors
    /// [`AdbError::Address`] if the value of a variable is invalid.
    pub fn from_env() -> Result<Self> {
        let variable = |name| env::var(name).ok().filter(|value| !value.is_empty());
        if let Some(socket) = variable("ADB_SERVER_SOCKET") {
            return Self::parse_socket(&socket);
        }
        let mut address = Self::default();
        if let Some(host) = variable("ANDROID_ADB_SERVER_ADDRESS") {
            address.host = host;
        }
        if let Some(port) = variable("ANDROID_ADB_SERVER_PORT") {
            address.port = parse_port("ANDROID_ADB_SERVER_PORT", &port)?;
        }
        Ok(address)
    }

    fn parse_socket(socket: &str) -> Result<Self> {
        let invalid = || AdbError::Address {
            variable: "ADB_SERVER_SOCKET",
            value: socket.to_owned(),
            expected: "tcp:PORT or tcp:HOST:PORT",
        };
        let rest = socket.strip_prefix("tcp:").ok_or_else(invalid)?;
        let Some((host, port)) = rest.rsplit_once(':') else {
            let port = rest.parse().map_err(|_| invalid())?;
            return Ok(Self {
                port,
                ..Self::default()
            });
        };
        let host = host.trim_start_matches('[').trim_end_matches(']');
        Ok(Self {
            host: host.to_owned(),
            port: port.parse().map_err(|_| invalid())?,
        })
    }
}

fn parse_port(variable: &'static str, value: &str) -> Result<u16> {
    value.parse().map_err(|_| AdbError::Address {
        variable,
        value: value.to_owned(),
        expected: "a port number from 1 to 65535",
    })
}

#[cfg(test)]
mod tests {
    use super::Address;

    #[test]
    fn socket_addresses_are_parsed() {
        let parsed = |text| Address::parse_socket(text).map(|address| address.to_string());
        assert_eq!(parsed("tcp:5038").unwrap(), "127.0.0.1:5038");
        assert_eq!(parsed("tcp:box:5038").unwrap(), "box:5038");
        assert_eq!(parsed("tcp:[::1]:5038").unwrap(), "[::1]:5038");
        assert_eq!(
            parsed("localabstract:adb").unwrap_err().to_string(),
            "ADB_SERVER_SOCKET is localabstract:adb; expected tcp:PORT or tcp:HOST:PORT"
        );
    }
}
