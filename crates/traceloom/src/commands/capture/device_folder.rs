//! The folder on the device for files of a recording.

/// A folder on the device to use instead of the default, for tests.
pub fn device_folder() -> Option<String> {
    std::env::var("TRACELOOM_DEVICE_FOLDER").ok()
}
