//! Objects that `%p` followed by letters prints by their address: network addresses, device addresses and UUIDs.
//!
//! The source is the kernel's `Documentation/core-api/printk-formats.rst`. An event holds the object itself.

use std::net::{Ipv4Addr, Ipv6Addr};

use crate::bytes::ByteOrder;
use crate::hex::hex;

/// An object.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Object {
    /// `%pI4`: `127.0.0.1`.
    Ip4,
    /// `%pI6`, or shortened `%pI6c`: `::1`.
    Ip6 { short: bool },
    /// `%pIS` and more letters: an address of either family. `%pISpc` has the port too: `[::1]:80`.
    Socket { short: bool, port: bool },
    /// `%pM`, `%pMF`, `%pm`: the address of a device, six bytes in hexadecimal with this separator.
    Mac(&'static str),
    /// `%pU`, `%pUb`.
    Uuid,
    /// Anything else.
    Other,
}

impl Object {
    /// The object that these letters stand for.
    pub fn of(letters: &[u8]) -> Self {
        match letters {
            b"I4" | b"I4b" | b"I4n" => Self::Ip4,
            b"I6" => Self::Ip6 { short: false },
            b"I6c" => Self::Ip6 { short: true },
            [b'I', b'S', more @ ..] => Self::Socket {
                short: more.contains(&b'c'),
                port: more.contains(&b'p'),
            },
            b"M" => Self::Mac(":"),
            b"MF" => Self::Mac("-"),
            b"m" => Self::Mac(""),
            b"U" | b"Ub" => Self::Uuid,
            _ => Self::Other,
        }
    }

    /// The object as the kernel prints it; `None` if the bytes are not such an object.
    pub fn text(self, content: &[u8], order: ByteOrder) -> Option<String> {
        match self {
            Self::Ip4 => ip4(content),
            Self::Ip6 { short } => ip6(content, short),
            Self::Socket { short, port } => socket(content, order, short, port),
            Self::Mac(between) => <[u8; 6]>::try_from(content)
                .ok()
                .map(|mac| mac.map(|byte| hex(&[byte])).join(between)),
            Self::Uuid => <[u8; 16]>::try_from(content).ok().map(|uuid| {
                let parts = [0..4, 4..6, 6..8, 8..10, 10..16];
                parts.map(|part| hex(&uuid[part])).join("-")
            }),
            Self::Other => None,
        }
    }
}

fn ip4(content: &[u8]) -> Option<String> {
    let address = <[u8; 4]>::try_from(content).ok()?;
    Some(Ipv4Addr::from(address).to_string())
}

fn ip6(content: &[u8], short: bool) -> Option<String> {
    let address = <[u8; 16]>::try_from(content).ok()?;
    Some(if short {
        Ipv6Addr::from(address).to_string()
    } else {
        let words = address.chunks(2).map(hex);
        words.collect::<Vec<_>>().join(":")
    })
}

/// `struct sockaddr_in`: family, port, address. `struct sockaddr_in6` has a flow label before its address.
fn socket(content: &[u8], order: ByteOrder, short: bool, port: bool) -> Option<String> {
    const INET: u16 = 2;
    const INET6: u16 = 10;
    let number = u16::from_be_bytes(*content.get(2..)?.first_chunk()?);
    let (address, is_ip6) = match order.u16(content, 0)? {
        INET => (ip4(content.get(4..8)?)?, false),
        INET6 => (ip6(content.get(8..24)?, short)?, true),
        _ => return None,
    };
    Some(match (port, is_ip6) {
        (false, _) => address,
        (true, false) => format!("{address}:{number}"),
        (true, true) => format!("[{address}]:{number}"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_as_the_kernel_prints_them() {
        let little = ByteOrder::default();
        let mut ip6 = [0; 16];
        ip6[15] = 1;
        let socket4 = [2, 0, 0, 80, 127, 0, 0, 1, 0, 0, 0, 0];
        let socket6 = [&[10, 0, 1, 187, 0, 0, 0, 0][..], &ip6, &[0; 4]].concat();
        let uuid: Vec<u8> = (0..16).collect();
        for (letters, content, expected) in [
            ("I4", &[127, 0, 0, 1][..], "127.0.0.1"),
            ("I6", &ip6, "0000:0000:0000:0000:0000:0000:0000:0001"),
            ("I6c", &ip6, "::1"),
            ("ISpc", &socket4, "127.0.0.1:80"),
            ("ISc", &socket6, "::1"),
            ("ISpc", &socket6, "[::1]:443"),
            ("M", &[0, 1, 2, 3, 4, 255], "00:01:02:03:04:ff"),
            ("MF", &[0, 1, 2, 3, 4, 255], "00-01-02-03-04-ff"),
            ("U", &uuid, "00010203-0405-0607-0809-0a0b0c0d0e0f"),
        ] {
            let text = Object::of(letters.as_bytes()).text(content, little);
            assert_eq!(text.as_deref(), Some(expected), "{letters}");
        }
        assert_eq!(Object::of(b"I4").text(&[1, 2], little), None);
        assert_eq!(Object::of(b"ISpc").text(&[7; 28], little), None);
    }
}
