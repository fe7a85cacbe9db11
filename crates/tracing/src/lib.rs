//! A [`tracing`](https://docs.rs/tracing) layer that writes a program's own spans to the kernel's
//! `trace_marker`, in the words that Android's programs use. In a recording they stand above what
//! the scheduler says of the same threads.
//!
//! ```no_run
//! use tracing_subscriber::prelude::*;
//!
//! tracing_subscriber::registry()
//!     .with(traceloom_tracing::layer()?)
//!     .init();
//!
//! tracing::info_span!("decode", file = "a.png").in_scope(|| {
//!     tracing::info!(counter.queued = 3);
//! });
//! # Ok::<(), std::io::Error>(())
//! ```
//!
//! | in the program | in the trace |
//! |---|---|
//! | a span is entered and left | a slice on the thread that did (`B`, `E`) |
//! | a span with the field `async` (`async = true`) is made and closed | an async slice of the process, whichever threads enter it (`S`, `F`) |
//! | an event with fields `counter.NAME` | a value of the counter NAME (`C`) |
//! | any other event | an instant on its thread (`I`) |
//!
//! Record it with `traceloom capture --target linux sched`, as root; the program itself only needs
//! to be allowed to write `trace_marker`. While nothing is recorded an event costs a refused write.
//!
//! Spans of a thread have to be left in the reverse order of entering, as guards do by themselves:
//! an `E` ends whatever began last on its thread.

mod layer;
mod marker;
mod text;

pub use layer::MarkerLayer;
pub use marker::Marker;

/// The layer, writing to the kernel's marker.
///
/// # Errors
/// Where tracefs is not mounted, or its marker may not be written.
pub fn layer() -> std::io::Result<MarkerLayer<Marker>> {
    Ok(MarkerLayer::new(Marker::open()?))
}
