//! Quoting for a device's shell.

/// Quotes a word so that any POSIX shell takes it literally.
///
/// ```
/// use traceloom_capture::adb::quote;
///
/// assert_eq!(quote("com.example.app"), "com.example.app");
/// assert_eq!(quote("it's; reboot"), r"'it'\''s; reboot'");
/// ```
pub fn quote(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./:,=+@%".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::quote;

    #[test]
    fn a_real_shell_reads_the_same_words() {
        let words = [
            "", "a b", "$HOME", "`id`", "'", "\"", "\\", "a\nb", "*", "~", "-n", "ü;",
        ];
        for word in words {
            let line = format!("printf %s {}", quote(word));
            let Ok(output) = Command::new("sh").args(["-c", &line]).output() else {
                println!("skipped: there is no shell");
                return;
            };
            assert_eq!(String::from_utf8(output.stdout).unwrap(), word);
        }
    }
}
