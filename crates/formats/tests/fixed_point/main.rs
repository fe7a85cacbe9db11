//! Text that is written from tables reads back as the same tables, and these are written as the same text:
//!
//! ```text
//! file ─ read ─> tables 1 ─ write ─> text 1 ─ read ─> tables 2 ─ write ─> text 2
//!                   └────────── equal ───────────────────┘                  │
//!                                      └───────────── equal ────────────────┘
//! ```
//! Tables are compared by content: string ids and row numbers are replaced by what they refer to. Sources, repairs and
//! facts about the text itself are not compared: text 1 is a new file that needs fewer repairs.

mod content;
mod dumps;
mod made;
mod made_events;
mod pairs;
mod real;
mod trip;
