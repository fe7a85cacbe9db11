//! Records: chooses the agents, starts them, waits, stops them, and writes what they have.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use traceloom_capture::adb::{Adb, Device};
use traceloom_capture::{
    Agent, AtraceAgent, AtraceOptions, CaptureError, Controller, DdmsAgent, DdmsOptions, FileAgent,
    Limits, LiveAtraceAgent, MethodAgent, MethodOptions, Note, ProcessAgent, PushedAgent, Step,
    Tape, Watched, agent_for, choose_device, is_root,
};

use super::args::{CaptureArgs, MethodArgs, OutputKind, Target};
use super::output::Output;
use super::recording::{Recording, keep};
use super::wait::{Ended, Wait};
use crate::input::InputArgs;
use crate::print::plain;

/// Where messages about the progress go.
pub enum Console {
    /// As a program that may print its result on standard output.
    Stderr,
    /// As systrace did.
    Stdout,
}

impl Console {
    fn say(&self, text: &str) {
        let text: Vec<_> = text.lines().map(plain).collect();
        let text = text.join("\n");
        match self {
            Self::Stderr => eprintln!("{text}"),
            Self::Stdout => println!("{text}"),
        }
    }

    /// Something that went wrong, and did not end it.
    fn warn(&self, note: &Note) {
        match note {
            Note::Said { text, .. } => self.say(text),
            Note::Failed { agent, step, error } => {
                let what = match step {
                    Step::Start => "did not start",
                    Step::Mark => "could not mark the time",
                    Step::Stop => "did not stop",
                    Step::Collect => "did not hand over everything",
                    _ => "failed",
                };
                eprintln!("Warning: {agent} {what}: {}", plain(&error.to_string()));
            }
            _ => {}
        }
    }
}

/// Runs the command.
///
/// # Errors
/// If nothing could be recorded, or the result not be written.
pub fn run(args: &CaptureArgs, console: &mut Console) -> Result<ExitCode> {
    args.check()?;
    let wait = Wait::new();
    match (&args.from_file, args.target) {
        (Some(file), _) => {
            let file = FileAgent::new(file.clone());
            record(args, console, &wait, vec![Box::new(file)])
        }
        (None, Target::Android) => android(args, console, &wait),
        (None, Target::Linux) => linux(args, console, &wait),
    }
}

fn android(args: &CaptureArgs, console: &mut Console, wait: &Wait) -> Result<ExitCode> {
    let adb = Adb::from_env()?;
    let device = choose_device(&adb, args.serial().as_deref())?;
    let pushed = push_agent(args, &device)?;
    let options = AtraceOptions {
        program: pushed.as_ref().map(|pushed| pushed.path().to_owned()),
        ..atrace_options(args)
    };
    if args.list_categories {
        return list(&AtraceAgent::new(device.clone(), options)?, &device);
    }
    let mut agents: Vec<Box<dyn Agent>> = Vec::new();
    if args.method.method.is_none() || !args.chosen().is_empty() {
        let atrace = AtraceAgent::new(device.clone(), options)?;
        // Processes are asked for first: their names are needed where the trace is read.
        agents.push(Box::new(ProcessAgent::new(device.clone())));
        agents.push(match args.is_live() {
            true => Box::new(LiveAtraceAgent::new(atrace, tape(args, wait))),
            false => Box::new(atrace),
        });
    }
    if let Some(process) = &args.method.method {
        agents.push(method(&args.method, process, device));
    }
    record(args, console, wait, agents)
}

/// Our own atrace on the device, where it was asked for.
fn push_agent(args: &CaptureArgs, device: &Device) -> Result<Option<PushedAgent>> {
    let Some(program) = &args.android.push_agent else {
        return Ok(None);
    };
    let program = match program {
        Some(program) => program.clone(),
        None => agent_for(device, &dist())?,
    };
    let folder = device_folder();
    let name = std::process::id().to_string();
    let pushed = PushedAgent::push(device, &program, &name, folder.as_deref())?;
    Ok(Some(pushed))
}

/// Where the programs for devices are: beside this one, or where the workspace builds them.
fn dist() -> PathBuf {
    let here = std::env::current_exe().ok();
    let beside = here.and_then(|here| Some(here.parent()?.join("dist")));
    match beside {
        Some(beside) if beside.is_dir() => beside,
        _ => PathBuf::from("target/dist"),
    }
}

/// A folder of the device to use instead of its usual one.
fn device_folder() -> Option<String> {
    std::env::var("TRACELOOM_DEVICE_FOLDER").ok()
}

