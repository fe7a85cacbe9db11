//! Writes man pages and shell completions, from the same definitions as `--help`: `cargo xtask man
//! DIR`. It is an example, so that the program does not contain the generators.

use std::io::Result;
use std::path::{Path, PathBuf};

use clap_complete::{Shell, generate_to};

const SHELLS: [Shell; 4] = [Shell::Bash, Shell::Zsh, Shell::Fish, Shell::PowerShell];

fn main() -> Result<()> {
    let folder = std::env::args_os().nth(1).map(PathBuf::from);
    let folder = folder.unwrap_or_else(|| PathBuf::from("target/man"));
    let man = folder.join("man1");
    std::fs::create_dir_all(&man)?;
    clap_mangen::generate_to(
        traceloom::cli::command().disable_help_subcommand(true),
        &man,
    )?;
    completions(&folder.join("completions"))?;
    let pages = std::fs::read_dir(&man)?.count();
    println!(
        "{pages} man pages and completions for {} shells in {}",
        SHELLS.len(),
        folder.display()
    );
    Ok(())
}

fn completions(folder: &Path) -> Result<()> {
    std::fs::create_dir_all(folder)?;
    for shell in SHELLS {
        let mut command = traceloom::cli::command();
        generate_to(shell, &mut command, "traceloom", folder)?;
    }
    Ok(())
}
