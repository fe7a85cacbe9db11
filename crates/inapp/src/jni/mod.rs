//! The Java interface: the native methods of `java/traceloom/Recorder.java`, which documents them.

mod env;

use std::path::PathBuf;
use std::time::Duration;

use traceloom_ring::Kind;
use traceloom_ring::layout::NOTE_BYTES;

use crate::c::{answer, format};
use crate::marks;
use crate::platform::java;
use crate::recorder::{self, Options, Policy, Triggers, stacks};
pub use env::Env;
use env::{JBoolean, JClass, JDouble, JInt, JLong, JString};

/// Defines a native method: its name, and its arguments after those that every native method has.
macro_rules! native {
    ($($(#[$doc:meta])* fn $name:ident($env:ident $(, $argument:ident: $type:ty)*) $(-> $answer:ty)? $body:block)*) => {$(
        $(#[$doc])*
        ///
        /// # Safety
        /// Must be called by a virtual machine, with its environment and the declared arguments.
        #[unsafe(no_mangle)]
        pub unsafe extern "system" fn $name($env: Env, _: JClass $(, $argument: $type)*) $(-> $answer)? $body
    )*};
}

mod sampler;
mod stack;

native! {
    /// `enter`
    fn Java_traceloom_Recorder_enter(_env, method: JInt) {
        recorder::method_enter(method as u32);
    }

    /// `exit`
    fn Java_traceloom_Recorder_exit(_env, method: JInt) {
        recorder::method_exit(method as u32);
    }

    /// `begin`
    fn Java_traceloom_Recorder_begin(env, path: JString, bytes: JLong, stop_when_full: JBoolean, sample_ms: JInt, slow_frame_ms: JInt, blocked_ms: JInt, sigquit: JBoolean, sample_stacks_us: JInt, min_call_us: JInt) -> JInt {
        // SAFETY: the virtual machine passed the environment and the string.
        let Some(path) = (unsafe { env.text(path, text) }) else {
            return -libc::EINVAL;
        };
        let ms = |ms: JInt| u64::try_from(ms).ok().filter(|ms| *ms > 0).map(Duration::from_millis);
        let us = |us: JInt| u64::try_from(us).ok().filter(|us| *us > 0).map(Duration::from_micros);
        let defaults = Options::new(path);
        let options = Options {
            bytes: usize::try_from(bytes).ok().filter(|bytes| *bytes > 0).unwrap_or(defaults.bytes),
            policy: if stop_when_full != 0 { Policy::Stop } else { Policy::DropOldest },
            sample_every: ms(sample_ms),
            min_call: us(min_call_us),
            triggers: Triggers {
                slow_frame: ms(slow_frame_ms),
                blocked: ms(blocked_ms),
                sigquit: sigquit != 0,
                ..Triggers::default()
            },
            ..defaults
        };
        let every = us(sample_stacks_us);
        let options = if every.is_some() { for_stacks(options) } else { options };
        let started = recorder::start(&options).map(drop);
        if let (Ok(()), Some(every)) = (&started, every) {
            stacks::begin(every);
        }
        answer(started)
    }

    /// `active`
    fn Java_traceloom_Recorder_active(_env) -> JBoolean {
        recorder::is_recording().into()
    }

    /// `finish`
    fn Java_traceloom_Recorder_finish(env) {
        end_platform(env);
        recorder::stop();
    }

    /// `platform`
    fn Java_traceloom_Recorder_platform(env, categories: JString, pass_on: JBoolean) -> JInt {
        // SAFETY: the virtual machine passed the environment and the string.
        let categories = unsafe { env.text(categories, text) }.unwrap_or_default();
        answer(marks::begin(&categories, pass_on != 0).map(|tags| {
            java::set_field(env, tags);
        }))
    }

    /// `platformEnd`
    fn Java_traceloom_Recorder_platformEnd(env) {
        end_platform(env);
    }

    /// `write`
    fn Java_traceloom_Recorder_write(env, seconds: JDouble, path: JString, as_format: JInt) -> JInt {
        // SAFETY: the virtual machine passed the environment and the string.
        let Some(path) = (unsafe { env.text(path, text) }) else {
            return -libc::EINVAL;
        };
        let last = Duration::try_from_secs_f64(seconds).ok();
        let saved = format(as_format as u32).and_then(|format| recorder::save(path.as_ref(), format, last));
        answer(saved)
    }

    /// `convert`
    fn Java_traceloom_Recorder_convert(env, ring: JString, path: JString, as_format: JInt) -> JInt {
        // SAFETY: the virtual machine passed the environment and both strings.
        let (ring, path) = unsafe { (env.text(ring, text), env.text(path, text)) };
        let (Some(ring), Some(path)) = (ring, path) else {
            return -libc::EINVAL;
        };
        let (ring, path) = (PathBuf::from(ring), PathBuf::from(path));
        answer(format(as_format as u32).and_then(|format| recorder::convert(&ring, &path, format)))
    }

    /// `section`
    fn Java_traceloom_Recorder_section(env, name: JString) {
        // SAFETY: the virtual machine passed the environment and the string.
        unsafe { env.text(name, |name| text_event(Kind::BeginNamed, 0, name)) };
    }

    /// `sectionEnd`
    fn Java_traceloom_Recorder_sectionEnd(_env) {
        recorder::end();
    }

    /// `count`
    fn Java_traceloom_Recorder_count(env, name: JString, value: JLong) {
        // SAFETY: the virtual machine passed the environment and the string.
        unsafe { env.text(name, |name| text_event(Kind::CounterNamed, value, name)) };
    }

    /// `point`
    fn Java_traceloom_Recorder_point(env, name: JString) {
        // SAFETY: the virtual machine passed the environment and the string.
        unsafe { env.text(name, |name| text_event(Kind::InstantNamed, 0, name)) };
    }

    /// `async`
    fn Java_traceloom_Recorder_async(env, name: JString, cookie: JLong, is_begin: JBoolean) {
        let kind = if is_begin != 0 { Kind::AsyncBeginNamed } else { Kind::AsyncEndNamed };
        // SAFETY: the virtual machine passed the environment and the string.
        unsafe { env.text(name, |name| text_event(kind, cookie, name)) };
    }

    /// `nameId`
    fn Java_traceloom_Recorder_nameId(env, id: JInt, name: JString) {
        // SAFETY: the virtual machine passed the environment and the string.
        unsafe { env.text(name, |name| recorder::raw::name_id(id as u32, name)) };
    }

    /// `frameTook`
    fn Java_traceloom_Recorder_frameTook(_env, nanos: JLong) {
        recorder::frame(Duration::from_nanos(u64::try_from(nanos).unwrap_or(0)));
    }

    /// `task`
    fn Java_traceloom_Recorder_task(_env, begins: JBoolean) {
        match begins {
            0 => recorder::task_end(),
            _ => recorder::task_begin(),
        }
    }
}

/// Options for sampled stacks: a quarter of the bytes for method names, and small chunks, because every thread needs one.
fn for_stacks(options: Options) -> Options {
    const CHUNK_BYTES: usize = 2 << 10;
    let for_names = options.bytes / 4;
    Options {
        bytes: options.bytes - for_names,
        names: u32::try_from(for_names / NOTE_BYTES).unwrap_or(u32::MAX),
        chunk_bytes: CHUNK_BYTES,
        ..options
    }
}

fn end_platform(env: Env) {
    if marks::end() {
        java::restore_field(env);
    }
}

fn text(text: &[u8]) -> String {
    String::from_utf8_lossy(text).into_owned()
}

fn text_event(kind: Kind, value: JLong, name: &[u8]) {
    recorder::raw::text_event(kind, value as u64, name);
}
