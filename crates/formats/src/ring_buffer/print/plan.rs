//! The plan for an event's arguments: their keys, and the source of each value.

use super::super::format::EventFormat;
use super::args::{literal, split_args};
use super::eval::{Context, Shown};
use super::expr::Expr;
use super::template::{Conversion, Piece, Template};

/// How to create the arguments for one kind of event.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Plan {
    entries: Vec<Entry>,
}

/// One argument.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Entry {
    key: Vec<u8>,
    source: Source,
}

/// The source of a value.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Source {
    /// The field with this index, unformatted.
    Plain(usize),
    Converted(Conversion, Expr),
    /// Several conversions that form one value, such as `8,0`, each with the text before it.
    Joined(Vec<(Vec<u8>, Conversion, Expr)>),
}

/// The last value that was read. The following conversions may be parts of it.
struct Open {
    has_key: bool,
    /// The field that it shows, if it shows only one.
    field: Option<usize>,
    /// `0x` if this precedes its digits.
    prefix: &'static [u8],
}

impl Open {
    /// Whether a conversion of this field belongs to the same value.
    fn takes(&self, field: Option<usize>) -> bool {
        self.has_key || field.is_some() && self.field == field
    }
}

/// The maximum length of a print format. For longer formats, only the plain fields are shown. The longest format in
/// Linux, with all flags of page allocations, has 8 KB.
const LONGEST: usize = 64 << 10;

/// The maximum cost of a print format, in parts and names, because it is evaluated for each event.
/// The flags of page allocations cost about 70.
const MOST_WORK: usize = 2_000;

impl Plan {
    /// Parses the event's print format. Parts that cannot be parsed are shown as plain fields.
    pub fn new(format: &EventFormat, long_bytes: usize) -> Self {
        let mut plan = Self::default();
        let mut is_shown = vec![false; format.fields.len()];
        if format.print_fmt.len() <= LONGEST {
            plan.read(format, long_bytes, &mut is_shown);
        }
        let rest = is_shown.iter().enumerate().filter(|(_, shown)| !**shown);
        let plain = rest.map(|(index, _)| Entry {
            key: format.fields[index].name.clone().into_bytes(),
            source: Source::Plain(index),
        });
        plan.entries.extend(plain);
        plan
    }

    /// Shows the plain fields and ignores the print format.
    pub fn plain(format: &EventFormat) -> Self {
        let fields = format.fields.iter().enumerate();
        let entries = fields.map(|(index, field)| Entry {
            key: field.name.clone().into_bytes(),
            source: Source::Plain(index),
        });
        Self {
            entries: entries.collect(),
        }
    }

    fn read(&mut self, format: &EventFormat, long_bytes: usize, is_shown: &mut [bool]) {
        let args = split_args(&format.print_fmt);
        let Some(text) = literal(args[0]) else {
            return;
        };
        let template = Template::parse(&text, long_bytes);
        let mut args = args[1..].iter();
        let mut open: Option<Open> = None;
        let mut work = 0;
        for piece in &template.pieces {
            args.by_ref().take(piece.stars()).for_each(drop);
            let expr = args.next().and_then(|arg| Expr::parse(arg, format));
            work += expr.as_ref().map_or(0, Expr::cost);
            let Some(expr) = expr.filter(|_| work <= MOST_WORK) else {
                open = None;
                continue;
            };
            let field = only_field(&expr);
            expr.fields(&mut |index| is_shown[index] = true);
            let keyed = key_before(&piece.before);
            if keyed.is_none()
                && is_joint(&piece.before)
                && let Some(first) = open.as_ref().filter(|first| first.takes(field))
            {
                self.join(piece, expr, first.prefix);
                continue;
            }
            let by_field = || field.map(|index| format.fields[index].name.clone().into_bytes());
            let has_key = keyed.is_some();
            let Some(key) = keyed.or_else(by_field) else {
                // A text without a key that combines several fields: each field is shown
                // separately.
                expr.fields(&mut |index| is_shown[index] = false);
                open = None;
                continue;
            };
            let is_hex = piece.before.ends_with(b"0x");
            open = Some(Open {
                has_key,
                field,
                prefix: if is_hex { b"0x" } else { b"" },
            });
            let source = Source::Converted(piece.conversion, expr);
            self.entries.push(Entry { key, source });
        }
    }

