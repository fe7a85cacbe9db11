use super::*;

fn parse(fields: &str) -> Result<Manifest, String> {
    let text = format!(" {{\"perfetto_manifest\" : {{{fields}}}}}");
    assert!(Manifest::begins(text.as_bytes()));
    Manifest::parse(text.as_bytes()).map_err(|error| error.to_string())
}

fn version_1(fields: &str) -> Result<Manifest, String> {
    parse(&format!("\"version\": 1, {fields}"))
}

/// The example of Perfetto's reference.
const EXAMPLE: &str = r#"
    "trace_time": {"clock": "BOOTTIME"},
    "files": [
      {"path": "phone.pftrace", "machine": {"name": "phone"}},
      {"path": "watch.pftrace", "machine": {"name": "watch"}},
      {"path": "app_log.json", "clocks": {
        "sync_to": {"file": "phone.pftrace", "clock": "BOOTTIME"}, "offset_ns": 250000000}}
    ],
    "attributes": {"benchmark": "startup", "run_id": 42}"#;

#[test]
fn the_example_of_the_reference() {
    let manifest = version_1(EXAMPLE).unwrap();
    assert_eq!(manifest.trace_time.as_ref().map(|line| line.clock), Some(6));
    assert_eq!(manifest.machines(), ["phone", "watch"]);
    let log = manifest.file("app_log.json").unwrap();
    let relation = log.clocks.as_ref().unwrap();
    assert_eq!((relation.clock, relation.to_clock), (None, Some(6)));
    assert_eq!(relation.offset_ns, 250_000_000);
    let attributes = manifest.attributes.iter();
    let attributes: Vec<(&str, &str)> = attributes
        .map(|(key, value)| (key.as_str(), value.as_str()))
        .collect();
    assert_eq!(attributes, [("benchmark", "startup"), ("run_id", "42")]);
}

/// Each condition that Perfetto's reference lists.
#[test]
fn what_is_refused() {
    let file = |fields: &str| version_1(&format!(r#""files": [{{"path": "a", {fields}}}]"#));
    let several = r#""machines": [{"id": 0, "name": "m"}, {"id": 7, "name": "n"}]"#;
    let refused = [
        (parse(""), "version is missing"),
        (parse("\"version\": 2"), "version 2"),
        (parse("\"version\": 1.5"), "1.5"),
        (version_1(r#""trace_time": {"clock": "BOOT"}"#), "BOOT"),
        (file(r#""machine": {"name": "m"}, "machines": []"#), "both"),
        (file(r#""machine": {"name": ""}"#), "empty"),
        (file(r#""machine": "m""#), "object"),
        (
            file(r#""machines": [{"id": 4294967296, "name": "m"}]"#),
            "4294967296",
        ),
        (file(r#""clocks": {}"#), "sync_to"),
        (file(r#""clocks": {"sync_to": {}}"#), "file is missing"),
        (file(r#""clocks": {"sync_to": {"file": "b"}}"#), "\"b\""),
        (
            file(r#""clocks": {"sync_to": {"file": "a", "machine": "m"}}"#),
            "\"m\"",
        ),
        (
            file(r#""clocks": {"sync_to": {"file": "a"}, "machine": "m"}"#),
            "\"m\"",
        ),
        (
            file(r#""clocks": {"sync_to": {"file": "a"}, "offset_ns": 1.5}"#),
            "1.5",
        ),
        (
            file(r#""clocks": {"sync_to": {"file": "a"}, "offset_ns": -9223372036854775808}"#),
            "offset_ns",
        ),
        (
            file(&format!(
                r#"{several}, "clocks": {{"sync_to": {{"file": "a"}}}}"#
            )),
            "several",
        ),
        (
            version_1(r#""trace_time": {"clock": "REALTIME", "machine": "m"}"#),
            "without a file",
        ),
        (version_1(r#""attributes": {"": 1}"#), "empty"),
        (version_1(r#""attributes": {"a": [1]}"#), "the attribute a"),
        (version_1(r#""attributes": 1"#), "object"),
    ];
    for (result, part) in refused {
        let error = result.unwrap_err();
        assert!(error.contains(part), "{part}: {error}");
    }
}

#[test]
fn unknown_fields_are_ignored() {
    assert_eq!(
        version_1(r#""later": {"x": 1}"#).unwrap(),
        Manifest::default()
    );
}

#[test]
fn other_json_is_no_manifest() {
    for text in [
        "{\"traceEvents\"",
        "[{\"perfetto_manifest\"",
        "",
        "{\"perfetto",
    ] {
        assert!(!Manifest::begins(text.as_bytes()), "{text}");
    }
}
