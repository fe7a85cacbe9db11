//! Tests of names from packets that were added after the recording.

use testkit::Proto;
use traceloom_trace::Trace;

use super::super::tests::{packet, read};

/// An instant with a field, in a packet with the interned data.
fn event(field: (u32, Proto), interned: Proto) -> Proto {
    let event = Proto::new().int(9, 3).int(11, 1).message(field.0, field.1);
    let packet = packet(5, 11, event).int(10, 1).int(41, 1);
    packet.message(12, interned)
}

/// `key=value` of the arguments of an instant.
fn args(trace: &Trace, slice: usize) -> Vec<String> {
    let args = trace.args.set(trace.slices.arg_set_id.get(slice));
    let text = |(key, value): (_, traceloom_trace::ArgValue)| {
        let value = value.display(&trace.strings);
        format!("{}={value}", trace.strings.get(key))
    };
    args.map(text).collect()
}

/// A library, and an address in it.
fn location(address: i64) -> Proto {
    let text = |iid, text| Proto::new().int(1, iid).text(2, text);
    let mapping = Proto::new().int(1, 3).int(2, 2).int(7, 1);
    let location = Proto::new().int(1, 7).int(2, 3).int(3, address);
    Proto::new()
        .message(16, text(2, "id"))
        .message(17, text(1, "libchrome.so"))
        .message(19, mapping)
        .message(28, location)
}

/// Symbols of this library: the innermost function comes first.
fn symbols(address: i64, functions: &[&str]) -> Proto {
    let lines = functions.iter();
    let symbols = lines.fold(Proto::new().int(1, address), |symbols, function| {
        symbols.message(2, Proto::new().text(1, function))
    });
    let module = Proto::new().text(1, "/libchrome.so").text(2, "id");
    Proto::new().message(61, module.message(3, symbols))
}

#[test]
fn methods_of_mojo_are_the_functions_at_their_addresses() {
    let mojo = |more: Proto| (38, more.int(4, 7));
    let trace = read([
        event(mojo(Proto::new()), location(10)),
        event(mojo(Proto::new().text(3, "old.Tag")), location(20)),
        event(mojo(Proto::new()), location(30)),
        symbols(
            10,
            &["inlined", "a::mojom::File::Close_Sym::IPCStableHash()"],
        ),
        symbols(20, &["main"]),
    ]);
    let expected = [
        "chrome_mojo_event_info.mojo_method_name=a::mojom::File::Close",
        "chrome_mojo_event_info.mojo_interface_tag=a.mojom.File",
    ];
    assert_eq!(args(&trace, 0), expected);
    let expected = [
        "chrome_mojo_event_info.mojo_interface_tag=old.Tag",
        "chrome_mojo_event_info.mojo_method_name=main",
    ];
    assert_eq!(args(&trace, 1), expected);
    let unknown = "chrome_mojo_event_info.mojo_interface_method_iid=7";
    assert_eq!(args(&trace, 2), [unknown]);
}

#[test]
fn classes_of_views_have_their_original_names() {
    let class = |new, old| Proto::new().text(1, new).text(2, old);
    let package =
        |name, class| Proto::new().message(64, Proto::new().text(1, name).message(3, class));
    let view = |name| Proto::new().text(5, name);
    let activity = Proto::new()
        .text(1, "a")
        .message(2, view("a"))
        .message(2, view("b"));
    let trace = read([
        event((1022, Proto::new().message(1, activity)), Proto::new()),
        package("com.first", class("a", "com.first.View")),
        package("com.second", class("b", "com.second.View")),
    ]);
    let expected = [
        "android_view_dump.activity[0].name=a",
        "android_view_dump.activity[0].view[0].class_name=com.first.View",
        "android_view_dump.activity[0].view[1].class_name=b",
    ];
    assert_eq!(args(&trace, 0), expected);
}

#[test]
fn only_known_names_of_histograms_are_arguments() {
    let named = Proto::new().message(25, Proto::new().int(1, 1).text(2, "Speed"));
    let sample = |more: Proto| (28, more.int(3, 50));
    let trace = read([
        event(sample(Proto::new().int(4, 1)), named.clone()),
        event(sample(Proto::new().int(4, 2)), named.clone()),
        event(sample(Proto::new().text(2, "Own")), named),
    ]);
    let name = |slice| {
        let args = args(&trace, slice);
        args.into_iter()
            .find(|arg| arg.starts_with("chrome_histogram_sample.name="))
    };
    let expected = [Some("Speed"), None, Some("Own")];
    let expected = expected.map(|name| Some(format!("chrome_histogram_sample.name={}", name?)));
    assert_eq!([0, 1, 2].map(name), expected);
}
