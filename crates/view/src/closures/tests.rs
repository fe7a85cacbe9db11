use super::*;

/// Joins modules given as `(name, source)`, the first being the entry.
fn join(modules: &[(&str, &str)]) -> Result<String, String> {
    let find = |name: &str| {
        let found = modules.iter().find(|(module, _)| *module == name);
        found.map(|(_, source)| (*source).to_owned())
    };
    bundle(modules[0].0, &find).map_err(|error| error.to_string())
}

#[test]
fn what_is_imported_comes_first_and_once() {
    let script = join(&[
        (
            "app/main",
            "import {a, b as c} from \"x/a\";\nimport * as all from 'x/b'\nimport \"x/a\";\na(c, all);\n",
        ),
        (
            "x/a",
            "import {base} from \"x/b\";\n// twice\nexport function a() { return base; }\nexport const b = 1;\n",
        ),
        (
            "x/b",
            "/** here */ export async function base() {}\nclass K {}\nexport {K as Kind};\nexport class L {}\n",
        ),
    ]);
    insta::assert_snapshot!(script.unwrap(), @"
    const $$0=(()=>{
    /** here */ async function base() {}
    class K {}

    class L {}

    return {base,Kind:K,L};
    })();
    const $$1=(()=>{
    const {base}=$$0;

    // twice
    function a() { return base; }
    const b = 1;

    return {a,b};
    })();
    const $$2=(()=>{
    const {a,b:c}=$$1;
    const all=$$0;



    a(c, all);

    return {};
    })();
    ");
}

#[test]
fn mistakes_name_file_and_line() {
    let problem =
        |source: &str| join(&[("app/main", source), ("x/a", "export const b = 1")]).unwrap_err();
    let problems = [
        "\n\nimport {a} from \"x/missing\"",
        "\nimport {a} from \"x/a\"",
        "import a from \"x/a\"",
        "function f() {\n  return import(\"x/a\");\n}",
        "export default 3",
        "export let n = 1",
        "let a = `x",
        "let s = '<!--'",
        "import {a} from \"app/main\"",
    ];
    insta::assert_snapshot!(problems.map(problem).join("\n"), @r#"
    web/app/main.js:3: there is no module "x/missing"
    web/app/main.js:2: "x/a" does not export a
    web/app/main.js:1: only import {a, b as c} from "folder/module" is joined
    web/app/main.js:2: only import {a, b as c} from "folder/module" is joined
    web/app/main.js:1: export default is not joined: export a function, a class, a const or {a, b}
    web/app/main.js:1: export let is not joined: export a function, a class, a const or {a, b}
    web/app/main.js:1: a template that does not end
    web/app/main.js:1: a text that would change how HTML reads the script
    web/app/main.js:1: modules import each other in a circle: app/main → app/main
    "#);
}

#[test]
fn text_that_would_end_the_script_is_written_otherwise() {
    let script = join(&[("m", "const s = '</script>', r = /</g;")]).unwrap();
    assert!(
        script.contains(r"const s = '<\/script>', r = /</g;"),
        "{script}"
    );
}

#[test]
fn names_of_properties_are_no_statements() {
    let script = join(&[(
        "m",
        "const o = {import: 1, export: 2};\no.import + o.export;",
    )])
    .unwrap();
    assert!(script.contains("{import: 1, export: 2}"), "{script}");
}
