//! Evaluates an expression for one event.

use std::ops::Range;

use super::super::format::{EventField, EventFormat, FieldKind};
use super::super::symbols::Symbols;
use super::expr::{Expr, Names, cut};
use super::object::Object;
use super::template::Conversion;
use crate::bytes::ByteOrder;

/// A value before it becomes a [`Field`](crate::ftrace::event::Field).
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Shown<'a> {
    Int(i64),
    Hex(u64),
    Text(&'a [u8]),
    /// A generated text: its range in `made`.
    Made(Range<usize>),
}

/// One event, and the data needed to format its fields.
pub(crate) struct Context<'a, 'm> {
    pub event: &'a [u8],
    pub format: &'a EventFormat,
    pub order: ByteOrder,
    pub symbols: &'a Symbols,
    /// Memory for generated texts.
    pub made: &'m mut Vec<u8>,
}

/// The maximum number of array elements that are shown.
const MOST_ELEMENTS: usize = 64;

/// The length at which a stack trace is truncated, bytes. A stack of a hundred functions takes less.
const LONGEST_STACK: usize = 16 << 10;

impl<'a> Context<'a, '_> {
    /// Evaluates to a number. A text counts as 0.
    pub fn number(&self, expr: &Expr) -> Option<i64> {
        Some(match expr {
            Expr::Int(value) => *value,
            Expr::Text(_) => 0,
            Expr::Field(index) => {
                let field = self.format.fields.get(*index)?;
                match field.kind {
                    FieldKind::Elsewhere { element, .. } => {
                        let content = field.content(self.event, self.order)?;
                        self.order.int(content, 0, element)?
                    }
                    _ => field.int(self.event, self.order)?,
                }
            }
            Expr::Cast(size, signed, inner) => cut(self.number(inner)?, *size, *signed),
            Expr::Not(inner) => (self.number(inner)? == 0).into(),
            Expr::Invert(inner) => !self.number(inner)?,
            Expr::Binary(operator, sides) => {
                operator.apply(self.number(&sides[0])?, self.number(&sides[1])?)
            }
            Expr::Choice(parts) => self.number(self.chosen(parts)?)?,
            Expr::Symbol(inner, _) | Expr::Flags(inner, _, _) => self.number(inner)?,
        })
    }

    fn chosen<'e>(&self, parts: &'e [Expr; 3]) -> Option<&'e Expr> {
        let is_true = self.number(&parts[0])? != 0;
        Some(if is_true { &parts[1] } else { &parts[2] })
    }

    /// The result of applying a printf conversion to an expression.
    pub fn converted(&mut self, conversion: Conversion, expr: &'a Expr) -> Option<Shown<'a>> {
        Some(match conversion {
            Conversion::Signed(size) => Shown::Int(cut(self.number(expr)?, size, true)),
            Conversion::Unsigned(size) | Conversion::Octal(size) => {
                self.unsigned(cut(self.number(expr)?, size, false))
            }
            Conversion::Hex(size) => Shown::Hex(cut(self.number(expr)?, size, false) as u64),
            Conversion::Pointer => Shown::Hex(self.number(expr)? as u64),
            Conversion::Pointed(object) => self.object(object, expr)?,
            Conversion::Character => {
                let letter = self.number(expr)? as u8;
                self.make(|made| made.push(letter))
            }
            Conversion::Text => self.text(expr)?,
            Conversion::Function => self.function(self.number(expr)? as u64, false),
            Conversion::FunctionOffset => self.function(self.number(expr)? as u64, true),
        })
    }

    /// Formats an object. Its bytes are in the event, unless its field is the object's address.
    fn object(&mut self, object: Object, expr: &'a Expr) -> Option<Shown<'a>> {
        let field = match expr {
            Expr::Field(index) => self.format.fields.get(*index),
            _ => None,
        };
        let is_here =
            |field: &&EventField| !matches!(field.kind, FieldKind::Number | FieldKind::Pointer);
        let Some(field) = field.filter(is_here) else {
            return Some(Shown::Hex(self.number(expr)? as u64));
        };
        let content = field.content(self.event, self.order)?;
        match object.text(content, self.order) {
            Some(text) => Some(self.make(|made| made.extend(text.bytes()))),
            None => self.plain(field),
        }
    }

    fn unsigned(&mut self, value: i64) -> Shown<'a> {
        match value {
            0.. => Shown::Int(value),
            _ => self.make(|made| made.extend((value as u64).to_string().bytes())),
        }
    }

    fn make(&mut self, write: impl FnOnce(&mut Vec<u8>)) -> Shown<'a> {
        let start = self.made.len();
        write(self.made);
        Shown::Made(start..self.made.len())
    }

    /// The function at an address, or the address if unknown.
    pub fn function(&mut self, address: u64, with_offset: bool) -> Shown<'a> {
        match self.symbols.function(address) {
            Some((name, offset)) if with_offset => self.make(|made| {
                made.extend(name);
                made.extend(format!("+{offset:#x}").bytes());
            }),
            Some((name, _)) => Shown::Text(name),
            None => Shown::Hex(address),
        }
    }

    /// The text that `%s` prints.
    fn text(&mut self, expr: &'a Expr) -> Option<Shown<'a>> {
        Some(match expr {
            Expr::Text(text) => Shown::Text(text),
            Expr::Field(index) => {
                let field = self.format.fields.get(*index)?;
                return self.field_text(field);
            }
            Expr::Choice(parts) => {
                let is_true = self.number(&parts[0])? != 0;
                return self.text(&parts[if is_true { 1 } else { 2 }]);
            }
            Expr::Symbol(inner, names) => symbol(self.number(inner)?, names),
            Expr::Flags(inner, between, names) => {
                let bits = self.number(inner)?;
                self.flags(bits, between, names)
            }
            other => Shown::Int(self.number(other)?),
        })
    }

    fn field_text(&mut self, field: &'a EventField) -> Option<Shown<'a>> {
        if field.is_text() {
            return field.text(self.event, self.order).map(Shown::Text);
        }
        self.plain(field)
    }

    /// Formats `GFP_KERNEL|__GFP_ZERO`. Bits without a name follow as a number.
    fn flags(&mut self, bits: i64, between: &[u8], names: &'a Names) -> Shown<'a> {
        let mut left = bits;
        let mut set = names.iter().filter(|(value, _)| {
            let is_set = *value != 0 && left & value == *value;
            left &= if is_set { !value } else { -1 };
            is_set
        });
        let first = set.next();
        let second = set.next();
        let (Some((_, first)), None) = (first, second) else {
            let all: Vec<&[u8]> = [first, second]
                .into_iter()
                .flatten()
                .chain(set)
                .map(|(_, name)| &name[..])
                .collect();
            return self.joined(all, between, left);
        };
        match left {
            0 => Shown::Text(first),
            left => self.joined(vec![first], between, left),
        }
    }

    fn joined(&mut self, names: Vec<&[u8]>, between: &[u8], left: i64) -> Shown<'a> {
        self.make(|made| {
            for (number, name) in names.iter().enumerate() {
                if number > 0 {
                    made.extend(between);
                }
                made.extend(*name);
            }
            if left != 0 {
                if !names.is_empty() {
                    made.extend(between);
                }
                made.extend(format!("{left:#x}").bytes());
            }
        })
    }

    /// Formats a field according to its own type, without a conversion.
    pub fn plain(&mut self, field: &'a EventField) -> Option<Shown<'a>> {
        let (event, order) = (self.event, self.order);
        Some(match field.kind {
            FieldKind::Number => {
                let value = field.int(event, order)?;
                if value < 0 && !field.is_signed {
                    Shown::Hex(value as u64)
                } else {
                    Shown::Int(value)
                }
            }
            FieldKind::Pointer => Shown::Hex(field.int(event, order)? as u64),
            FieldKind::TextPointer => {
                let address = order.uint(event, field.offset, field.size)?;
                match self.symbols.text(address) {
                    Some(text) => Shown::Text(text),
                    None => Shown::Hex(address),
                }
            }
            FieldKind::Device => {
                let device = field.int(event, order)? as u64;
                let (major, minor) = (device >> 20, device & 0xf_ffff);
                self.make(|made| made.extend(format!("{major},{minor}").bytes()))
            }
            FieldKind::Text | FieldKind::Elsewhere { is_text: true, .. } => {
                Shown::Text(field.text(event, order)?)
            }
            FieldKind::Array(element) if field.name == "caller" => {
                self.stack(self.callers(field, element)?, element)
            }
            FieldKind::Array(element) | FieldKind::Elsewhere { element, .. } => {
                let content = field.content(event, order)?;
                self.array(content, element, field.is_signed)
            }
        })
    }

    /// The addresses of a stack trace. The kernel declares a few addresses, but records as many as the stack has. In a
    /// kernel stack, `size` is their number.
    fn callers(&self, field: &EventField, element: usize) -> Option<&'a [u8]> {
        let present = self.event.get(field.offset..)?;
        let size = self.format.field("size");
        let stated = size.and_then(|size| size.int(self.event, self.order));
        let stated = stated.and_then(|count| usize::try_from(count).ok());
        let stated = stated.unwrap_or(usize::MAX).saturating_mul(element);
        Some(&present[..stated.min(present.len())])
    }

    /// The functions of a stack trace, innermost first. The stack ends at an address whose bits are all ones or, in a
    /// program's stack, all zeros.
    fn stack(&mut self, content: &[u8], element: usize) -> Shown<'a> {
        let (order, symbols) = (self.order, self.symbols);
        let is_end = |at: &[u8]| matches!(order.int(at, 0, element), None | Some(0 | -1));
        self.make(|made| {
            let start = made.len();
            let addresses = content.chunks_exact(element.max(1));
            for (number, at) in addresses.take_while(|at| !is_end(at)).enumerate() {
                if number > 0 {
                    made.extend(b" <- ");
                }
                if made.len() - start > LONGEST_STACK {
                    return made.extend("…".bytes());
                }
                let address = order.uint(at, 0, element).unwrap_or(0);
                match symbols.function(address) {
                    Some((name, _)) => made.extend(name),
                    None => made.extend(format!("{address:#x}").bytes()),
                }
            }
        })
    }

    /// Formats `1,2,3`. The end of a long array is omitted.
    fn array(&mut self, content: &[u8], element: usize, is_signed: bool) -> Shown<'a> {
        let order = self.order;
        self.make(|made| {
            for (number, at) in content.chunks_exact(element.max(1)).enumerate() {
                if number > 0 {
                    made.push(b',');
                }
                if number == MOST_ELEMENTS {
                    made.extend("…".bytes());
                    return;
                }
                let value = if is_signed {
                    order.int(at, 0, element).unwrap_or(0).to_string()
                } else {
                    order.uint(at, 0, element).unwrap_or(0).to_string()
                };
                made.extend(value.bytes());
            }
        })
    }
}

