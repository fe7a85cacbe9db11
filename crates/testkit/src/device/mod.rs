//! Parts of a real Android device, built for this machine.

#[cfg(unix)]
mod loopback;

#[cfg(unix)]
pub use loopback::Loopback;

use std::env;
use std::path::PathBuf;

/// Path of a part that `cargo xtask device` builds, such as `adbd`: below `TRACELOOM_DEVICE`, else in the user's cache. The
/// file may not exist.
pub fn device_part(name: &str) -> PathBuf {
    let given = |name: &str| env::var_os(name).filter(|value| !value.is_empty());
    if let Some(folder) = given("TRACELOOM_DEVICE") {
        return PathBuf::from(folder).join(name);
    }
    let home = || PathBuf::from(given("HOME").unwrap_or_else(|| "/root".into())).join(".cache");
    let cache = given("XDG_CACHE_HOME").map_or_else(home, PathBuf::from);
    cache.join("traceloom/device").join(name)
}
