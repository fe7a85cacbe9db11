//! Text that is written from tables reads back as the same tables, and these are written as the same text:
//!
//! ```text
//! file ─ read ─> tables 1 ─ write ─> text 1 ─ read ─> tables 2 ─ write ─> text 2
//!                   └────────── equal ───────────────────┘                  │
//!                                      └───────────── equal ────────────────┘
//! ```
//! Tables are compared by content: ids of strings and numbers of rows are replaced by what they stand for. Sources,
//! repairs and facts about the text itself are not compared: text 1 is a file of its own, which needs fewer repairs.

mod content;
mod dumps;
mod made;
mod made_events;
mod pairs;
mod real;
mod trip;
