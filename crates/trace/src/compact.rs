//! Removes methods and strings that no row refers to.

use crate::ids::{MethodId, StringId};
use crate::remap::{IdKind, Remap};
use crate::strings::StringPool;
use crate::trace::Trace;

impl Trace {
    /// Removes methods that no slice calls and strings that no row refers to, so that a part of a
    /// trace does not contain names from the rest. Threads, processes and tracks are kept.
    pub fn drop_unused(&mut self) {
        self.drop_unused_methods();
        let old = std::mem::take(&mut self.strings);
        let mut pool = Pool {
            new_ids: vec![StringId::NULL; old.len()],
            new: StringPool::default(),
            old,
        };
        self.remap(&mut pool);
        self.strings = pool.new;
    }

    fn drop_unused_methods(&mut self) {
        let mut new_rows = vec![None; self.methods.len()];
        for row in 0..self.slices.len() {
            let method = self.slices.method_id.get(row);
            if let Some(used) = new_rows.get_mut(method.0 as usize) {
                *used = Some(method);
            }
        }
        let old = std::mem::take(&mut self.methods);
        for (row, new) in new_rows.iter_mut().enumerate() {
            if let Some(new) = new {
                new.0 = self.methods.push(old.row(row)) as u32;
            }
        }
        self.remap(&mut Methods(new_rows));
    }
}

/// The new rows of methods, if they are kept.
struct Methods(Vec<Option<MethodId>>);

impl Remap for Methods {
    fn changes(&self, kind: IdKind) -> bool {
        kind == IdKind::Method
    }

    fn new_id(&mut self, _: IdKind, id: u32) -> u32 {
        self.0
            .get(id as usize)
            .copied()
            .flatten()
            .map_or(id, |new| new.0)
    }
}

/// Moves strings into a new pool, in the order of their first use.
struct Pool {
    old: StringPool,
    new: StringPool,
    new_ids: Vec<StringId>,
}

impl Pool {
    fn id(&mut self, old: StringId) -> StringId {
        let Some(known) = self.new_ids.get_mut(old.0 as usize) else {
            return StringId::NULL;
        };
        if known.is_none() && !old.is_none() {
            *known = self.new.intern(self.old.get(old));
        }
        *known
    }
}

impl Remap for Pool {
    fn changes(&self, kind: IdKind) -> bool {
        kind == IdKind::String
    }

    fn new_id(&mut self, _: IdKind, id: u32) -> u32 {
        self.id(StringId(id)).0
    }
}

#[cfg(test)]
mod tests {
    use crate::{MethodRow, RowId, SliceBegin, SliceId, StringId, TraceBuilder};

    #[test]
    fn only_what_is_named_stays() {
        let mut builder = TraceBuilder::new();
        let source = builder.begin_source("file", "test");
        let [gone, run, stay, key] =
            ["gone", "run", "stay", "key"].map(|t| builder.intern(t.as_bytes()));
        for (raw_id, name) in [(1, gone), (2, run)] {
            builder.method(MethodRow {
                raw_id,
                class: StringId::NULL,
                name,
                signature: StringId::NULL,
                file: StringId::NULL,
                line: -1,
                source,
            });
        }
        let main = builder.thread(1);
        let track = builder.thread_track(main);
        let args = builder.args([(key, crate::ArgValue::Text(stay))]);
        let call = SliceBegin {
            arg_set_id: args,
            ..SliceBegin::call(5, -1, crate::MethodId(1))
        };
        builder.whole_slice(track, call, 3);
        let mut trace = builder.finish();
        trace.drop_unused();
        assert_eq!(trace.methods.len(), 1);
        assert_eq!(trace.slice_name(SliceId::from_row(0)), "run");
        assert_eq!(trace.strings.lookup("gone"), None);
        let (key, value) = trace.args.set(args).next().unwrap();
        assert_eq!(
            (trace.strings.get(key), value.display(&trace.strings)),
            ("key", "stay".to_owned())
        );
        assert_eq!(trace.strings.get(trace.sources.name.get(0)), "file");
    }
}
