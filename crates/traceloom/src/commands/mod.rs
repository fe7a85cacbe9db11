//! The subcommands, one file each.

pub mod info;
pub mod profile;
