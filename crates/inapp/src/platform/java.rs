//! The copy of the tags in the Java field `android.os.Trace.sEnabledTags`. Older versions of Android check the field
//! before they call libcutils; newer versions call libcutils each time.

use std::ffi::{CStr, c_char, c_void};
use std::sync::{Mutex, PoisonError};

use super::categories::NOT_READY;
use super::{Tags, TracePoints};
use crate::jni::Env;

const FIND_CLASS: usize = 6;
const EXCEPTION_CLEAR: usize = 17;
const DELETE_LOCAL_REF: usize = 23;
const GET_STATIC_FIELD_ID: usize = 144;
const GET_STATIC_LONG_FIELD: usize = 151;
const SET_STATIC_LONG_FIELD: usize = 160;

type Object = *mut c_void;
type Field = *mut c_void;

impl Env {
    /// The class `android.os.Trace` and the field; `None` if either is missing. Leaves no exception pending.
    fn trace_field(self) -> Option<(Object, Field)> {
        type FindClass = extern "system" fn(Env, *const c_char) -> Object;
        type GetField = extern "system" fn(Env, Object, *const c_char, *const c_char) -> Field;
        const NAME: &CStr = c"android/os/Trace";
        // SAFETY: these are the functions at those indices.
        let (find, get_field) = unsafe {
            (
                self.function::<FindClass>(FIND_CLASS),
                self.function::<GetField>(GET_STATIC_FIELD_ID),
            )
        };
        let class = find(self, NAME.as_ptr());
        if class.is_null() {
            self.clear();
            return None;
        }
        let field = get_field(self, class, c"sEnabledTags".as_ptr(), c"J".as_ptr());
        if field.is_null() {
            self.clear();
            self.release(class);
            return None;
        }
        Some((class, field))
    }

    fn clear(self) {
        // SAFETY: this is the function at that index.
        let clear = unsafe { self.function::<extern "system" fn(Env)>(EXCEPTION_CLEAR) };
        clear(self);
    }

    fn release(self, object: Object) {
        // SAFETY: this is the function at that index; each reference is released once.
        let release = unsafe { self.function::<extern "system" fn(Env, Object)>(DELETE_LOCAL_REF) };
        release(self, object);
    }

    /// Sets the field to the result of `change`. Returns the values before and after.
    fn change(self, change: impl FnOnce(u64) -> u64) -> Option<(u64, u64)> {
        type Get = extern "system" fn(Env, Object, Field) -> i64;
        type Set = extern "system" fn(Env, Object, Field, i64);
        let (class, field) = self.trace_field()?;
        // SAFETY: these are the functions at those indices; the field is a `long` of this class.
        let (get, set) = unsafe {
            (
                self.function::<Get>(GET_STATIC_LONG_FIELD),
                self.function::<Set>(SET_STATIC_LONG_FIELD),
            )
        };
        let before = get(self, class, field).cast_unsigned();
        let after = change(before);
        if after != before {
            set(self, class, field, after.cast_signed());
        }
        self.release(class);
        Some((before, after))
    }
}

/// The trace points that were turned on from Java; the inner value is `None` if only the field was set.
static ON: Mutex<Option<Option<TracePoints>>> = Mutex::new(None);

/// The original value of the field, and the value that was set.
static FIELD: Mutex<Option<(u64, u64)>> = Mutex::new(None);

/// Adds tags to the field of `android.os.Trace`. False if there is no such field.
pub(crate) fn set_field(env: Env, tags: Tags) -> bool {
    // The class copies libcutils' tags when it is first used. Until then the value has the bit `NOT_READY`.
    let set = env.change(|before| (before & !NOT_READY) | tags.mask());
    let mut field = FIELD.lock().unwrap_or_else(PoisonError::into_inner);
    let first = field.map(|(before, _)| before);
    *field = set.map(|(before, after)| (first.unwrap_or(before), after));
    field.is_some()
}

/// Restores the field, unless other code has changed it since.
pub(crate) fn restore_field(env: Env) {
    let field = FIELD.lock().unwrap_or_else(PoisonError::into_inner).take();
    if let Some((before, ours)) = field {
        env.change(|now| if now == ours { before } else { now });
    }
}

/// `traceloom.TracePoints.turnOn(long)`.
///
/// # Safety
///
/// Must be called by a virtual machine.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_traceloom_TracePoints_turnOn(
    env: Env,
    _class: *mut c_void,
    tags: i64,
) -> u8 {
    let mut on = ON.lock().unwrap_or_else(PoisonError::into_inner);
    if on.is_some() {
        return 0;
    }
    let tags = Tags::from_mask(tags.cast_unsigned());
    let points = TracePoints::turn_on(tags).ok();
    let any = set_field(env, tags) || points.is_some();
    *on = any.then_some(points);
    u8::from(any)
}

/// `traceloom.TracePoints.turnOff()`.
///
/// # Safety
///
/// Must be called by a virtual machine.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_traceloom_TracePoints_turnOff(env: Env, _class: *mut c_void) {
    let on = ON.lock().unwrap_or_else(PoisonError::into_inner).take();
    if on.is_some() {
        restore_field(env);
    }
}
