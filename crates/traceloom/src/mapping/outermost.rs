//! Maps an obfuscated name if neither line nor signature is known.

use proguard::{ProguardMapping, ProguardRecord};
use rustc_hash::FxHashMap;

/// The methods by obfuscated class and name, for look-ups without line and signature. `None` if
/// several methods share the name (overloads).
#[derive(Debug, Default)]
pub(super) struct Outermost<'a> {
    methods: FxHashMap<(&'a str, &'a str), Option<&'a str>>,
}

impl<'a> Outermost<'a> {
    /// R8 writes one line for each frame of a line range: inlined methods first, the method itself
    /// last.
    ///
    /// ```text
    /// 1:5:void Json.parse():40:44 -> a     inlined here ┐ one range: 1 to 5
    /// 1:5:void load():17 -> a              the method   ┘
    /// 6:9:void load():18:21 -> a           the method, without anything inlined
    /// ```
    pub fn read(text: &'a [u8]) -> Self {
        let mut outermost = Self::default();
        let (mut class, mut open) = ("", None);
        for record in ProguardMapping::new(text).iter().flatten() {
            match record {
                ProguardRecord::Class { obfuscated, .. } => {
                    outermost.close(class, open.take());
                    class = obfuscated;
                }
                ProguardRecord::Method {
                    original,
                    obfuscated,
                    line_mapping,
                    ..
                } => {
                    let lines = line_mapping.map(|lines| (lines.startline, lines.endline));
                    let range = (obfuscated, lines);
                    // Without lines, every record is a separate method.
                    if open.is_some_and(|(other, _)| other != range || lines.is_none()) {
                        outermost.close(class, open);
                    }
                    open = Some((range, original));
                }
                _ => {}
            }
        }
        outermost.close(class, open);
        outermost
    }

    /// The method that `name` of `class` maps to, if it is exactly one.
    pub fn method(&self, class: &str, name: &str) -> Option<&'a str> {
        self.methods.get(&(class, name)).copied().flatten()
    }

    fn close(&mut self, class: &'a str, frame: Option<(Range<'a>, &'a str)>) {
        let Some(((obfuscated, _), original)) = frame else {
            return;
        };
        let known = self
            .methods
            .entry((class, obfuscated))
            .or_insert(Some(original));
        if *known != Some(original) {
            *known = None;
        }
    }
}

/// An obfuscated name and the line range of a record.
type Range<'a> = (&'a str, Option<(Option<usize>, Option<usize>)>);
