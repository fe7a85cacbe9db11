//! Opens the user's browser.
//!
//! The URL contains the token, and every user of the machine can read command lines. Therefore the
//! browser gets a file that only this user can read, which redirects it to the URL.

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::{Command, Stdio};

use tempfile::{NamedTempFile, TempPath};

/// The file that the browser was given. It is removed when this is dropped.
pub struct Opened(#[allow(dead_code, reason = "dropped")] Option<TempPath>);

/// Opens the user's browser if there is a display. A failure is ignored: the URL was printed.
pub fn open(url: &str) -> Opened {
    let Some(command) = browser() else {
        return Opened(None);
    };
    let opened = redirect(url).and_then(|file| {
        start(command, &file)?;
        Ok(file)
    });
    Opened(opened.ok())
}

/// Writes the file. Its mode is 0600.
fn redirect(url: &str) -> io::Result<TempPath> {
    let mut builder = tempfile::Builder::new();
    builder.prefix("traceloom-").suffix(".html");
    let mut file: NamedTempFile = builder.tempfile_in(folder())?;
    write!(
        file,
        "<!DOCTYPE html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<title>traceloom</title>\n\
         <meta name=\"referrer\" content=\"no-referrer\">\n\
         <meta http-equiv=\"refresh\" content=\"0; url={url}\">\n\
         <p><a href=\"{url}\">Show the trace</a></p>\n"
    )?;
    Ok(file.into_temp_path())
}

/// The folder for files of this session, which only its user can enter; otherwise the folder for
/// temporary files.
fn folder() -> PathBuf {
    let session = std::env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from);
    let session = session.filter(|folder| folder.is_absolute() && folder.is_dir());
    session.unwrap_or_else(std::env::temp_dir)
}

fn start(mut command: Command, file: &TempPath) -> io::Result<()> {
    let mut child = command
        .arg(file)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()?;
    std::thread::spawn(move || child.wait());
    Ok(())
}

#[cfg(target_os = "macos")]
fn browser() -> Option<Command> {
    Some(Command::new("open"))
}

#[cfg(windows)]
fn browser() -> Option<Command> {
    // `start` is a built-in command of the command interpreter, which would interpret characters in
    // the path.
    let mut command = Command::new("rundll32");
    command.arg("url.dll,FileProtocolHandler");
    Some(command)
}

#[cfg(not(any(target_os = "macos", windows)))]
fn browser() -> Option<Command> {
    let display = ["WAYLAND_DISPLAY", "DISPLAY"];
    let there = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let any = display.into_iter().any(there);
    any.then(|| Command::new("xdg-open"))
}
