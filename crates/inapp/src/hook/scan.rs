//! Walks the libraries and decides which words to change.

use std::collections::BTreeMap;
use std::ffi::{CString, c_char};
use std::io;

use super::entries::{self, Function};
use super::lock::{self, Lock};
use super::slots::{self, Slot};
use super::{Libraries, Options, Removed, Report, later, marker};
use crate::elf::{Binding, Import, WORD};
use crate::loaded::{self, Library};

pub static STATE: Lock<State> = Lock::new(State {
    settings: None,
    slots: BTreeMap::new(),
    seen: None,
    tries: 0,
});

/// Walks that are tried for libraries which the linker seems not to have finished.
const TRIES: u8 = 4;

/// What is hooked.
pub struct State {
    /// None while no hook is installed.
    settings: Option<Settings>,
    /// By address.
    slots: BTreeMap<usize, Slot>,
    /// The generation of libraries that was walked last.
    seen: Option<u64>,
    /// Walks over that generation that found something unfinished.
    tries: u8,
}

#[derive(Clone)]
struct Settings {
    libraries: Libraries,
    functions: Vec<Named>,
}

/// A function that words are looked through for.
#[derive(Clone, Copy)]
struct Named {
    function: Function,
    /// Where it is, for words that aren't bound yet; zero where this process has none.
    address: usize,
}

/// Takes the place of this process's one hook; `None` where there is one.
pub fn begin(options: &Options) -> Option<()> {
    lock::over_forks();
    let wanted =
        |function: &Function| !function.is_linkers() || (options.later && later::SUPPORTED);
    let functions = Function::ALL.into_iter().filter(wanted);
    // Before the walk: looking up takes a lock of the linker's that the walk must not wait for.
    let functions = functions.map(Named::look_up).collect();
    let mut state = STATE.lock();
    if state.settings.is_some() {
        return None;
    }
    state.seen = None;
    state.settings = Some(Settings {
        libraries: options.libraries.clone(),
        functions,
    });
    Some(())
}

impl Named {
    fn look_up(function: Function) -> Self {
        let name = CString::new(function.name()).unwrap_or_default();
        // SAFETY: a text that ends with NUL; any loaded library may define it.
        let address = unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr().cast::<c_char>()) };
        Self {
            function,
            address: address.expose_provenance(),
        }
    }
}

/// Walks only if libraries came or went since the last walk. Nothing to report to: who calls this has called
/// the linker.
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

/// Walks all libraries and changes the words that lead to `write`.
///
/// # Errors
///
/// `/proc/self/maps` cannot be read.
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
        // A library that defines its own `write` may mean something else by it.
        let is_it = |named: &&Named| library.image.is_named(symbol, named.function.name());
        let Some(named) = settings
            .functions
            .iter()
            .find(is_it)
            .filter(|_| symbol.is_import())
        else {
            return;
        };
        match change(library, import, *named, trusted) {
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

fn change(library: &Library, import: Import, named: Named, trusted: bool) -> Change {
    if is_being_bound(library, import.slot) {
        return Change::Unfinished;
    }
    // SAFETY: `each_import` gives aligned words of this library, which the linker keeps during the walk.
    let before = unsafe { slots::load(import.slot) };
    if entries::is_ours(before) {
        return Change::None;
    }
    if !library.maps.is_code(before) {
        // Data of the program's own, changed since; of other words it means that they aren't bound yet.
        return match import.binding {
            Binding::Absolute => Change::None,
            Binding::GlobDat | Binding::JumpSlot => Change::Unfinished,
        };
    }
    // A lazy slot leads back into its library until the first call.
    let lazy = import.binding == Binding::JumpSlot && library.image.contains(before, 1);
    let original = if lazy { named.address } else { before };
    let expected =
        || original == named.address || entries::is_known_original(named.function, original);
    if import.binding == Binding::Absolute && !expected() {
        return Change::None;
    }
    let stand_in = Some(original).filter(|address| *address != 0);
    let Some(ours) = stand_in.and_then(|address| named.function.stand_in(address, trusted)) else {
        return Change::Refused;
    };
    // SAFETY: as above; the maps are those of this walk.
    match unsafe { slots::store(library.maps, import.slot, ours) } {
        Ok(()) => Change::Done(Slot { before, ours }),
        Err(_) => Change::Refused,
    }
}

/// glibc shows a library as soon as it is mapped, and binds it meanwhile; the last that it does is to close
/// the part that stays as it is. Other linkers hold their lock until the library is done.
fn is_being_bound(library: &Library, slot: usize) -> bool {
    let last = slot.saturating_add(WORD - 1);
    let relro = library
        .image
        .relro()
        .filter(|part| part.contains(&slot) && part.contains(&last));
    let Some(relro) = relro.filter(|_| cfg!(target_env = "gnu")) else {
        return false;
    };
    // SAFETY: asks for a constant of the system.
    let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) } as usize;
    let closes = slot < relro.end & !(page - 1);
    let region = library.maps.find(slot);
    let open = region.is_some_and(|region| region.protection & libc::PROT_WRITE != 0);
    closes && open
}

/// Puts every changed word back that still stands as it was changed, in a library that is still there.
///
/// # Errors
///
/// `/proc/self/maps` cannot be read.
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
                removed.kept += 1
            }
            false
        });
    })?;
    // What is left belonged to libraries that are gone.
    STATE.lock().slots.clear();
    Ok(removed)
}

/// Whether the word is again as it was.
fn restore(library: &Library, address: usize, slot: Slot) -> bool {
    if library.maps.find(address).is_none() {
        return false;
    }
    // SAFETY: the word lies in a segment of this library, which the linker keeps during the walk.
    match unsafe { slots::load(address) } {
        // SAFETY: as above; the maps are those of this walk.
        now if now == slot.ours => unsafe {
            slots::store(library.maps, address, slot.before).is_ok()
        },
        // The library was unloaded, and loaded again at the same place.
        now => now == slot.before,
    }
}
