//! The rules, and choosing methods by them.

use super::annotations;
use super::kind::Skip;
use super::pattern::{in_package, matches};
use crate::class::{ClassError, ClassFile, Code, access};
use crate::weaver::{Call, SkipReason, calls, is_woven};

/// Rules that choose methods. The default chooses every method.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Rules {
    /// Methods to weave; all if empty.
    pub include: Names,
    /// Methods not to weave, even if they are included.
    pub exclude: Names,
    /// Kinds of methods not to weave.
    pub skip: Skip,
}

/// Dotted names. `*` matches anything but a dot, `**` matches anything.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Names {
    /// Packages, including their subpackages. No wildcards.
    pub packages: Vec<String>,
    /// Classes: `com.example.Feed`, `com.example.*Activity`. Inner classes have a `$`.
    pub classes: Vec<String>,
    /// Methods with their class: `com.example.Feed.load`, `**.onDraw`.
    pub methods: Vec<String>,
    /// Annotations of classes or methods.
    pub annotations: Vec<String>,
    /// Prefixes of class names.
    pub prefixes: Vec<String>,
}

impl Names {
    /// Whether there are no names.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    fn has_class(&self, class: &str) -> bool {
        self.packages
            .iter()
            .any(|package| in_package(package, class))
            || self.classes.iter().any(|pattern| matches(pattern, class))
            || self
                .prefixes
                .iter()
                .any(|prefix| class.starts_with(prefix.as_str()))
    }

    fn has_annotation(&self, names: &[String]) -> bool {
        let has = |pattern: &String| names.iter().any(|name| matches(pattern, name));
        self.annotations.iter().any(has)
    }

    fn has_method(&self, full_name: &str) -> bool {
        self.methods
            .iter()
            .any(|pattern| matches(pattern, full_name))
    }
}

/// A method of a class, and whether to weave it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Choice {
    /// Access flags.
    pub access: u16,
    /// Its name.
    pub name: String,
    /// Its descriptor.
    pub descriptor: String,
    /// Why it is not woven; `None` if it is.
    pub skipped: Option<SkipReason>,
}

/// A class and the choice for each of its methods.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Choices {
    /// The class, dotted.
    pub class: String,
    /// Its methods in file order.
    pub methods: Vec<Choice>,
}

impl Rules {
    /// Decides for each method of a class whether to weave it.
    ///
    /// # Errors
    /// If the bytes are not a class file, or if a part of it that the rules read is damaged.
    pub fn choose(&self, bytes: &[u8], call: &Call) -> Result<Choices, ClassError> {
        let class = ClassFile::read(bytes)?;
        let is_target = call.is_in(class.name()?);
        let name = class.pool.text(class.this_class_name()?)?.replace('/', ".");
        let chooser = Chooser {
            rules: self,
            wants_annotations: !self.include.annotations.is_empty()
                || !self.exclude.annotations.is_empty(),
            class_annotations: self.annotations(&class, &class.attributes)?,
            included: self.include.is_empty() || self.include.has_class(&name),
            excluded: self.exclude.has_class(&name),
            name: &name,
            class: &class,
            call: (!is_target && calls(&class, call)).then_some(call),
            is_target,
        };
        let methods = (0..class.methods.len()).map(|number| chooser.choose(number));
        Ok(Choices {
            methods: methods.collect::<Result<_, _>>()?,
            class: name,
        })
    }

    fn annotations(
        &self,
        class: &ClassFile<'_>,
        attributes: &[crate::class::Attribute<'_>],
    ) -> Result<Vec<String>, ClassError> {
        if self.include.annotations.is_empty() && self.exclude.annotations.is_empty() {
            Ok(Vec::new())
        } else {
            annotations::names(class, attributes)
        }
    }
}

struct Chooser<'c> {
    rules: &'c Rules,
    class: &'c ClassFile<'c>,
    name: &'c str,
    is_target: bool,
    /// The call to insert, if the class already refers to the called class.
    call: Option<&'c Call>,
    wants_annotations: bool,
    class_annotations: Vec<String>,
    included: bool,
    excluded: bool,
}

impl Chooser<'_> {
    fn choose(&self, number: usize) -> Result<Choice, ClassError> {
        let method = &self.class.methods[number];
        let name = self.class.pool.text(method.name)?;
        Ok(Choice {
            access: method.access,
            descriptor: self.class.pool.text(method.descriptor)?,
            skipped: self.skip_reason(number, &name)?,
            name,
        })
    }

    fn skip_reason(&self, number: usize, name: &str) -> Result<Option<SkipReason>, ClassError> {
        let method = &self.class.methods[number];
        if method.access & access::ABSTRACT != 0 {
            return Ok(Some(SkipReason::Abstract));
        }
        if method.access & access::NATIVE != 0 {
            return Ok(Some(SkipReason::Native));
        }
        if self.is_target {
            return Ok(Some(SkipReason::CallTarget));
        }
        if !self.is_wanted(number, name)? {
            return Ok(Some(SkipReason::Rule));
        }
        let code = self.class.attribute(&method.attributes, b"Code");
        let Some(code) = code.filter(|_| self.call.is_some() || self.rules.skip.is_any()) else {
            return Ok(None);
        };
        let code = Code::read(&code.content, code.at)?;
        if let Some(call) = self.call {
            let full_name = format!("{}.{name}", self.name);
            if is_woven(self.class, &code, call, &full_name)? {
                return Ok(Some(SkipReason::Woven));
            }
        }
        self.rules.skip.reason(&code)
    }

    fn is_wanted(&self, number: usize, name: &str) -> Result<bool, ClassError> {
        let Rules {
            include, exclude, ..
        } = self.rules;
        let method_annotations = if self.wants_annotations {
            annotations::names(self.class, &self.class.methods[number].attributes)?
        } else {
            Vec::new()
        };
        let full_name = || format!("{}.{name}", self.name);
        let is_in = |names: &Names, class: bool| {
            class
                || names.has_annotation(&self.class_annotations)
                || names.has_annotation(&method_annotations)
                || (!names.methods.is_empty() && names.has_method(&full_name()))
        };
        Ok(is_in(include, self.included) && !is_in(exclude, self.excluded))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_toml_give_the_same_rules() {
        let mut lines = Rules::default();
        lines
            .add_text("[package]\n# ours\n-keeppackage android/\n-keepclass com/example/R\n")
            .unwrap();
        assert_eq!(lines.exclude.prefixes, ["android.", "com.example.R"]);
        let mut toml = Rules::default();
        let text =
            "[exclude]\npackages = ['android']\n[skip]\naccessors = true\nmin-instructions = 7\n";
        toml.add_text(text).unwrap();
        assert_eq!(toml.exclude.packages, ["android"]);
        assert!(toml.skip.accessors && toml.skip.min_instructions == 7);
        for names in [&lines.exclude, &toml.exclude] {
            assert!(names.has_class("android.view.View"));
            assert!(!names.has_class("androidx.core.View"));
        }
    }

    #[test]
    fn unknown_rules_are_errors() {
        let error = |text: &str| Rules::default().add_text(text).unwrap_err().to_string();
        assert!(error("-keeppackage a/\n-keepmethod b").starts_with("line 2 of the rules"));
        assert!(error("[exclude]\npackage = ['a']").contains("unknown field"));
    }
}
