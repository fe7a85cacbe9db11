//! An output file that has no name until it is complete.

#[cfg(unix)]
use std::fs;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use tempfile::TempPath;

use crate::cleanup::DeletedOnSignal;
use crate::place::folder_of;

/// The mode of a recording. It shows what a machine did, so only its owner may read it.
pub const RECORDING: u32 = 0o600;
/// The mode of other results, as far as the umask allows.
pub const RESULT: u32 = 0o666;

/// The start of temporary names.
const PREFIX: &str = ".traceloom-";

/// A file that gets its name when it is complete. If it is dropped before, it is removed.
#[derive(Debug)]
pub struct NewFile {
    file: File,
    /// The temporary name, on file systems without unnamed files.
    name: Option<Named>,
    path: PathBuf,
}

/// A temporary name, which is removed by signals.
#[derive(Debug)]
struct Named {
    path: TempPath,
    deletion: DeletedOnSignal,
}

impl NewFile {
    /// A new file that will be at `path`, in the same folder. It is not yet visible if the file
    /// system has unnamed files. `mode` is [`RECORDING`] or [`RESULT`].
    ///
    /// # Errors
    /// If no file can be created in this folder.
    pub fn create(path: &Path, mode: u32) -> io::Result<Self> {
        let folder = folder_of(path);
        let (file, name) = match unnamed(folder, mode) {
            Some(file) => (file, None),
            None => {
                let (file, name) = named(folder, mode)?;
                (file, Some(name))
            }
        };
        if mode == RECORDING {
            give_to_caller(&file);
        }
        let path = path.to_owned();
        Ok(Self { file, name, path })
    }

    /// A new file that will be at `path`, and has a temporary name until then: for libraries that open files
    /// themselves. Otherwise like [`create`](Self::create).
    ///
    /// # Errors
    /// If no file can be created in this folder.
    pub fn create_named(path: &Path, mode: u32) -> io::Result<Self> {
        let (file, name) = named(folder_of(path), mode)?;
        let (name, path) = (Some(name), path.to_owned());
        Ok(Self { file, name, path })
    }

    /// The temporary name, if the file has one.
    pub fn temporary_name(&self) -> Option<&Path> {
        self.name.as_ref().map(|name| name.path.as_ref())
    }

    /// The file, to write to.
    pub fn file(&mut self) -> &mut File {
        &mut self.file
    }

    /// Gives the file its name. An existing file of that name is replaced.
    ///
    /// # Errors
    /// If the system refuses. The older file is then unchanged.
    pub fn persist(self) -> io::Result<()> {
        let Self { file, name, path } = self;
        match name {
            Some(Named {
                path: from,
                deletion,
            }) => {
                from.persist(&path)?;
                drop(deletion);
                Ok(())
            }
            None => link(&file, &path),
        }
    }
}

/// Gives a recording to the user who called `sudo`: only root can record a machine, but the
/// recording is for that user.
#[cfg(unix)]
fn give_to_caller(file: &File) {
    let number = |name: &str| std::env::var(name).ok()?.parse::<u32>().ok();
    // SAFETY: only returns a number.
    let is_root = unsafe { libc::geteuid() } == 0;
    if let (true, Some(user), Some(group)) = (is_root, number("SUDO_UID"), number("SUDO_GID")) {
        // If the file system has no owners, everybody can read the file anyway.
        drop(std::os::unix::fs::fchown(file, Some(user), Some(group)));
    }
}

#[cfg(not(unix))]
fn give_to_caller(_: &File) {}

/// A temporary file. It is removed when it is dropped, and by signals.
#[derive(Debug)]
pub struct Scratch {
    file: File,
    name: Option<Named>,
}

impl Scratch {
    /// An empty file, which only this user can read.
    ///
    /// # Errors
    /// If no file can be created in the folder for temporary files.
    pub fn new() -> io::Result<Self> {
        let folder = std::env::temp_dir();
        if let Some(file) = unnamed(&folder, RECORDING) {
            return Ok(Self { file, name: None });
        }
        let (file, name) = named(&folder, RECORDING)?;
        let name = Some(name);
        Ok(Self { file, name })
    }

    /// The file, to write to.
    pub fn file(&mut self) -> &mut File {
        &mut self.file
    }

    /// A path under which this program can open it.
    pub fn path(&self) -> PathBuf {
        match &self.name {
            Some(named) => named.path.to_path_buf(),
            None => own_path(&self.file),
        }
    }
}

/// Gives a file without a name, on the same file system, the name `path`, which must not exist.
///
/// # Errors
/// If the system refuses, or has no unnamed files.
pub fn give_name(file: &File, path: &Path) -> io::Result<()> {
    #[cfg(target_os = "linux")]
    return link_to(file, path);
    #[cfg(not(target_os = "linux"))]
    return link(file, path);
}

/// A file without a name. `None` if the file system does not support it or the system refuses;
/// creating the named file then gives the reason.
#[cfg(target_os = "linux")]
fn unnamed(folder: &Path, mode: u32) -> Option<File> {
    use std::os::unix::fs::OpenOptionsExt;
    let mut options = fs::OpenOptions::new();
    let options = options.read(true).write(true).mode(mode);
    let file = options.custom_flags(libc::O_TMPFILE).open(folder).ok()?;
    // Without /proc it cannot get a name.
    is_reachable(&file).then_some(file)
}

#[cfg(target_os = "linux")]
fn is_reachable(file: &File) -> bool {
    fs::symlink_metadata(own_path(file)).is_ok()
}

