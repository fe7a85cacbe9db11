//! The native methods of `java/traceloom/Sampler.java`, which documents them.

use super::env::{Env, JBoolean, JClass, JInt, JIntArray, JLong, JString};
use crate::recorder::stacks;

native! {
    /// `clock`
    fn Java_traceloom_Sampler_clock(_env) -> JLong {
        stacks::now() as JLong
    }

    /// `thread`
    fn Java_traceloom_Sampler_thread(env, number: JLong, name: JString) -> JInt {
        // SAFETY: the virtual machine passed the environment and the string.
        let index = unsafe { env.text(name, |name| stacks::thread(number as u32, name)) };
        index.flatten().map_or(-1, |index| index as JInt)
    }

    /// `method`
    fn Java_traceloom_Sampler_method(env, id: JInt, name: JString, source: JString) -> JBoolean {
        // SAFETY: the virtual machine passed the environment and both strings.
        let is_written = unsafe {
            env.text(name, |name| {
                let write = |source: &[u8]| stacks::method(id as u32, name, source);
                env.text(source, write).unwrap_or_else(|| write(b""))
            })
        };
        JBoolean::from(is_written == Some(true))
    }

    /// `sample`
    fn Java_traceloom_Sampler_sample(env, time: JLong, changes: JIntArray, length: JInt) -> JBoolean {
        // SAFETY: the virtual machine passed the environment and the array.
        let changes = unsafe { env.ints(changes, length) };
        JBoolean::from(stacks::sample(time as u64, &changes))
    }
}
