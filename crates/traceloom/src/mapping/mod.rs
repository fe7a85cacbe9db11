//! Original names for code obfuscated by R8 or ProGuard: for methods, and for the class and method
//! names inside slice names.

mod ids;
mod outermost;
mod residual;
#[cfg(test)]
mod tests;

use std::path::Path;

use anyhow::{Context, Result, bail};
use proguard::{ProguardMapper, ProguardMapping, StackFrame};
use rustc_hash::FxHashMap;
use traceloom_trace::{StringId, Trace};

pub use ids::MethodNames;
use outermost::Outermost;
use residual::Residuals;

/// A `mapping.txt`, read into memory.
#[derive(Debug)]
pub struct Mapping {
    text: Vec<u8>,
}

impl Mapping {
    /// Reads a mapping file.
    ///
    /// # Errors
    /// If it cannot be read or is not a mapping.
    pub fn open(path: &Path) -> Result<Self> {
        let text = std::fs::read(path)
            .with_context(|| format!("cannot read the mapping {}", path.display()))?;
        if !ProguardMapping::new(&text).is_valid() {
            bail!(
                "{} is not an R8 or ProGuard mapping: it has no line like `original.Class -> a.b:`",
                path.display()
            );
        }
        Ok(Self { text })
    }

    /// The look-up from obfuscated to original names.
    pub fn names(&self) -> Names<'_> {
        Names {
            outermost: Outermost::read(&self.text),
            residuals: Residuals::read(&self.text),
            mapper: ProguardMapper::new_with_param_mapping(ProguardMapping::new(&self.text), true),
        }
    }

    /// Replaces obfuscated names by original ones in all methods and slices of a trace.
    pub fn rename(&self, trace: &mut Trace) {
        let names = self.names();
        rename_methods(&names, trace);
        rename_slices(&names, trace);
    }
}

/// The original names of a method.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OriginalMethod {
    /// The class, with dots.
    pub class: String,
    /// The method. If its entry line is inlined code, the inlined methods follow in brackets.
    pub name: String,
    /// The signature as a JVM descriptor with original classes; unchanged if it is not a
    /// descriptor.
    pub signature: String,
    /// The source file, if the mapping has it.
    pub file: Option<String>,
}

/// Look-ups in a mapping.
#[derive(Debug)]
pub struct Names<'a> {
    mapper: ProguardMapper<'a>,
    outermost: Outermost<'a>,
    residuals: Residuals<'a>,
}

impl<'a> Names<'a> {
    /// The original names of a method; `None` if it is not in the mapping. `line` is the first line of the method, 0 or
    /// less if unknown.
    pub fn method(
        &self,
        class: &str,
        name: &str,
        signature: &str,
        line: i32,
    ) -> Option<OriginalMethod> {
        let dotted = class.replace('/', ".");
        let original_class = self.mapper.remap_class(&dotted)?;
        let chain = self.chain(&dotted, name, signature, line);
        let outermost = chain.last();
        let changed = self.residuals.method(&dotted, name, signature);
        let changed = changed.filter(|one| outermost.is_some_and(|frame| frame.method == one.name));
        Some(OriginalMethod {
            class: outermost
                .map_or(original_class, |frame| frame.class.as_str())
                .to_owned(),
            name: outermost.map_or_else(|| name.to_owned(), |frame| with_inlined(frame, &chain)),
            signature: changed.map_or_else(|| self.descriptor(signature), |one| one.descriptor()),
            file: outermost.and_then(|frame| frame.file.clone()),
        })
    }

    /// The frames that a method at a line maps to, innermost first; the last is the method itself.
    /// Looks up by line first, then by signature, because overloads share a name, then by name
    /// alone if that is unambiguous.
    fn chain(&self, class: &str, name: &str, signature: &str, line: i32) -> Vec<Frame> {
        if line > 0 {
            let found = self.frames(&StackFrame::new(class, name, line as usize));
            if !found.is_empty() {
                return found;
            }
        }
        if let Some(changed) = self.residuals.method(class, name, signature) {
            let original = changed.class.unwrap_or_else(|| self.original_class(class));
            return vec![Frame::named(original, changed.name)];
        }
        if let Some(parameters) = self.parameters(signature) {
            if self.residuals.is_changed(class, name, &parameters) {
                return Vec::new();
            }
            let found = self.frames(&StackFrame::with_parameters(class, name, &parameters));
            // Without a line, several frames are overloads or inlined copies; only the last one is
            // the method itself.
            return found.into_iter().next_back().into_iter().collect();
        }
        let by_name = self.outermost.method(class, name);
        let by_name = by_name.map(|original| Frame::named(self.original_class(class), original));
        by_name.into_iter().collect()
    }

    fn original_class<'n>(&'n self, class: &'n str) -> &'n str {
        self.mapper.remap_class(class).unwrap_or(class)
    }

    fn frames(&self, frame: &StackFrame<'_>) -> Vec<Frame> {
        // The crate ties the lifetime of a frame to the mapping's, so the look-up borrows the
        // mapper for as long as the frame lives.
        let mapper: &ProguardMapper<'_> = &self.mapper;
        remap(mapper, frame)
    }

