//! The columnar trace model.
