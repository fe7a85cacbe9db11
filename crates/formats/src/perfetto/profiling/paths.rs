//! The packages of mapped files.

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
}