fn method(args: &MethodArgs, process: &str, device: Device) -> Box<dyn Agent> {
    let process = process.to_owned();
    if args.ddms {
        let options = DdmsOptions {
            process,
            sampling_us: args.sampling,
        };
        return Box::new(DdmsAgent::new(device, options));
    }
    let options = MethodOptions {
        process,
        sampling_us: args.sampling,
        clock: args.clock_type.clone(),
        streaming: args.streaming,
        start: args.start.clone(),
        folder: device_folder(),
    };
    // Unlike that of any other recording of this machine.
    let name = std::process::id().to_string();
    Box::new(MethodAgent::new(device, options, &name))
}

fn atrace_options(args: &CaptureArgs) -> AtraceOptions {
    AtraceOptions {
        categories: args.chosen(),
        buffer_kb: args.buf_size,
        apps: args.android.app.clone(),
        functions: args.ktr.clone(),
        seconds: args.time,
        compress: !args.android.no_compress,
        program: None,
    }
}

fn list(atrace: &AtraceAgent, device: &Device) -> Result<ExitCode> {
    let all = atrace.list(Limits::default().start_stop)?;
    print_list(all.iter().map(|category| (&category.name, &category.title)));
    if !is_root(device)? {
        println!("\nNOTE: more categories may be available with adb root\n");
    }
    Ok(ExitCode::SUCCESS)
}

fn print_list<'a>(all: impl Iterator<Item = (&'a String, &'a String)>) {
    for (name, title) in all {
        println!("{:>12} - {}", plain(name), plain(title));
    }
}

#[cfg(target_os = "linux")]
fn linux(args: &CaptureArgs, console: &mut Console, wait: &Wait) -> Result<ExitCode> {
    use traceloom_capture::{LinuxAgent, LinuxOptions, LiveLinuxAgent, LocalProcessAgent, tracefs};
    let tree = tracefs()?;
    let functions = args.ktr.as_deref().unwrap_or_default().split(',');
    let functions = functions.filter(|name| !name.is_empty()).map(str::to_owned);
    let options = LinuxOptions {
        categories: args.chosen(),
        events: args.linux.event.clone(),
        functions: functions.collect(),
        instance: args.linux.instance.clone(),
        buffer_kb: args.buf_size.unwrap_or(LinuxOptions::default().buffer_kb),
        ..LinuxOptions::default()
    };
    let ftrace = LinuxAgent::new(&tree, options);
    if args.list_categories {
        let all = ftrace.list();
        print_list(all.iter().map(|(name, title)| (name, title)));
        return Ok(ExitCode::SUCCESS);
    }
    let processes = Box::new(LocalProcessAgent::default());
    let ftrace: Box<dyn Agent> = match args.is_live() {
        true => Box::new(LiveLinuxAgent::new(ftrace, &tree, tape(args, wait))?),
        false => Box::new(ftrace),
    };
    record(args, console, wait, vec![processes, ftrace])
}

#[cfg(not(target_os = "linux"))]
fn linux(_: &CaptureArgs, _: &mut Console, _: &Wait) -> Result<ExitCode> {
    bail!("--target linux records the machine it runs on, and this is not Linux");
}

fn record(
    args: &CaptureArgs,
    console: &mut Console,
    wait: &Wait,
    agents: Vec<Box<dyn Agent + '_>>,
) -> Result<ExitCode> {
    let mut controller = Controller::new(agents, limits(args));
    start(&mut controller, console)?;
    let ended = wait_for_end(args, console, wait);
    if ended == Ended::Signal {
        console.say("");
    }
    console.say("Tracing completed. Collecting output...");
    let recording = collect(&mut controller, console)?;
    if recording.is_empty() {
        bail!("No data was captured.  Output file was not written.");
    }
    write(args, console, recording)
}

/// The tape of a recording that is watched: what it waits for ends it, and losses are told.
fn tape(args: &CaptureArgs, wait: &Wait) -> Tape {
    let ends = wait.sender();
    let losses = Losses::default();
    Tape::new(
        args.ring,
        args.until.clone(),
        move |watched| match watched {
            Watched::Fired(what) => {
                eprintln!("{}", plain(&what));
                // A recording that has ended already needs no end.
                _ = ends.send(Ended::Trigger);
            }
            Watched::Lost(events) => losses.add(events),
            _ => {}
        },
    )
}

/// Tells of lost events at once, but not more often than a person can read.
#[derive(Default)]
struct Losses(Mutex<(u64, Option<Instant>)>);

