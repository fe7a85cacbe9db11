//! JSON as text, written value after value at the end of one string, by few and small functions: a
//! report carries them, and what a general serializer makes of every type weighs more than the
//! answers themselves.

use traceloom_analyze::frames::{AppReport, BlockedReport, TopReport, WorstFrame};
use traceloom_trace::{decimal, shortest_digits};

use crate::text::cut;

/// The inside of a JSON object, written so far. Objects and lists within may be open.
#[derive(Clone, Debug, Default)]
pub struct Json(Vec<u8>);

/// What can be written as JSON.
pub trait ToJson {
    /// Writes the value as the field `key` of the object that is open, or as the next item of the
    /// list that is open, which has no key: `""`.
    fn put(&self, key: &str, json: &mut Json);
}

impl Json {
    /// Adds a field to the object that is open.
    pub fn put(&mut self, key: &str, value: impl ToJson) -> &mut Self {
        value.put(key, self);
        self
    }

    /// Adds a text as [`cut`] shortens it.
    #[inline(never)]
    pub fn put_cut(&mut self, key: &str, text: &str, most: usize) -> &mut Self {
        self.text(key, &cut(text, most));
        self
    }

    /// Adds an object, whose fields `fill` adds.
    pub fn object(&mut self, key: &str, fill: impl FnOnce(&mut Self)) -> &mut Self {
        self.word(key, "{");
        fill(self);
        self.add("}");
        self
    }

    /// Adds a list, whose items `fill` adds: values without a key.
    pub fn list(&mut self, key: &str, fill: impl FnOnce(&mut Self)) -> &mut Self {
        self.word(key, "[");
        fill(self);
        self.add("]");
        self
    }

    /// Adds a list of objects, one for each item.
    pub fn objects<T>(
        &mut self,
        key: &str,
        items: impl IntoIterator<Item = T>,
        mut fill: impl FnMut(&mut Self, T),
    ) -> &mut Self {
        self.list(key, |json| {
            for item in items {
                json.word("", "{");
                fill(json, item);
                json.add("}");
            }
        })
    }

    /// What stands between the object's braces, as UTF-8.
    pub(crate) fn inside(&self) -> &[u8] {
        &self.0
    }

    /// Adds `items`, which are written already, as a list.
    pub(crate) fn put_items(&mut self, key: &str, items: &Self) {
        self.word(key, "[");
        self.0.extend_from_slice(&items.0);
        self.add("]");
    }

    #[inline(never)]
    fn add(&mut self, json: &str) {
        self.0.extend_from_slice(json.as_bytes());
    }

    /// A comma where something stands before, and the key if there is one.
    // Here and below: not inlined, as it stands once for each value of each answer.
    #[inline(never)]
    fn place(&mut self, key: &str) {
        // The last character of a value is never one of these.
        if !matches!(self.0.last(), None | Some(b'{' | b'[')) {
            self.0.push(b',');
        }
        if !key.is_empty() {
            self.quote(key);
            self.0.push(b':');
        }
    }

    #[inline(never)]
    fn quote(&mut self, text: &str) {
        let out = &mut self.0;
        out.reserve(text.len() + 2);
        out.push(b'"');
        let text = text.as_bytes();
        let mut plain = 0;
        for (at, &byte) in text.iter().enumerate() {
            let short = match byte {
                b'\n' => b'n',
                b'\t' => b't',
                b'\r' => b'r',
                b'"' | b'\\' => byte,
                ..b' ' => b'u',
                _ => 0,
            };
            if short == 0 {
                continue;
            }
            out.extend_from_slice(text.get(plain..at).unwrap_or_default());
            plain = at + 1;
            out.extend_from_slice(&[b'\\', short]);
            if short == b'u' {
                let hex = char::from_digit(u32::from(byte & 15), 16);
                out.extend_from_slice(&[b'0', b'0', b'0' + (byte >> 4)]);
                out.push(hex.unwrap_or_default() as u8);
            }
        }
        out.extend_from_slice(text.get(plain..).unwrap_or_default());
        out.push(b'"');
    }

    #[inline(never)]
    fn text(&mut self, key: &str, text: &str) {
        self.place(key);
        self.quote(text);
    }

    /// What is JSON already, or starts an object or a list.
    #[inline(never)]
    fn word(&mut self, key: &str, word: &str) {
        self.place(key);
        self.add(word);
    }

    #[inline(never)]
    fn unsigned(&mut self, key: &str, number: u64) {
        self.word(key, decimal(number, 0, &mut [0; 24]));
    }

    #[inline(never)]
    fn signed(&mut self, key: &str, number: i64) {
        self.word(key, if number < 0 { "-" } else { "" });
        self.add(decimal(number.unsigned_abs(), 0, &mut [0; 24]));
    }

