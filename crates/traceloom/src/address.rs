//! Arguments that are addresses instead of paths: `file:///tmp/a.trace`, `https://example.com/a.trace`.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Replaces addresses of files on this machine by their paths.
pub(crate) fn local(args: Vec<OsString>) -> Vec<OsString> {
    let path = |arg: OsString| path_of(&arg).map_or(arg, PathBuf::into_os_string);
    args.into_iter().map(path).collect()
}

/// The path in a `file:` address, if that file exists.
fn path_of(arg: &OsString) -> Option<PathBuf> {
    let rest = without_scheme(arg.to_str()?, "file://")?;
    let rest = rest.strip_prefix("localhost").unwrap_or(rest);
    let path = PathBuf::from(unescaped(on_this_system(rest))?);
    path.exists().then_some(path)
}

/// The rest of an address, whatever the case of its scheme.
fn without_scheme<'a>(address: &'a str, scheme: &str) -> Option<&'a str> {
    let (begin, rest) = address.split_at_checked(scheme.len())?;
    begin.eq_ignore_ascii_case(scheme).then_some(rest)
}

/// Converts `/C:/a.trace` to `C:/a.trace` on Windows.
fn on_this_system(path: &str) -> &str {
    let without_slash = path.strip_prefix('/').unwrap_or(path);
    let has_drive = without_slash.as_bytes().get(1) == Some(&b':');
    if cfg!(windows) && has_drive {
        without_slash
    } else {
        path
    }
}

/// Decodes `%20`; `None` if the result is not text.
fn unescaped(path: &str) -> Option<String> {
    let mut bytes = Vec::new();
    let mut rest = path.as_bytes();
    while let [first, after @ ..] = rest {
        rest = after;
        let mut byte = *first;
        if let (b'%', [high, low, after @ ..]) = (byte, after)
            && let (Some(high), Some(low)) = (digit(*high), digit(*low))
        {
            byte = high << 4 | low;
            rest = after;
        }
        bytes.push(byte);
    }
    String::from_utf8(bytes).ok()
}

fn digit(letter: u8) -> Option<u8> {
    let value = char::from(letter).to_digit(16)?;
    u8::try_from(value).ok()
}

/// Advice for an argument that is an address of another machine's file, or of a missing one.
pub(crate) fn advice(path: &Path) -> Option<&'static str> {
    let address = path.to_str()?;
    let is = |scheme| without_scheme(address, scheme).is_some();
    if is("http://") || is("https://") {
        Some(
            "is an address, and traceloom opens only files; download it, for example with `curl -LO`",
        )
    } else if is("file://") {
        Some("there is no such file on this machine")
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_files_become_paths() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a b.trace");
        std::fs::write(&path, "").unwrap();
        let plain = path.display().to_string().replace('\\', "/");
        let root = if plain.starts_with('/') { "" } else { "/" };
        for address in [
            format!("file://{root}{}", plain.replace(' ', "%20")),
            format!("FILE://localhost{root}{plain}"),
        ] {
            assert_eq!(local(vec![address.into()]), [path.clone().into_os_string()]);
        }
        for other in [
            "file:///there/is/none",
            "http://a/b",
            "a%20b",
            "-",
            "file://",
            "é",
        ] {
            assert_eq!(local(vec![other.into()]), [OsString::from(other)]);
        }
    }

    #[test]
    fn other_addresses_are_explained() {
        let told = |text: &str| advice(Path::new(text));
        assert!(told("https://a/b.trace").unwrap().contains("download"));
        assert!(told("file:///none").unwrap().contains("no such file"));
        assert_eq!(told("http.trace"), None);
    }
}
