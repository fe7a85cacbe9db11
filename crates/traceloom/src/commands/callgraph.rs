//! `traceloom callgraph`: who calls whom, as a picture.

use std::ffi::OsStr;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

use anyhow::{Context, Result, bail};
use traceloom_analyze::{CallGraph, GraphOptions, Profile, ProfileOptions};
use traceloom_graph::{to_dot, to_svg};

use crate::calls::{Clock, Selection, choose_clock, read_calls};
use crate::input::InputArgs;
use crate::output::write_file;
use crate::print::plain;
use crate::times::parse_percent;

/// Draw who calls whom and what it costs: SVG (nothing else needed), Graphviz DOT, or PNG
///
/// Callers are boxes, methods that call nothing are ellipses. The redder a node, the more time it
/// takes itself; the thicker and darker a line, the more time goes that way. Names are whole in
/// the tooltips. A dashed line is a call of a method that was running already; a dotted
/// one leads through methods that are left out.
#[derive(clap::Args, Debug)]
#[command(
    after_help = "Examples:\n  traceloom callgraph app.trace -o calls.svg\n  \
    traceloom callgraph app.trace -o draw.svg --thread main --method onDraw --threshold 0.5\n  \
    traceloom callgraph app.trace -o - --to dot | dot -Tpdf -o calls.pdf"
)]
pub struct CallgraphArgs {
    /// The trace; - is standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// Where to draw: a name ending in .svg, .dot (or .gv) or .png; - is standard output
    #[arg(short, long, value_name = "OUT")]
    output: PathBuf,

    /// What to write, whatever the name says
    #[arg(long, value_enum, value_name = "FORMAT")]
    to: Option<Picture>,

    /// Leave out nodes and edges below this share of the total inclusive time
    #[arg(long, value_name = "PERCENT", default_value_t = 1.0, value_parser = parse_percent)]
    threshold: f64,

    /// Draw at most this many nodes, those with most inclusive time
    #[arg(long, value_name = "N", default_value_t = 80, value_parser = clap::value_parser!(u32).range(1..=1000))]
    max_nodes: u32,

    /// Only threads of this name or tid (exact, else all whose name contains it); repeatable
    #[arg(long, value_name = "NAME|TID")]
    thread: Vec<String>,

    /// Only threads of processes of this name or pid (exact, else all whose name contains it)
    #[arg(long, value_name = "NAME|PID")]
    process: Vec<String>,

    /// The clock to measure by [default: cpu for method traces that recorded it, else wall]
    #[arg(long, value_enum)]
    clock: Option<Clock>,

    /// Only calls that lead to or come from this method: a name, or part of one
    #[arg(long, value_name = "METHOD")]
    method: Option<String>,

    #[command(flatten)]
    open: InputArgs,
}

/// What can be written.
#[derive(clap::ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum Picture {
    /// A picture that opens in every browser
    Svg,
    /// Graphviz's language
    Dot,
    /// A bitmap, through Graphviz's dot where that is installed
    Png,
}

/// Runs the command.
///
/// # Errors
/// If the trace cannot be read, has no such thread or method, or the picture cannot be written.
pub fn run(args: &CallgraphArgs) -> Result<ExitCode> {
    let picture = args.picture()?;
    let graph = args.graph()?;
    let title = args.title();
    let bytes = match picture {
        Picture::Svg => to_svg(&graph, &title).into_bytes(),
        Picture::Dot => to_dot(&graph, &title).into_bytes(),
        Picture::Png => png(&to_dot(&graph, &title))?,
    };
    write_file(&args.output, |out| Ok(out.write_all(&bytes)?))?;
    if graph.hidden_nodes > 0 {
        let (shown, hidden) = (graph.nodes.len(), graph.hidden_nodes);
        eprintln!(
            "traceloom: {shown} nodes drawn; {hidden} left out (see --threshold and --max-nodes)"
        );
    }
    Ok(ExitCode::SUCCESS)
}

impl CallgraphArgs {
    fn picture(&self) -> Result<Picture> {
        if let Some(picture) = self.to {
            return Ok(picture);
        }
        let ending = self.output.extension().and_then(OsStr::to_str);
        match ending.map(str::to_ascii_lowercase).as_deref() {
            Some("svg") => Ok(Picture::Svg),
            Some("dot" | "gv") => Ok(Picture::Dot),
            Some("png") => Ok(Picture::Png),
            _ => bail!(
                "{}: what to draw? Name it .svg, .dot or .png, or say --to svg",
                self.output.display()
            ),
        }
    }

    fn graph(&self) -> Result<CallGraph> {
        let tree = read_calls(&Selection {
            file: &self.file,
            open: &self.open,
            thread: &self.thread,
            process: &self.process,
            from: None,
            to: None,
            all_tracks: false,
        })?;
        let clock = choose_clock(self.clock, &[&tree])?;
        let by = ProfileOptions::of(&tree).by;
        let profile = Profile::new(&tree, &ProfileOptions { by, clock });
        let options = GraphOptions {
            clock,
            threshold_percent: self.threshold,
            max_nodes: self.max_nodes as usize,
            focus: self.focus(&profile)?,
        };
        Ok(CallGraph::new(&tree, &profile, &options))
    }

    fn focus(&self, profile: &Profile) -> Result<Vec<usize>> {
        let Some(method) = &self.method else {
            return Ok(Vec::new());
        };
        let found = profile.find(method);
        if found.is_empty() {
            bail!("no method or slice {method:?} in the trace");
        }
        Ok(found)
    }

    fn title(&self) -> String {
        let name = match self.file.file_name() {
            Some(name) if name != "-" => Path::new(name).display().to_string(),
            _ => "standard input".into(),
        };
        let mut title = name;
        for chosen in self.process.iter().chain(&self.thread) {
            title += &format!(" · {chosen}");
        }
        if let Some(method) = &self.method {
            title += &format!(" · {method}");
        }
        plain(&title).into_owned()
    }
}

/// Has Graphviz draw a bitmap. No shell is involved, and nothing is left on the disk.
fn png(dot: &str) -> Result<Vec<u8>> {
    let child = Command::new("dot")
        .arg("-Tpng")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let mut child = match child {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => bail!(
            "a PNG needs Graphviz's dot, which is not installed; an SVG (-o calls.svg) needs nothing"
        ),
        child => child.context("cannot start Graphviz's dot")?,
    };
    let stdin = child.stdin.take();
    let drawn = std::thread::scope(|scope| {
        // Feeding beside reading: a full pipe on either side would stop both programs.
        let feeder = scope.spawn(move || match stdin {
            Some(mut stdin) => stdin.write_all(dot.as_bytes()),
            None => Ok(()),
        });
        let drawn = child.wait_with_output();
        // A dot that gave up early closes its input; its own words below say why.
        let _early_close = feeder.join();
        drawn
    })
    .context("cannot run Graphviz's dot")?;
    if !drawn.status.success() {
        let words = String::from_utf8_lossy(&drawn.stderr);
        bail!("Graphviz's dot failed: {}", plain(words.trim()));
    }
    Ok(drawn.stdout)
}
