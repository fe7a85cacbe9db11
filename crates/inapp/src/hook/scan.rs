//! Walking the libraries and deciding which words to change.

use std::collections::BTreeMap;
use std::ffi::{CString, c_char};
use std::io;
use std::sync::Once;

use super::lock::Lock;
use super::marker;
use super::options::{Libraries, Options, Removed, Report};
use super::replacements::{Function, is_known_original};
use super::slots::{self, Slot};
use crate::elf::{Binding, Import, WORD};
use crate::loaded::{self, Library};

static STATE: Lock<State> = Lock::new(State {
    settings: None,
    slots: BTreeMap::new(),
    seen: None,
    tries: 0,
});

/// Number of walks to try for libraries that the linker seems not to have finished.
const TRIES: u8 = 4;

/// The settings and the changed words of the hooks.
struct State {
    /// `None` while no hook is installed.
    settings: Option<Settings>,
    /// The changed words by address.
    slots: BTreeMap<usize, Slot>,
    /// The generation of loaded libraries at the last walk.
    seen: Option<u64>,
    /// Number of walks left for that generation, if something was unfinished.
    tries: u8,
}

/// The replacement functions.
#[derive(Clone, Copy)]
pub struct Replacements {
    /// Whether there are replacements for the linker's functions.
    pub watches_loads: bool,
    /// The replacement for the function at an address. The last argument is whether the calling library is trusted.
    pub for_function: fn(Function, usize, bool) -> Option<usize>,
    /// Whether an address is that of a replacement.
    pub is_one: fn(usize) -> bool,
}

#[derive(Clone)]
struct Settings {
    libraries: Libraries,
    replacements: Replacements,
    functions: Vec<Target>,
}

/// A function to replace.
#[derive(Clone, Copy)]
struct Target {
    function: Function,
    /// Its address, for words that are not bound yet; 0 if the process has no such function.
    address: usize,
}

/// Begins hooking; `None` if this process already has a hook. With `waits`, the functions in which threads wait are
/// hooked too.
pub fn begin(options: &Options, waits: bool, replacements: Replacements) -> Option<()> {
    lock_over_forks();
    let watches_loads = options.watch_loads && replacements.watches_loads;
    let wanted = |function: &Function| {
        (!function.is_linkers() || watches_loads) && (!function.is_wait() || waits)
    };
    let functions = Function::ALL.into_iter().filter(wanted);
    // Looked up before the walk, because `dlsym` takes a lock of the linker that the walk must not wait for.
    let functions = functions.map(Target::look_up).collect();
    let mut state = STATE.lock();
    if state.settings.is_some() {
        return None;
    }
    state.seen = None;
    state.settings = Some(Settings {
        libraries: options.libraries.clone(),
        replacements,
        functions,
    });
    Some(())
}

/// Holds the lock during each fork, so that the child finds it free and the state consistent.
fn lock_over_forks() {
    static ONCE: Once = Once::new();
    unsafe extern "C" fn before() {
        STATE.acquire();
    }
    unsafe extern "C" fn after() {
        STATE.release();
    }
    // SAFETY: the handlers only use a static lock, and this crate's library is never unloaded once it has hooked another.
    ONCE.call_once(|| unsafe {
        libc::pthread_atfork(Some(before), Some(after), Some(after));
    });
}

impl Target {
    fn look_up(function: Function) -> Self {
        let name = CString::new(function.name()).unwrap_or_default();
        // SAFETY: the name is a C string.
        let address = unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr().cast::<c_char>()) };
        Self {
            function,
            address: address.expose_provenance(),
        }
    }
}

/// Walks the libraries if any were loaded or unloaded since the last walk. Errors are ignored: the caller was calling the
/// linker, and cannot handle them.
pub fn scan_if_changed() {
    if STATE.is_mine() {
        return;
    }
    let now = loaded::generation();
    let state = STATE.lock();
    let done = state.settings.is_none() || (state.seen == Some(now) && state.tries == 0);
    drop(state);
    if !done {
        scan().ok();
    }
}

/// Walks all libraries and changes the words that lead to a function to replace.
///
/// # Errors
///
/// If `/proc/self/maps` cannot be read.
pub fn scan() -> io::Result<Report> {
    let generation = loaded::generation();
    marker::find_markers();
    let mut report = Report::default();
    loaded::each_library(&mut |library| {
        let mut state = STATE.lock();
        let Some(settings) = state.settings.clone() else {
            return;
        };
        if settings.wants(library) {
            report.libraries += 1;
            hook(library, &settings, &mut state.slots, &mut report);
        }
    })?;
    let mut state = STATE.lock();
    let again = state.seen == Some(generation);
    state.tries = match report.unfinished {
        0 => 0,
        _ if again => state.tries.saturating_sub(1),
        _ => TRIES,
    };
    state.seen = Some(generation);
    Ok(report)
}

