use super::*;

/// Shortens modules given as `(name, source)`, the first being the entry.
fn short(modules: &[(&str, &str)]) -> Result<String, String> {
    let find = |name: &str| {
        let found = modules.iter().find(|(module, _)| *module == name);
        found.map(|(_, source)| (*source).to_owned())
    };
    shortened(modules[0].0, &find).map_err(|error| error.to_string())
}

#[test]
fn modules_share_a_scope_and_no_name() {
    let script = short(&[
        (
            "app/main",
            "import {a, b as c, K} from \"x/a\";\nconst own = [a, c];\nexport function f(a) {\n  return {own, K, a};\n}\nf(c);\n",
        ),
        (
            "x/a",
            "const own = {own: 1};\nfunction first() { return own.own; }\nexport {first as a};\nexport function b() {}\nexport class K {}\n",
        ),
    ]);
    assert_eq!(
        script.unwrap(),
        "let e={own:1};function t(){return e.own}function n(){}class s{}let o=[t,n];function i(e){return{own:o,K:s,a:e}}i(n);"
    );
}

#[test]
fn mistakes_name_their_place() {
    assert_eq!(
        short(&[("m", "\nimport * as all from \"x\";"), ("x", "")]),
        Err("web/m.js:2: import * is not joined".to_owned())
    );
    assert_eq!(
        short(&[("m", "import {a} from \"x\";"), ("x", "const a = 1;")]),
        Err("web/m.js:1: \"x\" does not export a".to_owned())
    );
}
