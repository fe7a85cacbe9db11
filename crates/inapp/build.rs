//! How the library for apps is linked.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let os = std::env::var("CARGO_CFG_TARGET_OS").unwrap_or_default();
    if os == "linux" || os == "android" {
        // What apps load it by, whatever cargo calls the file.
        println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,libtraceloom.so");
        // Devices with pages of 16 KB refuse libraries that are aligned to less.
        println!("cargo:rustc-cdylib-link-arg=-Wl,-z,max-page-size=16384");
    }
}
