//! Files of code: the path and the build id of a mapping.

use super::wire::Fields;
use crate::hex::hex;

/// Fields of `InternedData`.
const BUILD_IDS: u32 = 16;
const PATHS: u32 = 17;

/// The path and the build id of a `Mapping`. `text` returns an interned text of a field of `InternedData`.
pub(super) fn mapped_file<'a>(
    mapping: Fields<'a>,
    text: impl Fn(u32, u64) -> Option<&'a [u8]>,
) -> Option<(Vec<u8>, String)> {
    let (mut build, mut paths) = (0, Vec::new());
    for field in mapping {
        match field.number {
            2 => build = field.uint(),
            7 => paths.extend(field.numbers()),
            _ => {}
        }
    }
    let build = match build {
        0 => &[][..],
        iid => text(BUILD_IDS, iid)?,
    };
    let parts = paths.iter().map_while(|path| text(PATHS, *path));
    let parts: Vec<&[u8]> = parts.collect();
    Some((joined(&parts), build_id(build)))
}

/// Joins the parts of a path. Chrome writes the whole path as a single part.
pub(super) fn joined(parts: &[&[u8]]) -> Vec<u8> {
    let mut path = Vec::new();
    for part in parts {
        path.push(b'/');
        path.extend_from_slice(part);
    }
    if path.starts_with(b"//") {
        path.remove(0);
    }
    path
}

/// The length of the build ids of old versions of Chrome, which are already hexadecimal digits.
const CHROME_DIGITS: usize = 33;

/// A build id as hexadecimal digits.
pub(super) fn build_id(raw: &[u8]) -> String {
    if raw.len() == CHROME_DIGITS {
        return String::from_utf8_lossy(raw).into_owned();
    }
    hex(raw)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_and_build_ids() {
        assert_eq!(joined(&[b"system", b"lib.so"]), b"/system/lib.so");
        assert_eq!(joined(&[b"/whole/path"]), b"/whole/path");
        assert_eq!(build_id(&[0x0a, 0xff]), "0aff");
        assert_eq!(build_id(&[b'7'; 33]), "7".repeat(33));
    }
}
