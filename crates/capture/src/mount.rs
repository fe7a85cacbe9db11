//! The tracefs of this machine.

use std::fs::{self, File};
use std::io;
use std::path::Path;

use traceloom_tracefs::Mounted;

use crate::error::{CaptureError, Result};

/// Where it is, and where older kernels had it.
const PLACES: [&str; 2] = ["/sys/kernel/tracing", "/sys/kernel/debug/tracing"];

/// The tracefs of this machine. Where it is not mounted and this is root, it is mounted, as most
/// systems do when they start.
///
/// # Errors
/// [`CaptureError::NeedsRoot`]; those of tracefs where the kernel has none.
pub fn tracefs() -> Result<Mounted> {
    let is_there = || {
        PLACES
            .into_iter()
            .any(|place| Path::new(place).join("trace").exists())
    };
    if !is_there() && Path::new(PLACES[0]).is_dir() {
        // Who may not mount it is told below.
        _ = mount(PLACES[0]);
    }
    for place in PLACES.map(Path::new) {
        let may = may_record(place);
        if may.is_err_and(|error| error.kind() == io::ErrorKind::PermissionDenied) {
            return Err(CaptureError::NeedsRoot {
                path: place.display().to_string(),
            });
        }
    }
    Ok(Mounted::find()?)
}

/// Whether this user may see the settings and change them.
fn may_record(place: &Path) -> io::Result<()> {
    fs::read_dir(place)?;
    match File::options().write(true).open(place.join("tracing_on")) {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => Err(error),
        _ => Ok(()),
    }
}

fn mount(place: &str) -> io::Result<()> {
    let arguments = ["-t", "tracefs", "nodev", place];
    std::process::Command::new("mount")
        .args(arguments)
        .output()
        .map(drop)
}
