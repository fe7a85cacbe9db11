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
        // SAFETY: both are the virtual machine's.
        let place = unsafe { env.text(name, |name| stacks::thread(number as u32, name)) };
        place.flatten().map_or(-1, |place| place as JInt)
    }

    /// `method`
    fn Java_traceloom_Sampler_method(env, id: JInt, name: JString, source: JString) -> JBoolean {
        // SAFETY: all are the virtual machine's.
        let told = unsafe {
            env.text(name, |name| {
                let tell = |source: &[u8]| stacks::method(id as u32, name, source);
                env.text(source, tell).unwrap_or_else(|| tell(b""))
            })
        };
        JBoolean::from(told == Some(true))
    }

    /// `sample`
    fn Java_traceloom_Sampler_sample(env, time: JLong, changes: JIntArray, length: JInt) -> JBoolean {
        // SAFETY: both are the virtual machine's.
        let changes = unsafe { env.ints(changes, length) };
        JBoolean::from(stacks::sample(time as u64, &changes))
    }
}
