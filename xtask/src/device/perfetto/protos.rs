//! The sources that are generated from Perfetto's protocol buffers.

use std::collections::{BTreeSet, HashMap};
use std::fmt::Write as _;
use std::fs;

use anyhow::{Context, Result};

use super::build::Build;
use crate::run::{check, command};

/// The plug-ins of the compiler, and the namespace of what they generate.
pub const PLUGINS: [(&str, &str); 3] = [
    ("protozero_plugin", "pbzero"),
    ("perfetto_src_protozero_protoc_plugin_cppgen_plugin", "gen"),
    ("ipc_plugin", "gen"),
];

/// The prefix of generated files' paths in `Android.bp`.
const PREFIX: &str = "external/perfetto/";

/// Descriptions of messages that are compiled in: the module with the sources, and the name of the header.
const DESCRIPTORS: [(&str, &str, &str); 2] = [
    (
        "perfetto_protos_perfetto_config_descriptor",
        "config",
        "Config",
    ),
    (
        "perfetto_protos_perfetto_trace_summary_descriptor",
        "trace_summary",
        "TraceSummary",
    ),
];

/// Sources of each generator.
pub struct Protos(HashMap<String, Vec<String>>);

impl Protos {
    /// Generates everything that programs and libraries of these names need.
    pub fn generate(build: &Build, names: &[&str]) -> Result<Self> {
        let mut generators = BTreeSet::new();
        for name in names {
            generators.extend(build.blueprint.sources(name)?.1);
            // Headers of further messages.
            let headers = build.blueprint.module(name)?.list("generated_headers");
            let sources = headers
                .iter()
                .map(|name| name.replace("_gen_headers", "_gen"));
            let known = sources.filter(|name| build.blueprint.module(name).is_ok());
            generators.extend(known);
        }
        let mut protos = Self(HashMap::new());
        for generator in generators {
            protos.run(build, &generator)?;
        }
        for descriptor in DESCRIPTORS {
            write_descriptor(build, descriptor)?;
        }
        Ok(protos)
    }

    /// The sources that a module generates, relative to the source tree.
    pub fn sources(&self, build: &Build, generator: &str) -> Result<Vec<String>> {
        let made = self.0.get(generator);
        let made = made.with_context(|| format!("{generator} was not generated"))?;
        let folder = build.generated.display();
        Ok(made.iter().map(|file| format!("{folder}/{file}")).collect())
    }

    /// Runs the compiler with the plug-in of a module.
    fn run(&mut self, build: &Build, generator: &str) -> Result<()> {
        let module = build.blueprint.module(generator)?;
        let is_tool =
            |(name, _): &&(&str, &str)| module.list("tools").iter().any(|tool| tool == name);
        let Some((plugin, namespace)) = PLUGINS.iter().find(is_tool) else {
            return Ok(());
        };
        let outputs = module.list("out").iter();
        let outputs = outputs.filter_map(|path| path.strip_prefix(PREFIX));
        let outputs: Vec<String> = outputs.map(str::to_owned).collect();
        let is_own = |proto: &str| {
            let stem = proto.trim_end_matches("proto");
            outputs.iter().any(|output| output.starts_with(stem))
        };
        let (files, _) = build.blueprint.sources(generator)?;
        let own: BTreeSet<&String> = files.iter().filter(|file| is_own(file)).collect();
        let mut protoc = command("protoc", &["--proto_path=."]);
        protoc.current_dir(&build.src);
        protoc.arg(format!(
            "--plugin=protoc-gen-plugin={}",
            build.plugin(plugin).display()
        ));
        let to = build.generated.display();
        protoc.arg(format!("--plugin_out=wrapper_namespace={namespace}:{to}"));
        check({
            protoc.args(own);
            protoc
        })?;
        // The sources of the other plug-in are empty.
        let sources = outputs
            .into_iter()
            .filter(|path| !path.ends_with(".pbzero.cc"));
        self.0.insert(generator.to_owned(), sources.collect());
        Ok(())
    }
}

/// Writes a header with the description of messages as bytes.
fn write_descriptor(build: &Build, (module, name, symbol): (&str, &str, &str)) -> Result<()> {
    let (files, _) = build.blueprint.sources(module)?;
    let set = build.objects.join(format!("{name}.descriptor"));
    let mut protoc = command("protoc", &["--proto_path=."]);
    protoc.current_dir(&build.src);
    protoc
        .arg(format!("--descriptor_set_out={}", set.display()))
        .args(files);
    check(protoc)?;
    let bytes = fs::read(set)?;
    let mut text = format!(
        "#pragma once\n#include <stdint.h>\n#include <array>\nnamespace perfetto {{\n\
         inline constexpr std::array<uint8_t, {}> k{symbol}Descriptor{{{{",
        bytes.len()
    );
    for byte in bytes {
        write!(text, "{byte},")?;
    }
    text += "}};\n}\n";
    let folder = build.generated.join("src/proto_utils");
    fs::create_dir_all(&folder)?;
    fs::write(folder.join(format!("{name}.descriptor.h")), text)?;
    Ok(())
}