/// The name of a number, or the number itself.
fn symbol(value: i64, names: &Names) -> Shown<'_> {
    match names.iter().find(|(known, _)| *known == value) {
        Some((_, name)) => Shown::Text(name),
        None => Shown::Hex(value as u64),
    }
}

#[cfg(test)]
mod tests {
    use super::super::plan::Plan;
    use super::*;

    /// The generated texts of an event with this format.
    fn made(format: &str, event: &[u8]) -> Vec<String> {
        let format = EventFormat::parse("s", format.as_bytes()).unwrap();
        let symbols = Symbols::parse(
            b"0000000000001000 T a\n0000000000002000 T b\n0000000000003000 T c\n",
            b"",
        );
        let (mut made, mut texts) = (Vec::new(), Vec::new());
        let mut context = Context {
            event,
            format: &format,
            order: ByteOrder::default(),
            symbols: &symbols,
            made: &mut made,
        };
        let plan = Plan::new(&format, 8);
        plan.each(&mut context, |key, value| {
            if let Shown::Made(range) = value {
                texts.push((String::from_utf8_lossy(key).into_owned(), range));
            }
        });
        let text = |range: Range<usize>| String::from_utf8_lossy(&made[range]).into_owned();
        let texts = texts.into_iter();
        texts
            .map(|(key, range)| format!("{key}={}", text(range)))
            .collect()
    }