    #[inline(never)]
    fn float(&mut self, key: &str, number: f64) {
        if !number.is_finite() {
            self.word(key, "null");
        } else if number.trunc() == number && number.abs() < EXACT {
            self.word(key, if number.is_sign_negative() { "-" } else { "" });
            // With its `.0`.
            self.add(decimal(number.abs() as u64 * 10, 1, &mut [0; 24]));
        } else {
            self.word(key, &shortest_digits(number));
        }
    }
}

/// Floats up to here are whole numbers and are written as such.
const EXACT: f64 = (1u64 << 53) as f64;

macro_rules! as_number {
    ($($method:ident($number:ty): $($type:ty)*;)*) => {$($(
        impl ToJson for $type {
            fn put(&self, key: &str, json: &mut Json) {
                json.$method(key, <$number>::from(*self));
            }
        }
    )*)*};
}

as_number! {
    unsigned(u64): u8 u32 u64;
    signed(i64): i32 i64;
    float(f64): f64;
}

impl ToJson for usize {
    fn put(&self, key: &str, json: &mut Json) {
        json.unsigned(key, *self as u64);
    }
}

impl ToJson for bool {
    fn put(&self, key: &str, json: &mut Json) {
        json.word(key, if *self { "true" } else { "false" });
    }
}

impl ToJson for str {
    fn put(&self, key: &str, json: &mut Json) {
        json.text(key, self);
    }
}

impl ToJson for String {
    fn put(&self, key: &str, json: &mut Json) {
        json.text(key, self);
    }
}

impl<T: ToJson + ?Sized> ToJson for &T {
    fn put(&self, key: &str, json: &mut Json) {
        (**self).put(key, json);
    }
}

impl<T: ToJson> ToJson for Option<T> {
    fn put(&self, key: &str, json: &mut Json) {
        match self {
            Some(value) => value.put(key, json),
            None => json.word(key, "null"),
        }
    }
}

impl<T: ToJson> ToJson for Vec<T> {
    fn put(&self, key: &str, json: &mut Json) {
        json.list(key, |json| {
            for value in self {
                value.put("", json);
            }
        });
    }
}

macro_rules! structs {
    ($($type:ident: $($field:ident)*;)*) => {$(
        impl ToJson for $type {
            fn put(&self, key: &str, json: &mut Json) {
                json.object(key, |json| {
                    $(json.put(stringify!($field), &self.$field);)*
                });
            }
        }
    )*};
}

structs! {
    AppReport: upid utid pid tid label kind frames janky missed p50_ns p90_ns p99_ns worst_ns
        unfinished;
    WorstFrame: upid utid label ts dur late_start_ns ui_ns missed slice render_slice running_ns
        runnable_ns blocked_ns io_ns other_ns blocked_on top;
    BlockedReport: label function waker waker_utid io ns;
    TopReport: label ns slice;
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(value: &dyn ToJson) -> String {
        let mut json = Json::default();
        value.put("", &mut json);
        String::from_utf8(json.0).unwrap()
    }

    #[test]
    fn texts_are_those_of_another_writer() {
        let hostile = "a\"b\\c\u{0}\u{1f}\u{7f}\n\r\t</script>\u{2028}äöü😀";
        let back: String = serde_json::from_str(&text(&hostile)).unwrap();
        assert_eq!(back, hostile);
    }

    #[test]
    fn numbers_are_those_of_another_writer() {
        let floats = [
            0.0,
            -0.0,
            1.5,
            -2.0,
            1e300,
            5e-324,
            0.1 + 0.2,
            9007199254740993.0,
            f64::MIN,
        ];
        for float in floats {
            let back: f64 = serde_json::from_str::<serde_json::Value>(&text(&float))
                .unwrap()
                .to_string()
                .parse()
                .unwrap();
            assert_eq!(
                text(&float).parse::<f64>().unwrap().to_bits(),
                float.to_bits()
            );
            assert!((back - float).abs() <= float.abs() * 1e-15, "{float}");
        }
        for number in [i64::MIN, -1, 0, 7, 10, i64::MAX] {
            assert_eq!(text(&number), number.to_string());
        }
        assert_eq!(text(&u64::MAX), u64::MAX.to_string());
        assert_eq!(text(&f64::NAN), "null");
    }

    #[test]
    fn objects_and_lists() {
        let mut json = Json::default();
        json.put("a", 1u32).put("b", [1i64, -2].to_vec());
        json.list("c", |json| {
            json.put("", Some("x")).put("", None::<u32>);
            json.object("", |_| ());
            json.list("", |_| ()).put("", true);
        });
        json.objects("d", [1u8, 2], |json, number| {
            json.put("n", number).put_cut("t", "abc", 2);
        });
        let mut items = Json::default();
        items.put("", "[").put("", "{");
        json.put_items("e", &items);
        let expected = r#""a":1,"b":[1,-2],"c":["x",null,{},[],true],"d":[{"n":1,"t":"a…"},{"n":2,"t":"a…"}],"e":["[","{"]"#;
        assert_eq!(json.inside(), expected.as_bytes());
    }
}