impl Settings {
    fn wants(&self, library: &Library) -> bool {
        let named = match &self.libraries {
            Libraries::All => true,
            Libraries::Named(names) => names.iter().any(|name| library.is_called(name)),
        };
        named && !library.is_ours()
    }
}

fn hook(
    library: &Library,
    settings: &Settings,
    slots: &mut BTreeMap<usize, Slot>,
    report: &mut Report,
) {
    let trusted = crate::platform::MARKER_VARIABLES.iter();
    let trusted = trusted
        .map(|name| name.as_bytes())
        .any(|name| library.image.definition(name).is_some());
    let walked = library.image.each_import(|import| {
        let Some(symbol) = library.image.symbol(import.symbol) else {
            return;
        };
        let has_name = |target: &&Target| library.image.is_named(symbol, target.function.name());
        // Only imports count: a library may define a different function with the same name.
        let Some(target) = settings
            .functions
            .iter()
            .find(has_name)
            .filter(|_| symbol.is_import())
        else {
            return;
        };
        match change(library, import, *target, settings.replacements, trusted) {
            Change::None => {}
            Change::Unfinished => report.unfinished += 1,
            Change::Refused => report.refused += 1,
            Change::Done(slot) => {
                report.changed += 1;
                slots.insert(import.slot, slot);
            }
        }
    });
    report.broken += walked.broken;
}

enum Change {
    None,
    Unfinished,
    Refused,
    Done(Slot),
}

fn change(
    library: &Library,
    import: Import,
    target: Target,
    replacements: Replacements,
    trusted: bool,
) -> Change {
    if is_being_bound(library, import.slot) {
        return Change::Unfinished;
    }
    // SAFETY: `each_import` gives aligned words of this library, which stays loaded during the walk.
    let before = unsafe { slots::load(import.slot) };
    if (replacements.is_one)(before) {
        return Change::None;
    }
    if !library.maps.is_code(before) {
        // A data word may have been changed by the program. Other words are not bound yet.
        return match import.binding {
            Binding::Absolute => Change::None,
            Binding::GlobDat | Binding::JumpSlot => Change::Unfinished,
        };
    }
    // A lazy slot points back into its own library until the first call.
    let lazy = import.binding == Binding::JumpSlot && library.image.contains(before, 1);
    let original = if lazy { target.address } else { before };
    let expected = || original == target.address || is_known_original(target.function, original);
    if import.binding == Binding::Absolute && !expected() {
        return Change::None;
    }
    let original = Some(original).filter(|address| *address != 0);
    let replacement =
        original.and_then(|address| (replacements.for_function)(target.function, address, trusted));
    let Some(ours) = replacement else {
        return Change::Refused;
    };
    // SAFETY: as above; the maps were read by this walk.
    match unsafe { slots::store(library.maps, import.slot, ours) } {
        Ok(()) => Change::Done(Slot { before, ours }),
        Err(_) => Change::Refused,
    }
}

/// Whether the linker is still binding the library. glibc lists a library as soon as it is mapped, before binding it; as
/// the last step, it makes the RELRO part read-only. Other linkers hold their lock until the library is complete.
fn is_being_bound(library: &Library, slot: usize) -> bool {
    let last = slot.saturating_add(WORD - 1);
    let relro = library
        .image
        .relro()
        .filter(|part| part.contains(&slot) && part.contains(&last));
    let Some(relro) = relro.filter(|_| cfg!(target_env = "gnu")) else {
        return false;
    };
    // SAFETY: the call takes no pointers.
    let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) } as usize;
    let closes = slot < relro.end & !(page - 1);
    let region = library.maps.find(slot);
    let open = region.is_some_and(|region| region.protection & libc::PROT_WRITE != 0);
    closes && open
}

/// Restores every changed word that still has the changed value, in libraries that are still loaded.
///
/// # Errors
///
/// If `/proc/self/maps` cannot be read.
pub fn end() -> io::Result<Removed> {
    STATE.lock().settings = None;
    let mut removed = Removed::default();
    loaded::each_library(&mut |library| {
        let mut state = STATE.lock();
        state.slots.retain(|address, slot| {
            if !library.image.contains(*address, WORD) {
                return true;
            }
            if restore(library, *address, *slot) {
                removed.restored += 1
            } else {
                removed.left_alone += 1
            }
            false
        });
    })?;
    // The remaining words belonged to libraries that were unloaded.
    STATE.lock().slots.clear();
    Ok(removed)
}

/// Restores a word. False if other code has changed it.
fn restore(library: &Library, address: usize, slot: Slot) -> bool {
    if library.maps.find(address).is_none() {
        return false;
    }
    // SAFETY: the word is in a segment of this library, which stays loaded during the walk.
    match unsafe { slots::load(address) } {
        // SAFETY: as above; the maps were read by this walk.
        now if now == slot.ours => unsafe {
            slots::store(library.maps, address, slot.before).is_ok()
        },
        // The library was unloaded and loaded again at the same address.
        now => now == slot.before,
    }
}
