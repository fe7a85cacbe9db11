//! The tracing part of Android's libcutils: `trace-dev.cpp` as a shared library for this
//! machine. The property store is the environment: `debug.atrace.tags.enableflags` is the variable
//! `PROP_debug_atrace_tags_enableflags`.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

use super::source::{libraries, unpack};
use crate::run::{check, command};

/// The Debian packages that the build needs.
pub const PACKAGES: &[&str] = &[
    "clang",
    "dpkg-dev",
    "android-libbase-dev",
    "android-liblog-dev",
    "android-platform-system-core-headers",
];

/// Replaces a header of bionic. The sources use only two of its constants.
const SYSTEM_PROPERTIES: &str = "#define PROP_NAME_MAX 32\n#define PROP_VALUE_MAX 92\n";

/// The property store. It replaces the one that a daemon keeps in shared memory.
const PROPERTIES: &str = r#"
#include <cutils/properties.h>
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string>

static std::string value_of(std::string name, const char* fallback) {
  std::replace(name.begin(), name.end(), '.', '_');
  const char* value = getenv(("PROP_" + name).c_str());
  return value ? value : fallback ? fallback : "";
}

int property_get(const char* name, char* value, const char* fallback) {
  const std::string found = value_of(name, fallback).substr(0, PROPERTY_VALUE_MAX - 1);
  memcpy(value, found.c_str(), found.size() + 1);
  return static_cast<int>(found.size());
}

int8_t property_get_bool(const char* name, int8_t fallback) {
  const std::string value = value_of(name, nullptr);
  return value.empty() ? fallback : value == "1" || value == "true";
}

int32_t property_get_int32(const char* name, int32_t fallback) {
  const std::string value = value_of(name, nullptr);
  return value.empty() ? fallback : atoi(value.c_str());
}
"#;

/// Folders of headers in the source tree.
const HEADERS: &[&str] = &[
    "system/core/libcutils/include",
    "system/core/libcutils",
    "system/core/base/include",
    "system/core/include",
    "system/core/liblog/include",
];

/// Builds libcutils.so.
pub fn build() -> Result<()> {
    let library = testkit::device_part("libcutils.so");
    let folder = library.parent().context("no folder for libcutils.so")?;
    let work = folder.join("libcutils-source");
    fs::create_dir_all(work.join("sys"))?;
    let tree = unpack("android-platform-tools", folder)?;
    fs::write(work.join("sys/system_properties.h"), SYSTEM_PROPERTIES)?;
    fs::write(work.join("properties.cpp"), PROPERTIES)?;
    // A temporary name until it is complete: a file of the final name counts as built.
    let whole = folder.join("libcutils.so.new");
    compile(&tree, &work, &whole)?;
    fs::rename(whole, library)?;
    Ok(())
}

fn compile(tree: &Path, work: &Path, library: &Path) -> Result<()> {
    let libraries = libraries()?;
    let flags = ["-std=gnu++2b", "-O2", "-fPIC", "-shared", "-w"];
    let mut clang = command("clang++", &flags);
    clang
        .arg("-D_GNU_SOURCE")
        .arg(format!("-I{}", work.display()));
    for headers in HEADERS {
        clang.arg(format!("-I{}", tree.join(headers).display()));
    }
    clang.arg("-I/usr/include/android");
    clang.arg(tree.join("system/core/libcutils/trace-dev.cpp"));
    clang.arg(work.join("properties.cpp"));
    clang.arg("-o").arg(library).arg("-Wl,-soname,libcutils.so");
    clang.arg(format!("-L{}", libraries.display()));
    clang.arg(format!("-Wl,-rpath={}", libraries.display()));
    clang.args(["-llog", "-lbase"]);
    check(clang)
}
