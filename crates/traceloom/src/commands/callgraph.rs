//! `traceloom callgraph`: draws a call graph.

use std::ffi::OsStr;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

use anyhow::{Context, Result, bail};
use traceloom_analyze::{CallGraph, CallTree, GraphOptions, Measure, Profile, ProfileOptions};
use traceloom_graph::{to_dot, to_svg};

use crate::calls::{Clock, Samples, Selection, choose_clock, read_calls};
use crate::input::InputArgs;
use crate::output::write_file;
use crate::print::{message, ms, plain, thousands};
use crate::times::parse_percent;

/// Draw a call graph: who calls whom and what it costs (SVG, Graphviz DOT or PNG)
///
/// Boxes are methods that call others, ellipses methods that call none. A redder node has more
/// exclusive time; a thicker, darker line carries more time. Tooltips show full names. A dashed line
/// is a recursive call; a dotted line passes through methods that are left out. In a trace of a
/// sampling profiler, samples are counted instead of time.
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

    /// The file to write: a name ending in .svg, .dot (or .gv) or .png; - is standard output
    #[arg(short, long, value_name = "OUT")]
    output: PathBuf,

    /// The format to write [default: by the ending of OUT]
    #[arg(long, value_enum, value_name = "FORMAT")]
    to: Option<Picture>,

    /// Leave out nodes and edges below this share of the total inclusive time
    #[arg(long, value_name = "PERCENT", default_value_t = 1.0, value_parser = parse_percent)]
    threshold: f64,

    /// Draw at most N nodes, those with the most inclusive time
    #[arg(long, value_name = "N", default_value_t = 80, value_parser = clap::value_parser!(u32).range(1..=1000))]
    max_nodes: u32,

    /// Only threads with this name or tid (an exact match, else every name that contains it); repeatable
    #[arg(long, value_name = "NAME|TID")]
    thread: Vec<String>,

    /// Only processes with this name or pid (an exact match, else every name that contains it); repeatable
    #[arg(long, value_name = "NAME|PID")]
    process: Vec<String>,

    /// Clock to measure by [default: cpu for method traces that recorded it, else wall]
    #[arg(long, value_enum)]
    clock: Option<Clock>,

    /// Only call paths through this method: a name, or a part of one
    #[arg(long, value_name = "NAME")]
    method: Option<String>,

    /// In a system trace, include slices that belong to no thread: async slices, interrupts
    #[arg(long)]
    all_tracks: bool,

    /// Count the samples of a profiler; the default for a trace without calls and slices
    #[arg(long, conflicts_with_all = ["clock", "all_tracks"])]
    samples: bool,

    /// Count only the samples of this event, such as cycles:u (an exact match, else a name that contains it)
    #[arg(long, value_name = "NAME", conflicts_with_all = ["clock", "all_tracks"])]
    event: Option<String>,

    #[command(flatten)]
    open: InputArgs,
}

/// An output format.
#[derive(clap::ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum Picture {
    /// Opens in every browser
    Svg,
    /// The language of Graphviz
    Dot,
    /// A bitmap; needs Graphviz's dot
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
        message!(
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
                "{}: unknown ending; use .svg, .dot or .png, or choose with --to",
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
            all_tracks: self.all_tracks,
            samples: Samples::wanted(self.samples, self.event.as_deref()),
            event: self.event.as_deref(),
        })?;
        if self.clock.is_some() && tree.counts_samples() {
            bail!(
                "--clock: {} has samples of a profiler only, which are counted, not timed",
                self.file.display()
            );
        }
        let clock = choose_clock(self.clock, &[&tree])?;
        let by = ProfileOptions::for_tree(&tree).by;
        let profile = Profile::new(&tree, &ProfileOptions { by, clock });
        let options = GraphOptions {
            clock,
            threshold_percent: self.threshold,
            max_nodes: self.max_nodes as usize,
            focus: self.focus(&profile)?,
        };
        report_unfinished(&tree, &profile, clock);
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

/// Reports slices that never ended, whose time is in no node.
fn report_unfinished(tree: &CallTree, profile: &Profile, clock: Measure) {
    let slices = tree.unfinished_slices();
    let times = profile.unfinished.as_ref();
    let Some(ns) = times.and_then(|times| times.get(clock)) else {
        return;
    };
    if slices > 0 {
        let (noun, slices) = (
            if slices == 1 { "slice" } else { "slices" },
            thousands(slices),
        );
        message!(
            "traceloom: the graph leaves out {} ms in {slices} {noun} that never ended",
            ms(ns)
        );
    }
}

/// Lets Graphviz draw a bitmap, without a shell and without temporary files.
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
        // Write and read at the same time: a full pipe on either side would block both programs.
        let feeder = scope.spawn(move || match stdin {
            Some(mut stdin) => stdin.write_all(dot.as_bytes()),
            None => Ok(()),
        });
        let drawn = child.wait_with_output();
        // If dot failed early, it has closed its input. Its message below gives the reason.
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
