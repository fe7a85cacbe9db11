//! Categories: named sets of user space tags and kernel events.

mod builtin;
mod catalog;
mod definition;
mod user;
mod vendor;

pub use catalog::{Catalog, Listed};
pub(crate) use definition::{CORE_SERVICES, CORE_SERVICES_PROPERTY};
pub use definition::{Category, Event, Origin, Support};
