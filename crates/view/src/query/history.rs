//! Stores the queries that a user typed.

/// Remembers queries. The program keeps one history for the page and the prompt.
pub trait History: Send + Sync {
    /// The queries, the oldest first; empty if they cannot be read.
    fn list(&self) -> Vec<String>;

    /// Adds a query. Nothing happens if that is impossible.
    fn add(&self, sql: &str);
}