    /// Adds a conversion to the previous value, which has this prefix.
    fn join(&mut self, piece: &Piece, expr: Expr, prefix: &[u8]) {
        let Some(entry) = self.entries.last_mut() else {
            return;
        };
        if let Source::Converted(conversion, first) = &entry.source {
            let first = (prefix.to_vec(), *conversion, first.clone());
            entry.source = Source::Joined(vec![first]);
        }
        if let Source::Joined(parts) = &mut entry.source {
            parts.push((piece.before.clone(), piece.conversion, expr));
        }
    }

    /// A plan that formats an event as one text without a key, as the kernel would print it; `None`
    /// if its print format cannot be parsed completely.
    pub fn whole_text(format: &EventFormat, long_bytes: usize) -> Option<Self> {
        let args = split_args(&format.print_fmt);
        let template = Template::parse(&literal(args[0])?, long_bytes);
        let mut args = args[1..].iter();
        let mut parts = Vec::new();
        for piece in template.pieces {
            let expr = Expr::parse(args.next()?, format).filter(|_| piece.stars() == 0)?;
            parts.push((piece.before, piece.conversion, expr));
        }
        let work: usize = parts.iter().map(|(_, _, expr)| expr.cost()).sum();
        if work > MOST_WORK || format.print_fmt.len() > LONGEST {
            return None;
        }
        let entries = vec![Entry {
            key: Vec::new(),
            source: Source::Joined(parts),
        }];
        Some(Self { entries })
    }

    /// Passes on each argument of an event: key and value. The number of arguments is limited to
    /// the number of bytes of the event, in case a format declares more.
    pub fn each<'a>(
        &'a self,
        context: &mut Context<'a, '_>,
        mut take: impl FnMut(&'a [u8], Shown<'a>),
    ) {
        for entry in self.entries.iter().take(context.event.len()) {
            let shown = match &entry.source {
                Source::Plain(index) => context.plain(&context.format.fields[*index]),
                Source::Converted(conversion, expr) => context.converted(*conversion, expr),
                Source::Joined(parts) => joined(parts, context),
            };
            if let Some(shown) = shown {
                take(&entry.key, shown);
            }
        }
    }
}

fn joined<'a>(
    parts: &'a [(Vec<u8>, Conversion, Expr)],
    context: &mut Context<'a, '_>,
) -> Option<Shown<'a>> {
    let mut text = Vec::new();
    for (before, conversion, expr) in parts {
        text.extend_from_slice(before);
        match context.converted(*conversion, expr)? {
            Shown::Int(value) => text.extend(value.to_string().bytes()),
            // `__print_symbolic` shows a number without a name.
            Shown::Hex(value) if *conversion == Conversion::Text => {
                text.extend(format!("{value:#x}").bytes());
            }
            Shown::Hex(value) => text.extend(format!("{value:x}").bytes()),
            Shown::Text(part) => text.extend(part),
            Shown::Made(range) => {
                let part = context.made.get(range)?.to_vec();
                text.extend(part);
            }
        }
    }
    let start = context.made.len();
    context.made.extend(text);
    Some(Shown::Made(start..context.made.len()))
}

/// The field that an expression uses, if it uses exactly one.
fn only_field(expr: &Expr) -> Option<usize> {
    let (mut found, mut is_one) = (None, true);
    expr.fields(&mut |index| is_one &= *found.get_or_insert(index) == index);
    found.filter(|_| is_one)
}

/// The key at the end of the text before a conversion, as in `, state=`, ` [action=`, ` flags =
/// 0x`.
fn key_before(text: &[u8]) -> Option<Vec<u8>> {
    let text = text.strip_suffix(b"0x").unwrap_or(text);
    let opening = |byte: &u8| b"[({<\"' ".contains(byte);
    let end = text.iter().rposition(|byte| !opening(byte))?;
    let text = text[..=end].strip_suffix(b"=")?.trim_ascii_end();
    let is_key = |byte: &u8| byte.is_ascii_alphanumeric() || b"_.->".contains(byte);
    let start = text.iter().rposition(|byte| !is_key(byte));
    let key = &text[start.map_or(0, |at| at + 1)..];
    (!key.is_empty()).then(|| key.to_vec())
}

