//! Reading rules from a file: TOML, or the line format of Matrix and similar tools.

use serde::Deserialize;
use thiserror::Error;

use super::choose::{Names, Rules};

/// Why a file of rules cannot be read.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum RulesError {
    /// Not TOML, or an unknown table or key.
    #[error("the rules are not valid TOML: {0}")]
    Toml(#[from] toml::de::Error),
    /// An unknown line.
    #[error(
        "line {line} of the rules is {text:?}; write -keeppackage, -keepclass, -allowpackage or -allowclass and a name"
    )]
    Line {
        /// Line number, from 1.
        line: usize,
        /// Its text.
        text: String,
    },
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
struct File {
    include: NamesInFile,
    exclude: NamesInFile,
    skip: SkipInFile,
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
struct NamesInFile {
    packages: Vec<String>,
    classes: Vec<String>,
    methods: Vec<String>,
    annotations: Vec<String>,
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
struct SkipInFile {
    empty: bool,
    accessors: bool,
    single_call: bool,
    leaf: bool,
    min_instructions: usize,
}

impl Rules {
    /// Adds the rules of a file. If any line begins with `-keep` or `-allow`, the file is in the line format; else it is
    /// TOML.
    ///
    /// # Errors
    /// If a line, table or key is unknown.
    pub fn add_text(&mut self, text: &str) -> Result<(), RulesError> {
        let is_line = |line: &str| {
            let line = line.trim_start();
            line.starts_with("-keep") || line.starts_with("-allow")
        };
        if text.lines().any(is_line) {
            self.add_lines(text)
        } else {
            self.add_toml(text)
        }
    }

    fn add_toml(&mut self, text: &str) -> Result<(), RulesError> {
        let file: File = toml::from_str(text)?;
        self.include.add(file.include);
        self.exclude.add(file.exclude);
        let skip = &mut self.skip;
        skip.empty |= file.skip.empty;
        skip.accessors |= file.skip.accessors;
        skip.single_call |= file.skip.single_call;
        skip.leaf |= file.skip.leaf;
        skip.min_instructions = skip.min_instructions.max(file.skip.min_instructions);
        Ok(())
    }

    /// `-keep…` excludes classes, `-allow…` includes only these. Names are prefixes.
    fn add_lines(&mut self, text: &str) -> Result<(), RulesError> {
        for (number, line) in text.lines().enumerate() {
            let line = line.trim();
            if line.is_empty() || line.starts_with(['[', '#']) {
                continue;
            }
            let (word, name) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
            let names = match word {
                "-keeppackage" | "-keepclass" => &mut self.exclude,
                "-allowpackage" | "-allowclass" => &mut self.include,
                _ => return Err(wrong_line(number, line)),
            };
            let name = name.trim().replace('/', ".");
            if name.is_empty() {
                return Err(wrong_line(number, line));
            }
            names.prefixes.push(name);
        }
        Ok(())
    }
}

fn wrong_line(number: usize, text: &str) -> RulesError {
    RulesError::Line {
        line: number + 1,
        text: text.to_owned(),
    }
}

impl Names {
    fn add(&mut self, file: NamesInFile) {
        let dotted = |names: Vec<String>| names.into_iter().map(|name| name.replace('/', "."));
        let packages = dotted(file.packages).map(|name| name.trim_end_matches('.').to_owned());
        self.packages.extend(packages);
        self.classes.extend(dotted(file.classes));
        self.methods.extend(dotted(file.methods));
        self.annotations.extend(dotted(file.annotations));
    }
}
