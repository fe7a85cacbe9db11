//! Linker options of the library for apps.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let os = std::env::var("CARGO_CFG_TARGET_OS").unwrap_or_default();
    if os == "linux" || os == "android" {
        // The name by which apps load the library.
        println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,libtraceloom.so");
        // Devices with 16 KB pages reject libraries with a smaller alignment.
        println!("cargo:rustc-cdylib-link-arg=-Wl,-z,max-page-size=16384");
    }
}
