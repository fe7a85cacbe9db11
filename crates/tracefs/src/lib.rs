#![doc = include_str!("../README.md")]
#![cfg(any(target_os = "linux", target_os = "android"))]
#![warn(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

pub mod atrace;
mod category;
mod clock;
mod dump;
mod elf;
mod error;
mod event_limits;
mod foreign;
mod functions;
mod guardian;
mod instance;
mod losses;
mod page_reader;
mod probes;
mod queue;
mod raw_capture;
mod recording_lock;
mod session;
mod settings;
mod spool;
mod state_file;
mod stop;
mod stream;
mod sys;
mod system_properties;
mod trace_dat;
mod tracefs;
mod undo_log;

pub use category::{Catalog, Category, Event, Listed, Origin, Support};
pub use clock::SyncPrecision;
pub use dump::dump_text;
pub use error::{CategoryError, Error};
pub use event_limits::EventLimits;
pub use instance::Instance;
pub use losses::Lost;
pub use page_reader::PageReader;
pub use probes::Probe;
pub use raw_capture::{RawCapture, spool_folder};
pub use session::{Config, Session, Warning};
pub use stop::{Ended, StopSignal};
pub use sys::Urgent;
pub use system_properties::{NoProperties, Properties};
pub use trace_dat::{DatCompression, DatHead, DatVersion};
pub use tracefs::{Mounted, Tracefs};