    /// The text of a kernel stack whose format declares eight functions.
    fn stack_of(size: u32, addresses: &[u64]) -> String {
        let format = "name: kernel_stack\nID: 4\n\tfield:int size;\toffset:8;\tsize:4;\tsigned:1;\n\
            \tfield:unsigned long caller[8];\toffset:16;\tsize:64;\tsigned:0;\n\
            print fmt: \"\\t=> %ps\\n\", (void *)REC->caller[0]\n";
        let mut event = vec![0; 8];
        event.extend(size.to_le_bytes().into_iter().chain([0; 4]));
        event.extend(addresses.iter().flat_map(|address| address.to_le_bytes()));
        made(format, &event).concat()
    }

    #[test]
    fn objects_in_the_event_are_printed() {
        let format = "name: e\nID: 4\n\tfield:u8 mac[6];\toffset:8;\tsize:6;\tsigned:0;\n\
            \tfield:__u8 saddr[4];\toffset:14;\tsize:4;\tsigned:0;\n\
            \tfield:u8 raw[3];\toffset:18;\tsize:3;\tsigned:0;\n\
            print fmt: \"mac=%pM saddr=%pI4 raw=%3phN\", REC->mac, REC->saddr, REC->raw\n";
        let mut event = vec![0; 8];
        event.extend([0, 1, 2, 3, 4, 5, 127, 0, 0, 1, 7, 8, 9]);
        let expected = ["mac=00:01:02:03:04:05", "saddr=127.0.0.1", "raw=7,8,9"];
        assert_eq!(made(format, &event), expected);
    }

    #[test]
    fn a_kernel_stack_has_any_number_of_functions() {
        assert_eq!(stack_of(2, &[0x1004, 0x2008]), "caller=a <- b");
        assert_eq!(stack_of(1, &[0x1004, 0x2008]), "caller=a");
        let deep = stack_of(70, &[0x1004; 70]);
        assert_eq!(deep.split(" <- ").count(), 70);
        assert_eq!(stack_of(3, &[0x1004, u64::MAX, 0x2008]), "caller=a");
    }
}
