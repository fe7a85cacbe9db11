//! Android's atrace for this machine, without Binder, HALs and PDX. The property store is the folder
//! `$ATRACE_PROPERTIES`, with one file per property.

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
    "android-libcutils-dev",
    "android-liblog-dev",
    "android-libutils-dev",
    "android-platform-system-core-headers",
    "zlib1g-dev",
];

/// The property store. It replaces that of libbase, which loses everything when the process ends.
const PROPERTIES: &str = r#"
#include <android-base/properties.h>
#include <cstdlib>
#include <fstream>
#include <iterator>

static std::string file_of(const std::string& name) {
  const char* folder = getenv("ATRACE_PROPERTIES");
  return std::string(folder ? folder : "/nowhere") + "/" + name;
}

namespace android {
namespace base {
std::string GetProperty(const std::string& name, const std::string& fallback) {
  std::ifstream file(file_of(name));
  std::string value((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  return value.empty() ? fallback : value;
}
bool SetProperty(const std::string& name, const std::string& value) {
  std::ofstream file(file_of(name));
  file << value;
  return true;
}
}  // namespace base
}  // namespace android
"#;

/// Prepended to the program's source: replaces what the removed headers included.
const PRELUDE: &str =
    "#include <string>\n#include <vector>\n#define LOG_TAG \"atrace\"\n#include <log/log.h>\n";

/// Functions that communicate with other processes of a device, and the bodies that replace theirs.
const CUT: &[(&str, &str)] = &[
    ("bool pokeBinderServices()", "return true;"),
    ("void pokeHalServices()", ""),
    ("void initVendorCategories()", ""),
    ("bool setUpVendorTracing()", "return true;"),
    ("bool cleanUpVendorTracing()", "return true;"),
];

/// Builds atrace.
pub fn build() -> Result<()> {
    let program = testkit::device_part("atrace");
    let folder = program.parent().context("no folder for atrace")?;
    let work = folder.join("atrace-source");
    fs::create_dir_all(&work)?;
    let tree = unpack("android-platform-tools", folder)?;
    let original = fs::read_to_string(tree.join("frameworks/native/cmds/atrace/atrace.cpp"))?;
    fs::write(work.join("atrace.cpp"), adapted(&original)?)?;
    fs::write(work.join("properties.cpp"), PROPERTIES)?;
    // A temporary name until it is complete: a file of the final name counts as built.
    let whole = folder.join("atrace.new");
    compile(&tree, &work, &whole)?;
    fs::rename(whole, program)?;
    Ok(())
}

fn adapted(original: &str) -> Result<String> {
    let foreign = [
        "binder/",
        "android/hardware/",
        "android/hidl/",
        "hidl/",
        "pdx/",
    ];
    let keep = |line: &&str| {
        let header = line.strip_prefix("#include <");
        let is_foreign =
            header.is_some_and(|header| foreign.iter().any(|at| header.starts_with(at)));
        let names = line.starts_with("using pdx::") || line.starts_with("using hardware::");
        !is_foreign && !names && !line.starts_with("static sp<IAtraceDevice>")
    };
    let kept: String = original
        .lines()
        .filter(keep)
        .map(|line| format!("{line}\n"))
        .collect();
    // The source passes an open mode of the C library to the C++ library, where this value (0) opens nothing.
    let mut text = kept.replace(
        "k_traceClockPath).c_str(), O_RDONLY)",
        "k_traceClockPath).c_str())",
    );
    text = text.replace("ServiceUtility::PokeServices()", "true");
    for (function, body) in CUT {
        text = with_body(&text, function, body)
            .with_context(|| format!("no {function} in atrace.cpp"))?;
    }
    Ok(format!("{PRELUDE}{text}"))
}

/// The source with another body for a function.
fn with_body(text: &str, function: &str, body: &str) -> Option<String> {
    let places = text.match_indices(function);
    let opens = |(at, _): (usize, &str)| {
        let behind = at + function.len();
        let brace = behind + text[behind..].find('{')?;
        text[behind..brace].trim().is_empty().then_some(brace + 1)
    };
    let begin = places.into_iter().find_map(opens)?;
    let mut depth = 1;
    for (at, letter) in text[begin..].char_indices() {
        match letter {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(format!("{}{body}{}", &text[..begin], &text[begin + at..]));
        }
    }
    None
}

fn compile(tree: &Path, work: &Path, program: &Path) -> Result<()> {
    let libraries = libraries()?;
    let mut clang = command("clang++", &["-std=gnu++2a", "-O1", "-w", "-D_GNU_SOURCE"]);
    clang.arg("-I/usr/include/android");
    for headers in ["", "base/", "libutils/", "libcutils/", "liblog/"] {
        let folder = tree.join(format!("system/core/{headers}include"));
        clang.arg(format!("-I{}", folder.display()));
    }
    clang.args([work.join("atrace.cpp"), work.join("properties.cpp")]);
    clang
        .arg("-o")
        .arg(program)
        .arg(format!("-L{}", libraries.display()));
    clang.arg(format!("-Wl,-rpath={}", libraries.display()));
    clang.args(["-lutils", "-lcutils", "-lbase", "-llog", "-lz"]);
    check(clang)
}

#[cfg(test)]
mod tests {
    use super::with_body;

    #[test]
    fn a_body_is_replaced_and_a_declaration_is_not() {
        let text = "static bool f();\nstatic bool f() {\n if (x) { y(); }\n}\nint g() {}\n";
        let cut = with_body(text, "bool f()", "return true;").unwrap();
        assert_eq!(
            cut,
            "static bool f();\nstatic bool f() {return true;}\nint g() {}\n"
        );
        assert_eq!(with_body(text, "bool h()", ""), None);
    }
}
