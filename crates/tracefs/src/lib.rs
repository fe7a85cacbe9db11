//! Records on Linux and Android devices through tracefs: what atrace does, as a library, and the
//! program [`atrace`](atrace::run) itself.
//!
//! ```no_run
//! use std::time::Duration;
//! use traceloom_tracefs::{Catalog, Config, Mounted, NoProperties, Session, dump_text};
//!
//! # fn main() -> Result<(), traceloom_tracefs::Error> {
//! let tree = Mounted::find()?;
//! let catalog = Catalog::of_device()?;
//! let names = ["sched".to_owned(), "irq".to_owned()];
//! let (categories, _not_here) = catalog.choose(&names, &tree, &NoProperties);
//! let config = Config { categories, ..Config::default() };
//!
//! let mut session = Session::start(&tree, &NoProperties, &catalog, &config)?;
//! std::thread::sleep(Duration::from_secs(1));
//! session.stop()?;
//! let mut text = Vec::new();
//! dump_text(&*session.tree(), &mut text)?;
//! session.restore();
//! # Ok(())
//! # }
//! ```
//!
//! Every setting is as before when a [`Session`] ends: after success, an error, a panic, and after
//! the process was killed, which a small guardian process watches for.
#![cfg(any(target_os = "linux", target_os = "android"))]

pub mod atrace;
mod category;
mod clock;
mod dump;
mod error;
mod functions;
mod guardian;
mod properties;
mod raw;
mod session;
mod settings;
mod state;
mod stop;
mod sys;
mod trace_dat;
mod tree;
mod turn;
mod undo;

pub use category::{Catalog, Category, Event, Listed, Origin, Support};
pub use clock::SyncPrecision;
pub use dump::{dump_compressed, dump_text, stream_rest, stream_text};
pub use error::{CategoryError, Error};
pub use properties::{DeviceProperties, NoProperties, Properties};
pub use raw::{RawCapture, spool_folder};
pub use session::{Config, Session, Warning};
pub use stop::{Ended, Stop};
pub use trace_dat::{DatCompression, DatVersion};
pub use tree::{Instance, Mounted, Tracefs};
