//! Tests of whole traces, made field by field.
