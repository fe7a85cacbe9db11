//! Parses the parts of `.proto` files that the table needs: messages, their fields, and enums.

use anyhow::{Context, Result, bail};

/// A field of a message.
pub struct Field {
    pub number: u32,
    pub name: String,
    pub kind: String,
    pub repeated: bool,
}

/// A message, without the messages inside of it.
#[derive(Default)]
pub struct Message {
    pub fields: Vec<Field>,
}

/// An enum: values and names.
#[derive(Default)]
pub struct Enum {
    pub values: Vec<(i64, String)>,
}

/// Fields for a message that is elsewhere.
pub struct Extension {
    pub extendee: String,
    /// The message in which it stands; empty outside of messages.
    pub scope: String,
    pub fields: Vec<Field>,
}

/// The messages and enums of a file, by their full names.
#[derive(Default)]
pub struct File {
    pub messages: Vec<(String, Message)>,
    pub enums: Vec<(String, Enum)>,
    pub extensions: Vec<Extension>,
}

impl File {
    /// Parses the text of a file.
    pub fn parse(text: &str) -> Result<Self> {
        let mut parser = Parser {
            tokens: tokens(text),
            at: 0,
        };
        let mut file = File::default();
        while let Some(token) = parser.next() {
            match token {
                "message" => parser.message("", &mut file)?,
                "enum" => parser.enumeration("", &mut file)?,
                "extend" => parser.extension("", &mut file)?,
                "{" => parser.skip_block()?,
                _ => {}
            }
        }
        Ok(file)
    }
}

/// Splits a text into words and punctuation, without comments.
fn tokens(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = if rest.starts_with("//") {
            rest = rest.split_once('\n').map_or("", |(_, rest)| rest);
            continue;
        } else if rest.starts_with("/*") {
            rest = rest.split_once("*/").map_or("", |(_, rest)| rest);
            continue;
        } else if first == '"' {
            rest[1..].find('"').map_or(rest.len(), |end| end + 2)
        } else if is_word(first) {
            rest.find(|c| !is_word(c)).unwrap_or(rest.len())
        } else {
            first.len_utf8()
        };
        let (token, after) = rest.split_at(length);
        rest = after;
        if !token.trim().is_empty() {
            found.push(token);
        }
    }
    found
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '.' | '-')
}

struct Parser<'a> {
    tokens: Vec<&'a str>,
    at: usize,
}

impl<'a> Parser<'a> {
    fn next(&mut self) -> Option<&'a str> {
        let token = self.tokens.get(self.at).copied();
        self.at += 1;
        token
    }

    fn word(&mut self) -> Result<&'a str> {
        self.next().context("the file ends early")
    }

    /// The body of a message, whose name is next.
    fn message(&mut self, outer: &str, file: &mut File) -> Result<()> {
        let name = full_name(outer, self.word()?);
        self.expect("{")?;
        let mut message = Message::default();
        self.fields(&name, &mut message, file)?;
        file.messages.push((name, message));
        Ok(())
    }

    /// Fields up to the closing brace.
    fn fields(&mut self, scope: &str, message: &mut Message, file: &mut File) -> Result<()> {
        loop {
            match self.word()? {
                "}" => return Ok(()),
                ";" => {}
                "message" => self.message(scope, file)?,
                "enum" => self.enumeration(scope, file)?,
                "oneof" => {
                    self.word()?;
                    self.expect("{")?;
                    self.fields(scope, message, file)?;
                }
                "extend" => self.extension(scope, file)?,
                // No message of the table has a map.
                "reserved" | "extensions" | "option" | "map" => self.skip_statement()?,
                "repeated" => {
                    let kind = self.word()?;
                    message.fields.push(self.field(kind, true)?);
                }
                "optional" | "required" => {
                    let kind = self.word()?;
                    message.fields.push(self.field(kind, false)?);
                }
                kind => message.fields.push(self.field(kind, false)?),
            }
        }
    }

    /// An `extend` block, whose message is next.
    fn extension(&mut self, scope: &str, file: &mut File) -> Result<()> {
        let extendee = self.word()?.to_owned();
        self.expect("{")?;
        let mut message = Message::default();
        self.fields(scope, &mut message, file)?;
        file.extensions.push(Extension {
            extendee,
            scope: scope.to_owned(),
            fields: message.fields,
        });
        Ok(())
    }

    fn field(&mut self, kind: &str, repeated: bool) -> Result<Field> {
        let name = self.word()?.to_owned();
        self.expect("=")?;
        let number = self.word()?;
        let number = number
            .parse()
            .with_context(|| format!("{name} = {number}"))?;
        self.skip_statement()?;
        Ok(Field {
            number,
            name,
            kind: kind.to_owned(),
            repeated,
        })
    }

    fn enumeration(&mut self, outer: &str, file: &mut File) -> Result<()> {
        let name = full_name(outer, self.word()?);
        self.expect("{")?;
        let mut found = Enum::default();
        loop {
            match self.word()? {
                "}" => break,
                ";" => {}
                "reserved" | "option" => self.skip_statement()?,
                value => {
                    self.expect("=")?;
                    let number = self.word()?;
                    let number = match number.strip_prefix("0x") {
                        Some(digits) => i64::from_str_radix(digits, 16)?,
                        None => number.parse().with_context(|| number.to_owned())?,
                    };
                    self.skip_statement()?;
                    found.values.push((number, value.to_owned()));
                }
            }
        }
        file.enums.push((name, found));
        Ok(())
    }

    fn expect(&mut self, expected: &str) -> Result<()> {
        match self.word()? {
            token if token == expected => Ok(()),
            token => bail!("expected {expected}, found {token}"),
        }
    }

    /// Skips to the end of the statement.
    fn skip_statement(&mut self) -> Result<()> {
        while self.word()? != ";" {}
        Ok(())
    }

    /// Skips to the brace that closes the current block.
    fn skip_block(&mut self) -> Result<()> {
        let mut open = 1;
        while open > 0 {
            match self.word()? {
                "{" => open += 1,
                "}" => open -= 1,
                _ => {}
            }
        }
        Ok(())
    }
}

fn full_name(outer: &str, name: &str) -> String {
    if outer.is_empty() {
        return name.to_owned();
    }
    format!("{outer}.{name}")
}
