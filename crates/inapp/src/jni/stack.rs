//! Adds the Java stack of the main thread to the file that a trigger saves. The library's own thread calls the virtual
//! machine to get it.

use std::ffi::{c_char, c_void};
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicPtr, Ordering};

use super::env::{EXCEPTION_CLEAR, Env, JClass, JInt};
use crate::recorder;

/// `JavaVM *`: a pointer to a pointer to a table of functions.
static MACHINE: AtomicPtr<*const *const c_void> = AtomicPtr::new(null_mut());
/// A global reference to the class `Recorder`, because a native thread cannot find classes of the app by name.
static RECORDER: AtomicPtr<c_void> = AtomicPtr::new(null_mut());

// Indices of the specification, chapters 4 and 5.
const NEW_GLOBAL_REF: usize = 21;
const GET_STATIC_METHOD_ID: usize = 113;
const CALL_STATIC_VOID_METHOD_A: usize = 143;
const GET_JAVA_VM: usize = 219;
const DETACH_CURRENT_THREAD: usize = 5;
const ATTACH_CURRENT_THREAD_AS_DAEMON: usize = 7;

type Machine = *mut *const *const c_void;
type GetMachine = unsafe extern "system" fn(Env, *mut Machine) -> JInt;
type NewGlobal = unsafe extern "system" fn(Env, JClass) -> JClass;
type GetMethod =
    unsafe extern "system" fn(Env, JClass, *const c_char, *const c_char) -> *mut c_void;
type CallVoid = unsafe extern "system" fn(Env, JClass, *mut c_void, *const c_void);
type Clear = unsafe extern "system" fn(Env);
type Attach = unsafe extern "system" fn(Machine, *mut Env, *mut c_void) -> JInt;
type Detach = unsafe extern "system" fn(Machine) -> JInt;

/// `prepareStack`: triggers record the stack from now on.
///
/// # Safety
/// Must be called by a virtual machine, with its environment and the class `Recorder`.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_traceloom_Recorder_prepareStack(env: Env, class: JClass) {
    if !RECORDER.load(Ordering::Acquire).is_null() {
        return;
    }
    let mut machine = null_mut();
    // SAFETY: the types follow the specification; the caller guarantees the rest.
    unsafe {
        if env.function::<GetMachine>(GET_JAVA_VM)(env, &raw mut machine) != 0 {
            return;
        }
        let class = env.function::<NewGlobal>(NEW_GLOBAL_REF)(env, class);
        MACHINE.store(machine, Ordering::Release);
        RECORDER.store(class, Ordering::Release);
    }
    recorder::before_saving(record);
}

/// Calls `Recorder.recordStack()` on a native thread.
fn record() {
    let machine = MACHINE.load(Ordering::Acquire);
    let class = RECORDER.load(Ordering::Acquire);
    if machine.is_null() || class.is_null() {
        return;
    }
    // SAFETY: a `JavaVM` may be used by any thread as long as the machine exists, and this library is a part of it. The
    // thread is attached before it uses the environment; it was not attached before, because it is the library's own.
    unsafe {
        let table = *machine;
        let attach = table
            .add(ATTACH_CURRENT_THREAD_AS_DAEMON)
            .cast::<Attach>()
            .read();
        let detach = table.add(DETACH_CURRENT_THREAD).cast::<Detach>().read();
        let mut env = Env::NONE;
        if attach(machine, &raw mut env, null_mut()) != 0 {
            return;
        }
        let clear = env.function::<Clear>(EXCEPTION_CLEAR);
        let method = env.function::<GetMethod>(GET_STATIC_METHOD_ID);
        let method = method(env, class, c"recordStack".as_ptr(), c"()V".as_ptr());
        clear(env);
        if !method.is_null() {
            env.function::<CallVoid>(CALL_STATIC_VOID_METHOD_A)(env, class, method, null());
            clear(env);
        }
        detach(machine);
    }
}
