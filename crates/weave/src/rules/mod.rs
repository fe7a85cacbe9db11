//! Which methods are woven: by package, class, method, annotation, and by what they do.

mod annotations;
mod kind;
mod pattern;
mod read;

pub use kind::Skip;
pub use read::RulesError;

use crate::class::{ClassError, ClassFile, Code, access};
use crate::weaver::{Call, LeftOut};
use pattern::{fits, in_package};

/// The rules. Without any, every method is woven.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Rules {
    /// What is woven; where nothing is named, all.
    pub include: Names,
    /// What is not woven, even where it is included.
    pub exclude: Names,
    /// Kinds that are not woven.
    pub skip: Skip,
}

/// Names of what a rule is about, dotted; `*` stands for anything but a dot, `**` for anything.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Names {
    /// Packages with what is below them, without wildcards.
    pub packages: Vec<String>,
    /// Classes: `com.example.Feed`, `com.example.*Activity`. Inner classes have a `$`.
    pub classes: Vec<String>,
    /// Methods with their class: `com.example.Feed.load`, `**.onDraw`.
    pub methods: Vec<String>,
    /// Annotations of a class or method.
    pub annotations: Vec<String>,
    /// What a class's name begins with.
    pub prefixes: Vec<String>,
}

impl Names {
    /// Whether nothing is named.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    fn has_class(&self, class: &str) -> bool {
        self.packages
            .iter()
            .any(|package| in_package(package, class))
            || self.classes.iter().any(|pattern| fits(pattern, class))
            || self
                .prefixes
                .iter()
                .any(|prefix| class.starts_with(prefix.as_str()))
    }

    fn has_annotation(&self, names: &[String]) -> bool {
        let has = |pattern: &String| names.iter().any(|name| fits(pattern, name));
        self.annotations.iter().any(has)
    }

    fn has_method(&self, full_name: &str) -> bool {
        self.methods.iter().any(|pattern| fits(pattern, full_name))
    }
}

/// A method of a class, and what shall become of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Choice {
    /// Access flags.
    pub access: u16,
    /// Its name.
    pub name: String,
    /// Its descriptor.
    pub descriptor: String,
    /// Why it is not woven; `None` where it shall be.
    pub left_out: Option<LeftOut>,
}

/// A class and what shall become of its methods.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Choices {
    /// The class, dotted.
    pub class: String,
    /// Its methods, in the file's order.
    pub methods: Vec<Choice>,
}

impl Rules {
    /// What shall become of each method of a class.
    ///
    /// # Errors
    /// If the bytes are no class file, or what the rules need to see of it is broken.
    pub fn choose(&self, bytes: &[u8], call: &Call) -> Result<Choices, ClassError> {
        let class = ClassFile::read(bytes)?;
        let is_target = call.is_in(class.name()?);
        let name = class.pool.text(class.this_class_name()?)?.replace('/', ".");
        let chooser = Chooser {
            rules: self,
            wants_annotations: !self.include.annotations.is_empty()
                || !self.exclude.annotations.is_empty(),
            of_class: self.annotations(&class, &class.attributes)?,
            included: self.include.is_empty() || self.include.has_class(&name),
            excluded: self.exclude.has_class(&name),
            name: &name,
            class: &class,
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
    wants_annotations: bool,
    of_class: Vec<String>,
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
            left_out: self.left_out(number, &name)?,
            name,
        })
    }

    fn left_out(&self, number: usize, name: &str) -> Result<Option<LeftOut>, ClassError> {
        let method = &self.class.methods[number];
        if method.access & access::ABSTRACT != 0 {
            return Ok(Some(LeftOut::Abstract));
        }
        if method.access & access::NATIVE != 0 {
            return Ok(Some(LeftOut::Native));
        }
        if self.is_target {
            return Ok(Some(LeftOut::CallTarget));
        }
        if !self.is_wanted(number, name)? {
            return Ok(Some(LeftOut::Rule));
        }
        let code = self.class.attribute(&method.attributes, b"Code");
        match code.filter(|_| self.rules.skip.is_any()) {
            Some(code) => self.rules.skip.of(&Code::read(&code.content, code.at)?),
            None => Ok(None),
        }
    }

    fn is_wanted(&self, number: usize, name: &str) -> Result<bool, ClassError> {
        let Rules {
            include, exclude, ..
        } = self.rules;
        let of_method = if self.wants_annotations {
            annotations::names(self.class, &self.class.methods[number].attributes)?
        } else {
            Vec::new()
        };
        let full_name = || format!("{}.{name}", self.name);
        let is_in = |names: &Names, class: bool| {
            class
                || names.has_annotation(&self.of_class)
                || names.has_annotation(&of_method)
                || (!names.methods.is_empty() && names.has_method(&full_name()))
        };
        Ok(is_in(include, self.included) && !is_in(exclude, self.excluded))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_toml_say_the_same() {
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
    fn what_is_not_known_is_told() {
        let error = |text: &str| Rules::default().add_text(text).unwrap_err().to_string();
        assert!(error("-keeppackage a/\n-keepmethod b").starts_with("line 2 of the rules"));
        assert!(error("[exclude]\npackage = ['a']").contains("unknown field"));
    }
}
