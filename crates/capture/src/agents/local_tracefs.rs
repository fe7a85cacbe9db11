//! The tracefs of this machine.

use std::fs::{self, File};
use std::io;
use std::path::Path;
use std::process::Command;

use traceloom_tracefs::Mounted;

use crate::error::{CaptureError, Result};

/// Finds the tracefs of this machine. Tries to mount it if it is not mounted, which needs root.
///
/// # Errors
/// [`CaptureError::NeedsRoot`]; [`CaptureError::Tracefs`] if the kernel has no tracefs.
pub fn local_tracefs() -> Result<Mounted> {
    let places = Mounted::PLACES.map(Path::new);
    if !places.iter().any(|place| place.join("trace").exists()) && places[0].is_dir() {
        let mut mount = Command::new("mount");
        // If it fails, `Mounted::find` reports the missing tracefs.
        _ = mount
            .args(["-t", "tracefs", "nodev"])
            .arg(places[0])
            .output();
    }
    for place in places {
        let access = check_access(place);
        if access.is_err_and(|error| error.kind() == io::ErrorKind::PermissionDenied) {
            return Err(CaptureError::NeedsRoot {
                path: place.display().to_string(),
            });
        }
    }
    Ok(Mounted::find()?)
}

/// Fails if this user has no permission to read or change the settings.
fn check_access(place: &Path) -> io::Result<()> {
    fs::read_dir(place)?;
    match File::options().write(true).open(place.join("tracing_on")) {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => Err(error),
        _ => Ok(()),
    }
}
