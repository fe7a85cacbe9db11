//! adbd, the daemon that runs on a device and talks to adb.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

use super::source::{compile, libraries, patch, unpack};
use crate::run::{check, command};

/// The Debian packages that the build needs.
pub const PACKAGES: &[&str] = &[
    "adb",
    "clang",
    "dpkg-dev",
    "android-libbase-dev",
    "android-libcutils-dev",
    "android-liblog-dev",
    "android-libboringssl-dev",
    "android-platform-system-core-headers",
    "libcap-dev",
];

/// The sources, below `system/core/adb`.
const DAEMON: &[&str] = &[
    "adb.cpp",
    "adb_io.cpp",
    "adb_listeners.cpp",
    "adb_trace.cpp",
    "adb_unique_fd.cpp",
    "adb_utils.cpp",
    "adbconnection/adbconnection_server.cpp",
    "daemon/auth.cpp",
    "daemon/file_sync_service.cpp",
    "daemon/jdwp_service.cpp",
    "daemon/main.cpp",
    "daemon/services.cpp",
    "daemon/shell_service.cpp",
    "daemon/usb_dummy.cpp",
    "fdevent/fdevent.cpp",
    "fdevent/fdevent_epoll.cpp",
    "fdevent/fdevent_poll.cpp",
    "services.cpp",
    "shell_service_protocol.cpp",
    "socket_spec.cpp",
    "sockets.cpp",
    "sysdeps/errno.cpp",
    "sysdeps/posix/network.cpp",
    "sysdeps_unix.cpp",
    "transport.cpp",
    "transport_fd.cpp",
    "transport_local.cpp",
    "transport_usb.cpp",
    "types.cpp",
];

const OTHERS: &[&str] = &[
    "frameworks/native/libs/adbd_auth/adbd_auth.cpp",
    "system/core/diagnose_usb/diagnose_usb.cpp",
    "system/core/libasyncio/AsyncIO.cpp",
    "system/core/libcrypto_utils/android_pubkey.c",
];

/// Compiler flags. adbd runs as root and without keys, because it only serves tests on loopback.
const FLAGS: &[&str] = &[
    "-O1",
    "-fPIC",
    "-w",
    "-D_GNU_SOURCE",
    "-D_FILE_OFFSET_BITS=64",
    "-DADB_HOST=0",
    "-DALLOW_ADBD_ROOT=1",
    "-DALLOW_ADBD_NO_AUTH",
    "-DADB_VERSION=\"29.0.6-host\"",
    "-DPLATFORM_TOOLS_VERSION=\"29.0.6\"",
    "-DANDROID_BASE_UNIQUE_FD_DISABLE_IMPLICIT_CONVERSION=1",
    "-I/usr/include/android",
    "-Isystem/core/adb",
    "-Isystem/core/adb/daemon/include",
    "-Isystem/core/adb/adbconnection/include",
    "-Isystem/core/base/include",
    "-Isystem/core/include",
    "-Isystem/core/libasyncio/include",
    "-Isystem/core/diagnose_usb/include",
    "-Isystem/core/libcrypto_utils/include",
    "-Isystem/core/libcutils/include",
    "-Isystem/core/liblog/include",
    "-Iframeworks/native/libs/adbd_auth/include",
];

const LIBRARIES: &[&str] = &[
    "-lbase",
    "-lcutils",
    "-llog",
    "-lcrypto",
    "-lcap",
    "-lresolv",
    "-lutil",
    "-lpthread",
];

/// Builds adbd.
pub fn build() -> Result<()> {
    let program = testkit::device_part("adbd");
    let folder = program.parent().context("no folder for adbd")?;
    fs::create_dir_all(folder)?;
    let src = unpack("android-platform-tools", folder)?;
    patch_for_here(&src.join("system/core/adb"))?;
    let daemon: Vec<_> = DAEMON
        .iter()
        .map(|file| format!("system/core/adb/{file}"))
        .collect();
    let sources: Vec<_> = daemon
        .iter()
        .map(String::as_str)
        .chain(OTHERS.iter().copied())
        .collect();
    let objects = compile(&src, &sources, FLAGS, &folder.join("adbd-objects"))?;
    // A temporary name until it is complete: a file of the final name counts as built.
    let whole = folder.join("adbd.new");
    let libraries = libraries()?;
    let mut link = command("clang++", &["-o"]);
    link.arg(&whole).args(objects);
    link.arg(format!("-L{0}", libraries.display()));
    link.arg(format!("-Wl,-rpath={}", libraries.display()));
    check({
        link.args(LIBRARIES);
        link
    })?;
    fs::rename(whole, program)?;
    Ok(())
}

/// Changes two places in the source. The environment variable `ADBD_LISTEN_ADDRS` sets where adbd listens, because there
/// are no properties. An errno of an earlier call does not count as a failure to listen.
fn patch_for_here(adb: &Path) -> Result<()> {
    let asked =
        "std::string prop_addr = android::base::GetProperty(\"service.adb.listen_addrs\", \"\");";
    let or_environment =
        format!("{asked} if (const char* here = getenv(\"ADBD_LISTEN_ADDRS\")) prop_addr = here;");
    patch(&adb.join("daemon/main.cpp"), asked, &or_environment)?;
    let stale = "errno == EAFNOSUPPORT || errno == EINVAL || errno == EPROTONOSUPPORT";
    patch(
        &adb.join("transport_local.cpp"),
        &format!("if ({stale})"),
        &format!("if (serverfd == -1 && ({stale}))"),
    )
}
