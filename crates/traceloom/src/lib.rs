//! The command line of traceloom, one file a subcommand.
pub mod dmtracedump;
