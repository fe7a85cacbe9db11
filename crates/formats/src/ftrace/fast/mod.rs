//! The fast path of the tokenizer.
//!
//! The **reference** is one general rule for each part of a line. It handles everything that
//! kernels and tools print: [`prefix`](super::prefix) parses the columns,
//! [`payload`](super::payload) the payloads of scheduler events, and [`fields`](super::fields)
//! those of all other events.
//!
//! However, nearly all lines resemble earlier lines, so most of that work would be repeated. The
//! fast path recognises three cases and leaves everything else to the reference:
//!
//! ```text
//!  com.example.app-1412    (   1412) [003] .....  4977.000029: ext4_da_write_end: dev 254,0
//! └──── name ────┘ └ tid ─┘└─ tgid ─┘└cpu─┘└flags┘└── time ──┘ └──── event ─────┘ └payload┘
//! └──── who: task_cache, columns ───┘└──── when: columns ────┘                    └─shapes┘
//! ```
//! - [`columns`] parses the columns where the kernel's `%16s` puts them, eight bytes at a time.
//! - [`task_cache`] recognises texts that name a thread (the columns up to the CPU, and tasks within
//!   scheduler events) by comparing bytes with those seen before in the batch.
//! - [`shapes`] remembers the keys of each event and compares the text between the values.
//!
//! Each of them returns `None` (or "not found") unless it is certain, and its results equal those
//! of the reference. Three kinds of tests check this: property tests compare [`columns`] and
//! [`shapes`] with the reference on lines whose bytes are replaced, removed and doubled; the tests
//! of the tokenizer compare batches of such lines with the same lines parsed one by one, where no
//! cache can help; the corpus tests read real traces.

mod columns;
mod shapes;
mod task_cache;

pub(super) use columns::{LineHead, When, Who, cache_key, prefix, when, who};
pub(super) use shapes::Shapes;
pub(super) use task_cache::TaskCache;