    /// The parameter types of a JVM descriptor in the notation of the mapping:
    /// `int,java.lang.String`.
    fn parameters(&self, descriptor: &str) -> Option<String> {
        let signature = self.mapper.deobfuscate_signature(descriptor)?;
        Some(signature.parameters_types().collect::<Vec<_>>().join(","))
    }

    /// A JVM descriptor with original class names.
    fn descriptor(&self, descriptor: &str) -> String {
        let mut out = String::with_capacity(descriptor.len());
        let mut rest = descriptor;
        while let Some(start) = rest.find('L') {
            let Some(length) = rest[start..].find(';') else {
                break;
            };
            let class = rest[start + 1..start + length].replace('/', ".");
            out.push_str(&rest[..=start]);
            out.push_str(
                &self
                    .mapper
                    .remap_class(&class)
                    .unwrap_or(&class)
                    .replace('.', "/"),
            );
            rest = &rest[start + length..];
        }
        out.push_str(rest);
        out
    }

    /// Replaces every class and every `class.method` in a slice name by its original name. `None`
    /// if the mapping has none of them.
    pub fn text(&self, text: &str) -> Option<String> {
        if let Some(class) = self.mapper.remap_class(text) {
            return Some(class.to_owned());
        }
        let mut out = String::with_capacity(text.len());
        let (mut rest, mut changed) = (text, false);
        while let Some(start) = rest.find(is_name_char) {
            let word_end = rest[start..]
                .find(|c| !is_name_char(c))
                .map_or(rest.len(), |n| start + n);
            let word = &rest[start..word_end];
            out.push_str(&rest[..start]);
            match self.word(word, line_behind(&rest[word_end..])) {
                Some(original) => {
                    out.push_str(&original);
                    changed = true;
                }
                None => out.push_str(word),
            }
            rest = &rest[word_end..];
        }
        out.push_str(rest);
        changed.then_some(out)
    }

    /// A word with dots: a class, or a class and a method.
    fn word(&self, word: &str, line: i32) -> Option<String> {
        let (class, method) = word.rsplit_once('.')?;
        if let Some(class) = self.mapper.remap_class(word) {
            return Some(class.to_owned());
        }
        let original = self.method(class, method, "", line)?;
        Some(format!("{}.{}", original.class, original.name))
    }
}

/// An owned frame of the mapping.
#[derive(Debug)]
struct Frame {
    class: String,
    method: String,
    file: Option<String>,
}

impl Frame {
    fn named(class: &str, method: &str) -> Self {
        Self {
            class: class.to_owned(),
            method: method.to_owned(),
            file: None,
        }
    }
}

fn remap<'f>(mapper: &'f ProguardMapper<'f>, frame: &StackFrame<'f>) -> Vec<Frame> {
    mapper
        .remap_frame(frame)
        .map(|frame| Frame {
            class: frame.class().to_owned(),
            method: frame.method().to_owned(),
            file: frame.file().map(str::to_owned),
        })
        .collect()
}

/// The name of the method, followed by the methods inlined at its entry.
fn with_inlined(outermost: &Frame, chain: &[Frame]) -> String {
    let inlined = &chain[..chain.len() - 1];
    if inlined.is_empty() {
        return outermost.method.clone();
    }
    let names: Vec<String> = inlined
        .iter()
        .rev()
        .map(|frame| format!("{}.{}", frame.class, frame.method))
        .collect();
    format!("{} [inlined {}]", outermost.method, names.join(", "))
}

fn is_name_char(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '.' | '_' | '$')
}

/// The line in `(SourceFile:12)` after a name, 0 if there is none. Parameter types may come
/// between, as in ART's monitor contention slices.
fn line_behind(rest: &str) -> i32 {
    let in_brackets = |text: &str| -> Option<i32> {
        let inner = text.strip_prefix('(')?.split_once(')')?.0;
        inner.rsplit_once(':')?.1.parse().ok()
    };
    let behind_parameters = || {
        rest.split_once(')')
            .and_then(|(_, behind)| in_brackets(behind))
    };
    in_brackets(rest).or_else(behind_parameters).unwrap_or(0)
}

fn rename_methods(names: &Names<'_>, trace: &mut Trace) {
    for row in 0..trace.methods.len() {
        let method = trace.methods.row(row);
        let text = |id| trace.strings.get(id);
        let original = names.method(
            text(method.class),
            text(method.name),
            text(method.signature),
            method.line,
        );
        let Some(original) = original else { continue };
        *trace.methods.class.get_mut(row) = trace.strings.intern_unless_empty(&original.class);
        *trace.methods.name.get_mut(row) = trace.strings.intern_unless_empty(&original.name);
        *trace.methods.signature.get_mut(row) =
            trace.strings.intern_unless_empty(&original.signature);
        if let Some(file) = original.file {
            *trace.methods.file.get_mut(row) = trace.strings.intern_unless_empty(&file);
        }
    }
}

fn rename_slices(names: &Names<'_>, trace: &mut Trace) {
    let mut renamed: FxHashMap<StringId, StringId> = FxHashMap::default();
    for row in 0..trace.slices.len() {
        if trace.slices.is_instant(row) {
            continue;
        }
        let name = trace.slices.name.get(row);
        let original =
            *renamed
                .entry(name)
                .or_insert_with(|| match names.text(trace.strings.get(name)) {
                    Some(text) => trace.strings.intern(&text),
                    None => name,
                });
        *trace.slices.name.get_mut(row) = original;
    }
}
