//! The page's style in fewer bytes.

/// A style sheet without comments, and blanks and semicolons that nothing needs. Strings stay as they are; a
/// blank before a colon stays too: in a selector it means something.
pub(crate) fn short_style(css: &str) -> String {
    let mut out = String::with_capacity(css.len());
    let (mut rest, mut quote) = (css, None);
    while let Some(letter) = rest.chars().next() {
        if quote.is_none() && rest.starts_with("/*") {
            rest = rest[2..].split_once("*/").map_or("", |(_, after)| after);
            continue;
        }
        rest = &rest[letter.len_utf8()..];
        match (quote, letter) {
            (Some(open), _) => quote = (letter != open).then_some(open),
            (None, '"' | '\'') => quote = Some(letter),
            _ => {}
        }
        let glues = |last: char| matches!(last, '{' | '}' | ';' | ',' | ':' | '>' | ' ');
        let is_blank = quote.is_none() && letter.is_ascii_whitespace();
        match (is_blank, letter) {
            (true, _) if out.is_empty() || out.ends_with(glues) => {}
            (true, _) => out.push(' '),
            (_, '{' | '}' | ';' | ',' | '>') if quote.is_none() => {
                let needless = |last: char| last == ' ' || (last, letter) == (';', '}');
                let kept = out.trim_end_matches(needless).len();
                out.truncate(kept);
                out.push(letter);
            }
            _ => out.push(letter),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_style_without_blanks_means_the_same() {
        let css = "/* a */\n:root { --a: #fff;\n --b: 1px 2px; }\n.a  .b:not(:first-child) > i, .c :hover\n{ content: \" { ; } \"; }\n";
        let expected =
            ":root{--a:#fff;--b:1px 2px}.a .b:not(:first-child)>i,.c :hover{content:\" { ; } \"}";
        assert_eq!(short_style(css), expected);
    }
}
