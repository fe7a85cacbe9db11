//! Paths of mapped files, their build ids, and their packages.

use std::fmt::Write;

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
    let mut digits = String::with_capacity(2 * raw.len());
    for byte in raw {
        let _ = write!(digits, "{byte:02x}");
    }
    digits
}

/// System apps by path prefix.
const SYSTEM_APPS: &[(&str, &str)] = &[
    (
        "/system_ext/priv-app/SystemUIGoogle/SystemUIGoogle.apk",
        "com.android.systemui",
    ),
    (
        "/product/priv-app/Phonesky/Phonesky.apk",
        "com.android.vending",
    ),
    ("/product/app/Maps/Maps.apk", "com.google.android.apps.maps"),
    (
        "/system_ext/priv-app/NexusLauncherRelease/NexusLauncherRelease.apk",
        "com.google.android.apps.nexuslauncher",
    ),
    (
        "/product/app/Photos/Photos.apk",
        "com.google.android.apps.photos",
    ),
    (
        "/product/priv-app/WellbeingPrebuilt/WellbeingPrebuilt.apk",
        "com.google.android.apps.wellbeing",
    ),
    (
        "/product/app/PrebuiltGmail/PrebuiltGmail.apk",
        "com.google.android.gm",
    ),
    (
        "/product/priv-app/Velvet/Velvet.apk",
        "com.google.android.googlequicksearchbox",
    ),
    (
        "/product/app/LatinIMEGooglePrebuilt/LatinIMEGooglePrebuilt.apk",
        "com.google.android.inputmethod.latin",
    ),
    (
        "/product/app/PrebuiltBugle/PrebuiltBugle.apk",
        "com.google.android.apps.messaging",
    ),
];

/// System apps by a part of the path.
const NAMED_APPS: &[(&str, &str)] = &[
    ("DevicePersonalizationPrebuilt", "com.google.android.as"),
    ("MatchMaker", "com.google.android.as"),
    (
        "DeviceIntelligenceNetworkPrebuilt",
        "com.google.android.as.oss",
    ),
    (
        "SettingsIntelligenceGooglePrebuilt",
        "com.google.android.settings.intelligence",
    ),
    ("PrebuiltGmsCore", "com.google.android.gms"),
    ("com.google.android.gms", "com.google.android.gms"),
];

/// The package to which the code at a path belongs.
pub(super) fn package(path: &str) -> Option<&str> {
    const IN_MEMORY: &str = "dex extracted in memory from /data/app/";
    let of_system = SYSTEM_APPS
        .iter()
        .find(|(start, _)| path.starts_with(start));
    let named = || NAMED_APPS.iter().find(|(part, _)| path.contains(part));
    if let Some((_, package)) = of_system.or_else(named) {
        return Some(package);
    }
    let in_memory = || Some(path.split_once(IN_MEMORY)?.1);
    installed(path.strip_prefix("/data/app/").or_else(in_memory)?)
}

/// The package of `PACKAGE-RANDOM/base.apk`. Since Android 11, this is inside a folder that begins with `~~`.
fn installed(path: &str) -> Option<&str> {
    let path = match path.strip_prefix('~') {
        Some(path) => path.split_once('/')?.1,
        None => path,
    };
    let (folder, _) = path.split_once('/')?;
    Some(folder.split_once('-')?.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_of_paths() {
        let cases = [
            ("/data/app/org.example-Xy==/base.apk", Some("org.example")),
            (
                "/data/app/~~Ab==/org.example-Xy==/base.apk",
                Some("org.example"),
            ),
            (
                "[anon:dalvik-classes2.dex extracted in memory from /data/app/org.example-1/base.apk]",
                Some("org.example"),
            ),
            (
                "/product/app/Maps/Maps.apk!classes.dex",
                Some("com.google.android.apps.maps"),
            ),
            ("/system/lib64/libc.so", None),
            ("/data/app/broken", None),
        ];
        for (path, expected) in cases {
            assert_eq!(package(path), expected, "{path}");
        }
    }

    #[test]
    fn paths_and_build_ids() {
        assert_eq!(joined(&[b"system", b"lib.so"]), b"/system/lib.so");
        assert_eq!(joined(&[b"/whole/path"]), b"/whole/path");
        assert_eq!(build_id(&[0x0a, 0xff]), "0aff");
        assert_eq!(build_id(&[b'7'; 33]), "7".repeat(33));
    }
}