impl Losses {
    fn add(&self, events: u64) {
        let mut lost = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        lost.0 += events;
        let is_new = lost
            .1
            .is_none_or(|told| told.elapsed() >= Duration::from_secs(1));
        if is_new {
            eprintln!(
                "Warning: {} events were lost so far; --buf-size makes the buffer larger",
                lost.0
            );
            lost.1 = Some(Instant::now());
        }
    }
}

fn limits(args: &CaptureArgs) -> Limits {
    let seconds = |seconds: u32| Duration::from_secs(seconds.max(1).into());
    let usual = Limits::default();
    Limits {
        start_stop: args.timeout.map_or(usual.start_stop, seconds),
        collect: args.collection_timeout.map_or(usual.collect, seconds),
    }
}

/// Starts all agents.
fn start(controller: &mut Controller<'_>, console: &Console) -> Result<()> {
    let mut errors = Vec::new();
    controller.start(&mut |note| match note {
        Note::Failed { error, .. } => errors.push(error),
        note => console.warn(&note),
    });
    let (running, asked) = (controller.running(), controller.asked());
    if running == asked {
        return Ok(());
    }
    if running == 0 {
        return Err(errors.into_iter().next().map_or_else(nothing, Into::into));
    }
    for error in errors {
        eprintln!("Warning: {}", plain(&error.to_string()));
    }
    eprintln!("Warning: Only {running} of {asked} tracing agents started.");
    Ok(())
}

fn nothing() -> anyhow::Error {
    anyhow::Error::msg("nothing was started")
}

fn wait_for_end(args: &CaptureArgs, console: &Console, wait: &Wait) -> Ended {
    if args.from_file.is_some() {
        console.say("Reading results from file.");
        return Ended::Time;
    }
    match args.time.filter(|&seconds| seconds > 0) {
        Some(seconds) => {
            console.say(&format!("Starting tracing ({seconds} seconds)"));
            wait.for_time(Duration::from_secs(seconds.into()))
        }
        None => {
            console.say("Starting tracing (stop with enter)");
            wait.until_asked(args.until.is_some())
        }
    }
}

fn collect(controller: &mut Controller<'_>, console: &Console) -> Result<Recording> {
    let open = InputArgs::default_for_capture();
    let mut recording = Recording::new(open.read_options("")?);
    controller.stop(&mut |note| console.warn(&note));
    let mut failed: Vec<CaptureError> = Vec::new();
    controller.collect(&mut recording, &mut |note| match note {
        Note::Failed { error, .. } if recording_failed(&error) => failed.push(error),
        note => console.warn(&note),
    });
    // What the others recorded is worth having all the same.
    if recording.is_empty()
        && let Some(error) = failed.pop()
    {
        return Err(error.into());
    }
    for error in failed {
        eprintln!("Warning: {}", plain(&error.to_string()));
    }
    Ok(recording)
}

/// Whether an error leaves nothing to go on with.
fn recording_failed(error: &CaptureError) -> bool {
    matches!(
        error,
        CaptureError::NoTraceData { .. } | CaptureError::Sink(_) | CaptureError::Local { .. }
    )
}

fn write(args: &CaptureArgs, console: &Console, recording: Recording) -> Result<ExitCode> {
    let path = args.output();
    let (trace, mut parts) = match recording.finish() {
        Ok(read) => read,
        Err((error, parts)) => {
            let kept = keep(parts, &path)?;
            let kept: Vec<_> = kept.iter().map(|path| path.display().to_string()).collect();
            return Err(error.context(format!(
                "what came is no trace; it is kept in {}",
                kept.join(", ")
            )));
        }
    };
    console.say("Outputting Systrace results...");
    let output = Output {
        path: &path,
        kind: args.kind()?,
        title: title(args),
        threads: InputArgs::default_for_capture().threads(),
    };
    console.say("Tracing complete, writing results");
    output.write(&trace, &mut parts)?;
    let kind = match args.kind()? {
        OutputKind::Page => "HTML",
        OutputKind::Json => "JSON",
        OutputKind::Text => "text",
        OutputKind::Gzip => "gzip",
    };
    let whole = std::path::absolute(&path).unwrap_or(path);
    console.say(&format!(
        "\nWrote trace {kind} file: file://{}\n",
        whole.display()
    ));
    Ok(ExitCode::SUCCESS)
}

fn title(args: &CaptureArgs) -> String {
    match args.target {
        Target::Android => "Android System Trace".to_owned(),
        Target::Linux => "Linux System Trace".to_owned(),
    }
}