/// Whether the text between two conversions joins them into one value: `8,0`, `0x10+0x20`, `R+`.
fn is_joint(text: &[u8]) -> bool {
    let text = text.strip_suffix(b"0x").unwrap_or(text);
    text.iter().all(|byte| b",:+|./-".contains(byte))
}

#[cfg(test)]
mod tests {
    use super::super::super::symbols::Symbols;
    use super::*;
    use crate::bytes::ByteOrder;

    /// Formats an event whose four fields `a` to `d` have the values 1 to 4.
    fn shown(print_fmt: &str) -> String {
        let field = |name: char, at: usize| {
            format!("\tfield:unsigned int {name};\toffset:{at};\tsize:4;\tsigned:0;\n")
        };
        let fields: String = ('a'..='d')
            .zip((0..).step_by(4))
            .map(|(name, at)| field(name, at))
            .collect();
        let text = format!("name: e\nID: 1\n{fields}print fmt: {print_fmt}\n");
        let format = EventFormat::parse("s", text.as_bytes()).unwrap();
        let event: Vec<u8> = (1..=4u32).flat_map(u32::to_le_bytes).collect();
        let symbols = Symbols::parse(b"0000000000000001 T start_kernel\n", b"");
        let plan = Plan::new(&format, 8);
        let (mut made, mut out) = (Vec::new(), Vec::new());
        let mut context = Context {
            event: &event,
            format: &format,
            order: ByteOrder::default(),
            symbols: &symbols,
            made: &mut made,
        };
        plan.each(&mut context, |key, value| {
            out.push((String::from_utf8_lossy(key).into_owned(), value));
        });
        let text = |value: &Shown<'_>| match value {
            Shown::Int(value) => value.to_string(),
            Shown::Hex(value) => format!("{value:#x}"),
            Shown::Text(text) => format!("{:?}", String::from_utf8_lossy(text)),
            Shown::Made(range) => format!("{:?}", String::from_utf8_lossy(&made[range.clone()])),
        };
        let pairs: Vec<_> = out
            .iter()
            .map(|(key, value)| format!("{key}={}", text(value)))
            .collect();
        pairs.join(" ")
    }

    #[test]
    fn keys_are_those_of_the_text() {
        for (print_fmt, expected) in [
            (
                r#""vec=%u [action=%s]", REC->a, __print_symbolic(REC->a, {1, "TIMER"})"#,
                r#"vec=1 action="TIMER" b=2 c=3 d=4"#,
            ),
            (
                r#""dev %d,%d ino %lu", REC->a >> 20, REC->a & 0xfffff, (unsigned long)REC->b"#,
                r#"a="0,1" b=2 c=3 d=4"#,
            ),
            (
                r#""dev = (%d,%d), flags = 0x%x", REC->a, REC->b, REC->c"#,
                r#"dev="1,2" flags=0x3 d=4"#,
            ),
            (
                r#""state=%s%s ==> x=%d", REC->a & 3 ? __print_flags(REC->a & 3, "|", {1,"S"},{2,"D"}) : "R", REC->b & 2 ? "+" : "", REC->c"#,
                r#"state="S+" x=3 d=4"#,
            ),
            (
                r#""f=%s g=%s", __print_flags(REC->c, "|", {1,"x"},{2,"y"}), __print_flags(REC->d, "|", {1,"x"})"#,
                r#"f="x|y" g="0x4" a=1 b=2"#,
            ),
            (
                r#""work struct %p: function %ps", REC->b, (void *)REC->a"#,
                r#"b=0x2 a="start_kernel" c=3 d=4"#,
            ),
            (
                r#""dev=0x%x:0x%x prio=%s,%u", REC->a, REC->b, __print_symbolic(REC->c, {1, "x"}), REC->d"#,
                r#"dev="0x1:0x2" prio="0x3,4""#,
            ),
            (r#""a=%d b=%d", no_such(REC->a), REC->b"#, "b=2 a=1 c=3 d=4"),
            (r#""%s", REC->a ? "on" : "off""#, r#"a="on" b=2 c=3 d=4"#),
            ("", "a=1 b=2 c=3 d=4"),
        ] {
            assert_eq!(shown(print_fmt), expected, "{print_fmt}");
        }
    }
}
