//! The examples in README.md and docs/ are correct: each command is run, and each line below it
//! must occur in its output. Shortened lines have a `…`.
#![cfg(unix)]

use std::path::{Path, PathBuf};
use std::process::Command;

const PAGES: &[&str] = &[
    "README.md",
    "docs/info.md",
    "docs/profile.md",
    "docs/callgraph.md",
    "docs/frames.md",
    "docs/threads.md",
    "docs/events.md",
    "docs/diff.md",
    "docs/convert.md",
    "docs/report.md",
    "docs/traceview.md",
    "docs/recipes.md",
    "docs/sql.md",
];

fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A folder that has the repository's examples and an empty docs folder.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let examples = workspace().join("examples").canonicalize().unwrap();
    std::os::unix::fs::symlink(examples, folder.path().join("examples")).unwrap();
    std::fs::create_dir(folder.path().join("docs")).unwrap();
    folder
}

/// The commands of a page, each with the lines below it. The commands of one block run in one
/// shell.
fn blocks(page: &str) -> Vec<Vec<(String, Vec<String>)>> {
    let text = std::fs::read_to_string(workspace().join(page)).unwrap();
    let fenced = text.split("```\n").skip(1).step_by(2);
    let block = |block: &str| {
        let mut commands: Vec<(String, Vec<String>)> = Vec::new();
        for line in block.lines() {
            match (line.strip_prefix("$ "), commands.last_mut()) {
                (Some(command), _) => commands.push((command.to_owned(), Vec::new())),
                // A quoted text may have several lines.
                (None, Some((command, _))) if command.matches('"').count() % 2 == 1 => {
                    command.push('\n');
                    command.push_str(line);
                }
                (None, Some((_, lines))) => lines.push(line.to_owned()),
                (None, None) => {}
            }
        }
        commands
    };
    fenced
        .map(block)
        .filter(|commands| !commands.is_empty())
        .collect()
}

/// The complete output of a block's commands.
fn printed(commands: &[(String, Vec<String>)], folder: &Path) -> String {
    let program = Path::new(env!("CARGO_BIN_EXE_traceloom")).parent().unwrap();
    let script: Vec<&str> = commands
        .iter()
        .map(|(command, _)| command.as_str())
        .collect();
    let output = Command::new("bash")
        .args(["-c", &script.join("\n")])
        .current_dir(folder)
        .env(
            "PATH",
            format!("{}:{}", program.display(), std::env::var("PATH").unwrap()),
        )
        .env("COLUMNS", "100")
        .output()
        .unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    text(&output.stdout) + &text(&output.stderr)
}

#[test]
fn examples_print_what_the_pages_say() {
    let mut checked = 0;
    for page in PAGES {
        // One folder per page: later examples use files written by earlier ones.
        let folder = folder();
        for block in blocks(page) {
            // An example without output refers to a file of the reader.
            if block.iter().all(|(_, lines)| lines.is_empty()) {
                continue;
            }
            let printed = printed(&block, folder.path());
            let shown = block.iter().flat_map(|(_, lines)| lines);
            for line in shown.filter(|line| !line.trim().is_empty() && !line.contains('…')) {
                assert!(
                    printed.lines().any(|real| real == line),
                    "{page}: no line {line:?} in:\n{printed}"
                );
                checked += 1;
            }
        }
    }
    println!("{checked} lines of examples checked");
    assert!(checked > 100, "only {checked} lines found");
}
