//! What a device's adbd and the server both know.

/// The features of a device's adbd, as far as the server knows them too.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Features(Vec<String>);

impl Features {
    /// From the server's answer: names with commas between them.
    pub(super) fn parse(list: &str) -> Self {
        let names = list.split(',').filter(|name| !name.is_empty());
        Self(names.map(str::to_owned).collect())
    }

    pub(super) const fn none() -> Self {
        Self(Vec::new())
    }

    /// Whether a feature is there.
    pub fn has(&self, name: &str) -> bool {
        self.0.iter().any(|feature| feature == name)
    }

    /// Shells whose output, errors and exit code come apart (Android 7).
    pub fn shell_v2(&self) -> bool {
        self.has("shell_v2")
    }

    /// Files beyond 4 GB have their size (Android 8).
    pub fn stat_v2(&self) -> bool {
        self.has("stat_v2")
    }

    /// Requests for files with flags (Android 11).
    pub fn sendrecv_v2(&self) -> bool {
        self.has("sendrecv_v2")
    }
}
