use super::*;

fn joined(files: &[(&str, &str)]) -> Result<String, JoinError> {
    let find = |name: &str| {
        let file = files.iter().find(|(file, _)| *file == name)?;
        Some(file.1.to_owned())
    };
    join(&["app/main"], &find)
}

#[test]
fn a_module_follows_those_it_imports() {
    let script = joined(&[
        (
            "app/main",
            "// The start.\nimport {a, b as c} from \"lib/x\";\nimport \"lib/y\";\na(c);\n",
        ),
        ("lib/y", "import {b} from \"lib/x\";\nb();\n"),
        (
            "lib/x",
            "export async function a() {}\n/** Two. */\nexport const b = 2;\nexport class C {}\n",
        ),
    ]);
    let expected = "const $lib$x = (() => {\nasync function a() {}\nconst b = 2;\nclass C {}\n\
        return {a, b, C};\n})();\nconst $lib$y = (() => {\nconst {b} = $lib$x;\nb();\nreturn {};\n})();\n\
        const $app$main = (() => {\n// The start.\nconst {a, b: c} = $lib$x;\n\na(c);\nreturn {};\n})();\n";
    assert_eq!(script.unwrap(), expected);
}

#[test]
fn lines_of_comments_are_left_out() {
    let source = "// First.\n// Second.\n/**\n * @type {number}\n */\nlet a = 1; // one\n/** @type {X} */ (a).b;\n  /* of one line */\n\
        const text = `\n// not a comment\n`;\n// // Last.\n";
    let expected = "const $app$main = (() => {\n// First.\nlet a = 1; // one\n/** @type {X} */ (a).b;\n\
        const text = `\n// not a comment\n`;\nreturn {};\n})();\n";
    assert_eq!(joined(&[("app/main", source)]).unwrap(), expected);
}

#[test]
fn several_entries_share_their_modules() {
    let find = |name: &str| {
        Some(match name {
            "shared" => "export const one = {};\n".to_owned(),
            _ => "import {one} from \"shared\";\n".to_owned(),
        })
    };
    let script = join(&["a", "b"], &find).unwrap();
    assert_eq!(script.matches("const one = {}").count(), 1);
}

#[test]
fn errors_name_the_line_and_the_problem() {
    let error = |files: &[(&str, &str)]| joined(files).unwrap_err().to_string();
    assert_eq!(error(&[]), "web/.js:0: there is no module \"app/main\"");
    assert_eq!(
        error(&[("app/main", "\nimport {a} from \"lib/x\";\n")]),
        "web/app/main.js:2: there is no module \"lib/x\""
    );
    assert_eq!(
        error(&[
            ("app/main", "import {a} from \"x\";\n"),
            ("x", "const a = 1;\n")
        ]),
        "web/app/main.js:1: \"x\" does not export a"
    );
    assert_eq!(
        error(&[
            ("app/main", "import \"x\";\n"),
            ("x", "\n\nimport \"y\";\n"),
            ("y", "import \"x\";\n")
        ]),
        "web/y.js:1: circular import: app/main → x → y → x"
    );
}

#[test]
fn unsupported_forms_are_errors() {
    for line in [
        "import x from \"x\";",
        "import * as x from \"x\";",
        "import {x} from 'x';",
        "import(\"x\");",
        "export default 1;",
        "export let x = 1;",
        "export const {x} = y;",
        "export {x};",
        "export * from \"x\";",
        "const x = \"</script>\";",
        "// <!-- a comment of HTML",
    ] {
        let error = joined(&[("app/main", line), ("x", "export const x = 1;")]).unwrap_err();
        assert_eq!((&*error.module, error.line), ("app/main", 1), "{line}");
    }
}
