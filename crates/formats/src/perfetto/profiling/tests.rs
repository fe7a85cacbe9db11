//! Tests of whole traces with profiles.