/// The kernel's path of an open file.
#[cfg(target_os = "linux")]
fn own_path(file: &File) -> PathBuf {
    use std::os::fd::AsRawFd;
    format!("/proc/self/fd/{}", file.as_raw_fd()).into()
}

/// Gives an unnamed file a name. A link cannot replace a file, a rename can.
#[cfg(target_os = "linux")]
fn link(file: &File, path: &Path) -> io::Result<()> {
    match link_to(file, path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
        result => return result,
    }
    for number in 0u32.. {
        let name = format!("{PREFIX}{}-{number}", std::process::id());
        let between = folder_of(path).join(name);
        let deletion = DeletedOnSignal::new(&between);
        match link_to(file, &between) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                drop(deletion);
                continue;
            }
            Err(error) => return Err(error),
            Ok(()) => {}
        }
        let renamed = fs::rename(&between, path);
        if renamed.is_err() {
            // The error to report is that of the rename.
            drop(fs::remove_file(&between));
        }
        return renamed;
    }
    Err(io::ErrorKind::AlreadyExists.into())
}

#[cfg(target_os = "linux")]
fn link_to(file: &File, path: &Path) -> io::Result<()> {
    use std::ffi::CString;
    use std::os::unix::ffi::OsStrExt;
    let text = |path: &Path| CString::new(path.as_os_str().as_bytes()).map_err(io::Error::other);
    let (from, to) = (text(&own_path(file))?, text(path)?);
    // SAFETY: both paths are C strings that live until the call returns.
    let result = unsafe {
        libc::linkat(
            libc::AT_FDCWD,
            from.as_ptr(),
            libc::AT_FDCWD,
            to.as_ptr(),
            libc::AT_SYMLINK_FOLLOW,
        )
    };
    match result {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

#[cfg(not(target_os = "linux"))]
fn unnamed(_: &Path, _: u32) -> Option<File> {
    None
}

#[cfg(not(target_os = "linux"))]
fn own_path(_: &File) -> PathBuf {
    PathBuf::new()
}

#[cfg(not(target_os = "linux"))]
fn link(_: &File, _: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// A file with a temporary name.
fn named(folder: &Path, mode: u32) -> io::Result<(File, Named)> {
    let mut temporary = tempfile::Builder::new();
    set_mode(&mut temporary, mode);
    let (file, path) = temporary.prefix(PREFIX).tempfile_in(folder)?.into_parts();
    let deletion = DeletedOnSignal::new(&path);
    Ok((file, Named { path, deletion }))
}

#[cfg(unix)]
fn set_mode(builder: &mut tempfile::Builder<'_, '_>, mode: u32) {
    use std::os::unix::fs::PermissionsExt;
    builder.permissions(fs::Permissions::from_mode(mode));
}

#[cfg(not(unix))]
fn set_mode(_: &mut tempfile::Builder<'_, '_>, _: u32) {}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::io::{BufRead, BufReader, Read};
    use std::os::unix::process::{CommandExt, ExitStatusExt};
    use std::process::{Child, Command, Stdio};

    use super::*;

    /// The folder in which the child process creates its file.
    const FOLDER: &str = "TRACELOOM_TEST_NEW_FILE";

    fn create(folder: &Path) -> io::Result<NewFile> {
        let (file, name) = named(folder, RECORDING)?;
        let path = folder.join("out");
        let name = Some(name);
        Ok(NewFile { file, name, path })
    }

    #[test]
    fn a_named_file_is_renamed_when_complete() {
        let folder = tempfile::tempdir().unwrap();
        let new = create(folder.path()).unwrap();
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        new.persist().unwrap();
        assert!(folder.path().join("out").is_file());
        drop(create(folder.path()).unwrap());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    /// The child process of the next test: holds a named file until its input ends.
    #[test]
    fn holds_a_named_file() {
        let Some(folder) = std::env::var_os(FOLDER) else {
            return;
        };
        let _new = create(Path::new(&folder)).unwrap();
        println!("\ncreated");
        std::io::stdin().read_to_end(&mut Vec::new()).unwrap();
    }

    /// Starts that process. The signal may be ignored by the parent of the tests, so its default
    /// action is restored.
    fn child(folder: &Path, signal: libc::c_int) -> Child {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command
            .args(["--exact", "new_file::tests::holds_a_named_file"])
            .arg("--nocapture")
            .env(FOLDER, folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped());
        // SAFETY: signal() is safe between fork and exec.
        unsafe {
            command.pre_exec(move || {
                libc::signal(signal, libc::SIG_DFL);
                Ok(())
            });
        }
        command.spawn().unwrap()
    }

    #[test]
    fn signals_remove_named_files() {
        for signal in [libc::SIGHUP, libc::SIGINT, libc::SIGQUIT, libc::SIGTERM] {
            let folder = tempfile::tempdir().unwrap();
            let mut child = child(folder.path(), signal);
            let out = BufReader::new(child.stdout.take().unwrap());
            let created = out.lines().any(|line| line.unwrap() == "created");
            assert!(created);
            assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
            let pid = i32::try_from(child.id()).unwrap();
            // SAFETY: a signal to a process that this test started and has not waited for.
            assert_eq!(unsafe { libc::kill(pid, signal) }, 0);
            let ended = child.wait().unwrap();
            assert_eq!(ended.signal(), Some(signal));
            assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
        }
    }
}
