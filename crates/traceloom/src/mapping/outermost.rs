//! What an obfuscated name stands for where neither line nor signature is known.

use proguard::{ProguardMapping, ProguardRecord};
use rustc_hash::FxHashMap;

/// The methods themselves, by obfuscated class and name: what a name without line and signature
/// stands for. `None` where several methods share it (overloads).
#[derive(Debug, Default)]
pub(super) struct Outermost<'a> {
    methods: FxHashMap<(&'a str, &'a str), Option<&'a str>>,
}

impl<'a> Outermost<'a> {
    /// R8 writes a line for each frame that a range of lines stands for: what was inlined first,
    /// the method itself last.
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
                    // Without lines every record is a method of its own.
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

    /// The method that `name` of `class` stands for, if that is one.
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

/// An obfuscated name and the lines of its class file that a record is about.
type Range<'a> = (&'a str, Option<(Option<usize>, Option<usize>)>);
