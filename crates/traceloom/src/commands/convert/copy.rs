//! Copies the lines of a text trace instead of writing them from the tables.

use anyhow::Result;
use traceloom_formats::{
    Copied, CopyForm, TextCopy, TextPart, TextParts, TextSurvey, WhyNot, Writer,
};

use super::args::ConvertArgs;
use super::left_out::left_out;
use crate::input::read_text;
use crate::mapping::MethodNames;
use crate::output::write_file;
use crate::print::{message, thousands};

/// Copies the lines of the input if it consists only of text and no option changes the lines.
/// Returns `false` if it must be written from the tables.
///
/// # Errors
/// If the range is empty, or the copy cannot be written.
pub(super) fn copied(args: &ConvertArgs, form: CopyForm, writer: &dyn Writer) -> Result<bool> {
    if changes_names(args)? {
        return Ok(false);
    }
    let mut survey = TextSurvey::new();
    // Errors of the input are reported when its tables are read.
    if read_text(&args.input, &args.open, &mut survey).is_err() {
        return Ok(false);
    }
    if let Err(why) = survey.check(!args.range.is_all()) {
        report(why);
        return Ok(false);
    }
    let range = match survey.bounds() {
        Some(bounds) => args.range.within_bounds(bounds)?,
        None => None,
    };
    let range = range.map(|(from, until)| (from, until.unwrap_or(i64::MAX)));
    let copied = copy(args, form, range)?;
    if let Some(line) = left_out(&copied.written, writer) {
        message!("{line}");
    }
    report_cut(&copied);
    Ok(true)
}

/// Whether the options, or a file next to the input, change names in the lines.
fn changes_names(args: &ConvertArgs) -> Result<bool> {
    let open = &args.open;
    let path = Some(args.input.as_path()).filter(|path| path.as_os_str() != "-");
    let methods = MethodNames::find(open.method_map.as_deref(), path)?;
    Ok(open.mapping.is_some() || methods.is_some())
}

fn copy(args: &ConvertArgs, form: CopyForm, range: Option<(i64, i64)>) -> Result<Copied> {
    let dump = args.open.read_options("")?.process_dump;
    let mut copied = Copied::default();
    write_file(&args.output, |out| {
        let mut copy = TextCopy::new(form, range, out);
        read_text(&args.input, &args.open, &mut copy)?;
        if let Some(dump) = &dump {
            copy.begin_part(TextPart::Dump);
            copy.text(dump);
        }
        copied = copy.finish()?;
        Ok(())
    })?;
    Ok(copied)
}

fn report(why: WhyNot) {
    let why = match why {
        WhyNot::OtherData => "it also contains data that is not ftrace text",
        WhyNot::SeveralTraces => "it contains several traces",
        WhyNot::NoTimes => "some of its lines have no time",
        _ => return,
    };
    message!("the lines of the input are written anew instead of copied: {why}");
}

fn report_cut(copied: &Copied) {
    let begin_or_end = match copied.cut_slices {
        0 => return,
        1 => "1 slice begins or ends".to_owned(),
        count => format!("{} slices begin or end", thousands(count)),
    };
    message!(
        "{begin_or_end} outside the range, where its lines are not copied; --rewrite moves such ends into the range"
    );
}
