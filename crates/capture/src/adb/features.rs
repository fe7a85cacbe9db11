//! The features that both the device's adbd and the server support.

/// The features that both the device's adbd and the server support.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Features(Vec<String>);

impl Features {
    /// Parses the server's answer: names separated by commas.
    pub(super) fn parse(list: &str) -> Self {
        let names = list.split(',').filter(|name| !name.is_empty());
        Self(names.map(str::to_owned).collect())
    }

    pub(super) const fn none() -> Self {
        Self(Vec::new())
    }

    /// Whether a feature is supported.
    pub fn has(&self, name: &str) -> bool {
        self.0.iter().any(|feature| feature == name)
    }

    /// Shells with separate standard output, standard error and exit status (Android 7).
    pub fn shell_v2(&self) -> bool {
        self.has("shell_v2")
    }

    /// File sizes above 4 GB (Android 8).
    pub fn stat_v2(&self) -> bool {
        self.has("stat_v2")
    }

    /// File requests with flags (Android 11).
    pub fn sendrecv_v2(&self) -> bool {
        self.has("sendrecv_v2")
    }
}
