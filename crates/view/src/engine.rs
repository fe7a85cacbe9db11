//! The engine inside a report: `traceloom-engine` as WebAssembly, made by the build script.

/// Gzipped WebAssembly; empty if the build could not compile it.
const ENGINE: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/engine.wasm.gz"));

/// Whether this build can write reports. Builds without Rust's WebAssembly target cannot.
pub fn has_engine() -> bool {
    engine().is_some()
}

/// The engine, gzipped. `TRACELOOM_NO_ENGINE` hides it from tests of debug builds.
pub(crate) fn engine() -> Option<&'static [u8]> {
    let hidden = cfg!(debug_assertions) && std::env::var_os("TRACELOOM_NO_ENGINE").is_some();
    (!hidden && !ENGINE.is_empty()).then_some(ENGINE)
}
