//! The few functions of the Java Native Interface that are needed. Their indices in the function table are from its
//! specification (chapter 4, "JNI Functions") and never change. The `jni` crate would be the only dependency besides
//! `libc`, for seven functions.

use std::ffi::{CStr, c_char, c_void};

/// `jint`
pub(super) type JInt = i32;
/// `jlong`
pub(super) type JLong = i64;
/// `jboolean`
pub(super) type JBoolean = u8;
/// `jdouble`
pub(super) type JDouble = f64;
/// `jclass`
pub type JClass = *mut c_void;
/// `jstring`
pub type JString = *mut c_void;
/// `jintArray`
pub type JIntArray = *mut c_void;

pub(super) const EXCEPTION_CLEAR: usize = 17;
const GET_STRING_UTF_CHARS: usize = 169;
const RELEASE_STRING_UTF_CHARS: usize = 170;
const GET_INT_ARRAY_REGION: usize = 203;

type GetChars = unsafe extern "system" fn(Env, JString, *mut JBoolean) -> *const c_char;
type ReleaseChars = unsafe extern "system" fn(Env, JString, *const c_char);
type GetInts = unsafe extern "system" fn(Env, JIntArray, JInt, JInt, *mut JInt);
type Clear = unsafe extern "system" fn(Env);

/// `JNIEnv *`: a pointer to a pointer to a table of functions.
#[repr(transparent)]
#[derive(Clone, Copy)]
pub struct Env(*const *const *const c_void);

impl Env {
    /// No environment.
    pub(super) const NONE: Self = Self(std::ptr::null());

    /// The function at an index of the table.
    ///
    /// # Safety
    /// A virtual machine passed the environment, and the function has type `F`.
    pub(crate) unsafe fn function<F: Copy>(self, index: usize) -> F {
        const { assert!(size_of::<F>() == size_of::<*const c_void>()) };
        // SAFETY: the caller guarantees the type; the table has all functions of the interface's first version.
        unsafe { (*self.0).add(index).cast::<F>().read() }
    }

    /// Calls `with` with the text of a string, in modified UTF-8. `None` for null, or if the virtual machine is out of
    /// memory.
    ///
    /// # Safety
    /// A virtual machine passed the environment to this thread; the string is null or one of its strings.
    pub unsafe fn text<T>(self, string: JString, with: impl FnOnce(&[u8]) -> T) -> Option<T> {
        if string.is_null() {
            return None;
        }
        // SAFETY: the types follow the specification; the caller guarantees the rest.
        unsafe {
            let chars =
                self.function::<GetChars>(GET_STRING_UTF_CHARS)(self, string, std::ptr::null_mut());
            if chars.is_null() {
                // The app must not see an OutOfMemoryError of the recorder.
                self.function::<Clear>(EXCEPTION_CLEAR)(self);
                return None;
            }
            let answer = with(CStr::from_ptr(chars).to_bytes());
            self.function::<ReleaseChars>(RELEASE_STRING_UTF_CHARS)(self, string, chars);
            Some(answer)
        }
    }

    /// The first `length` numbers of an array; all zeros if it is shorter.
    ///
    /// # Safety
    /// A virtual machine passed the environment to this thread; the array is one of its int arrays.
    pub unsafe fn ints(self, array: JIntArray, length: JInt) -> Vec<u32> {
        let mut ints = vec![0; usize::try_from(length).unwrap_or(0)];
        // SAFETY: the types follow the specification, `ints` has room for `length` 32-bit numbers,
        // and the caller guarantees the rest.
        unsafe {
            let start = ints.as_mut_ptr().cast();
            self.function::<GetInts>(GET_INT_ARRAY_REGION)(
                self,
                array,
                0,
                ints.len() as JInt,
                start,
            );
            self.function::<Clear>(EXCEPTION_CLEAR)(self);
        }
        ints
    }
}
