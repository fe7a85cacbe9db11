//! dmtracedump's successor.
