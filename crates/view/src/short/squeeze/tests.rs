use super::*;

fn short(script: &str) -> String {
    squeezed(script).unwrap()
}

#[test]
fn blanks_that_mean_nothing_go() {
    assert_eq!(short("a = (b / 8) * 8; // eight\nb += 7;"), "a=b/8*8;b+=7;");
    assert_eq!(
        short("return /a b/g.test(x) in y;"),
        "return/a b/g.test(x)in y;"
    );
    assert_eq!(short("a + +b - -c; a++ + b;"), "a+ +b- -c;a++ +b;");
    assert_eq!(
        short("a < !--b; x = a / /b/ < /c/;"),
        "a< !--b;x=a/ /b/< /c/;"
    );
    assert_eq!(short("`a ${ b } c` + 'd  e';"), "`a ${b} c`+'d  e';");
    assert_eq!(short("case 0.5: x = a ? .5 : 10;"), "case.5:x=a?.5:10;");
}

#[test]
fn a_line_end_that_ends_a_statement_stays() {
    assert_eq!(short("a = b\nc = d"), "a=b\nc=d");
    assert_eq!(short("a = {}\nb\n++c\n(d)"), "a={}\nb\n++c(d)");
    assert_eq!(short("return\na"), "return\na");
    assert_eq!(
        short("f = () => {}\ng = function() {}\nh()"),
        "f=()=>{}\ng=function(){}\nh()"
    );
    // After these it ends nothing.
    assert_eq!(short("if (a)\n  b;\nelse\n  c;"), "if(a)b;else c;");
    assert_eq!(
        short("function f() {}\nclass K {\n a() {}\n b() {}\n}\nf();"),
        "function f(){}class K{a(){}b(){}}f();"
    );
    assert_eq!(short("a\n  .b\n  ?.c;\nx = y\n  && z;"), "a.b?.c;x=y&&z;");
}

#[test]
fn parentheses_that_mean_nothing_go() {
    assert_eq!(
        short("(a).b = /** @type {K} */ (c.d(1)[2]);"),
        "a.b=c.d(1)[2];"
    );
    assert_eq!(
        short("x = (a + b); f((a ? b : c), (d));"),
        "x=a+b;f(a?b:c,d);"
    );
    assert_eq!(short("return (a || b);"), "return a||b;");
    assert_eq!(
        short("const f = (a) => (b), g = (a, b) => (a * b);"),
        "let f=a=>b,g=(a,b)=>a*b;"
    );
    for kept in [
        "(a?.b).c;",
        "x=(a,b);",
        "f=()=>({a:1});",
        "(await a).b;",
        "new(a())();",
        "(a+b)*c;",
        "a-(b-c);",
        "a/(b*c);",
        "(a??b)||c;",
        "(-a)**b;",
        "(a,b)+c;",
        "(a?b:c)+d;",
        "!(a&&b);",
        "x=y-(a=b);",
        "(a||b)?.c;",
        "(a=>b)||c;",
        "typeof(a+b);",
        "`${(a,b)}`;",
        "[...(a,b)];",
        "(5).a;",
        "(()=>a)();",
        "f=({a})=>a;",
        "f=(...a)=>a;",
        "f=(a=1)=>a;",
        "x=y==(a<b==c);",
        "for(x=(a in b);;)c;",
    ] {
        assert_eq!(short(kept), kept);
    }
}

#[test]
fn parentheses_go_where_operators_bind_more() {
    assert_eq!(short("x = (a * b) + (c / d) - e;"), "x=a*b+c/d-e;");
    assert_eq!(
        short("x = (a << 8) >>> 0; y = z & ((1 << a) - 1);"),
        "x=a<<8>>>0;y=z&(1<<a)-1;"
    );
    assert_eq!(
        short("x = a && (b < c) && (!d); y = (a && b) || c;"),
        "x=a&&b<c&&!d;y=a&&b||c;"
    );
    assert_eq!(
        short("x = (a * b) ? (c || d) : (e + 1);"),
        "x=a*b?c||d:e+1;"
    );
    assert_eq!(
        short("x = a + (-b) - (-c); y = (a.b(c)[1]?.d === e) && f;"),
        "x=a+-b- -c;y=a.b(c)[1]?.d===e&&f;"
    );
    assert_eq!(
        short("f(...(a ?? []), ...(b && c)); `${(a + b)}`;"),
        "f(...a??[],...b&&c);`${a+b}`;"
    );
    assert_eq!(
        short("x = ((a + b)); y = ((a + b)) * c;"),
        "x=a+b;y=(a+b)*c;"
    );
    assert_eq!(
        short("x = (a++) + b; y = a < (!--b);"),
        "x=(a++)+b;y=a< !--b;"
    );
}

#[test]
fn words_and_numbers() {
    assert_eq!(
        short("x = {true: true, a: a.false, b: c ? false : true};"),
        "x={true:!0,a:a.false,b:c?!1:!0};"
    );
    assert_eq!(
        short("x = {undefined: undefined, undefined}; new Set(); y = [new a(), new a().b];"),
        "x={undefined:void 0,undefined};new Set;y=[new a,new a().b];"
    );
    assert_eq!(
        short("x = [0.25, 3000, 0xff, 1e9, 120, 0, 0x100000000, 1.5, 50_000, true.a];"),
        "x=[.25,3e3,255,1e9,120,0,0x100000000,1.5,5e4,true.a];"
    );
}

#[test]
fn constants_stand_where_they_are_used() {
    assert_eq!(
        short(
            "const A = 5, b = f(A), T = \"t\"; function f() { return A + T; } const C = 7;\nlet d = C;"
        ),
        "let b=f(5);function f(){return 5+\"t\"}let d=7;"
    );
    assert_eq!(
        short("const A = 5; x = {A, b: `${A}`};"),
        "x={A:5,b:`${5}`};"
    );
    assert_eq!(
        short("const A = 5; { const A = 6; f(A); } x = y-A;"),
        "{f(6)}x=y-5;"
    );
    // A number has no properties, a long text is written once.
    assert_eq!(short("const A = 5; A.b(A);"), "let A=5;A.b(A);");
    assert_eq!(short("const T = \"t\"; f(T, T);"), "let T=\"t\";f(T,T);");
    assert_eq!(
        short("let a = 5; a = 6; const b = -1; f(b);"),
        "let a=5;a=6;let b=-1;f(b);"
    );
}

#[test]
fn blocks_of_one_statement_lose_their_braces() {
    assert_eq!(short("if (a) { b; } else { c(); }"), "if(a)b;else c();");
    assert_eq!(
        short("for (const a of b) { if (a) { return c } }"),
        "for(let a of b)if(a)return c;"
    );
    assert_eq!(
        short("while (a) { for (;;) { b; c; } } d;"),
        "while(a)for(;;){b;c}d;"
    );
    assert_eq!(short("if (a) { x = () => { b; } }"), "if(a)x=()=>{b};");
    // The `else` is that of the outer `if`.
    assert_eq!(
        short("if (a) { if (b) { c; } } else { d; }"),
        "if(a){if(b)c}else d;"
    );
    assert_eq!(
        short("if (a) { for (;;) { if (b) c; } } else d;"),
        "if(a){for(;;)if(b)c}else d;"
    );
    assert_eq!(
        short("if (a) { if (b) { c; } else { d; } } else { e; }"),
        "if(a)if(b)c;else d;else e;"
    );
    for kept in [
        "if(a){let b=1}",
        "if(a){function b(){}}",
        "if(a){}",
        "try{a}catch{b}",
        "do{a}while(b);",
        "switch(a){case 1:b}",
        "x={if(a){b}};",
        "function f(){a}",
    ] {
        assert_eq!(short(kept), kept);
    }
}

#[test]
fn declarations_are_joined() {
    assert_eq!(
        short("const a = f(); const b = g(); let c; d; let e;"),
        "let a=f(),b=g(),c;d;let e;"
    );
    assert_eq!(
        short("for (const a of b) { const c = a(); const d = c(); e(d); }"),
        "for(let a of b){let c=a(),d=c();e(d)}"
    );
    assert_eq!(
        short("const x = {const: 1, let: 2}.const;"),
        "let x={const:1,let:2}.const;"
    );
}

#[test]
fn ends_go_where_a_bracket_ends_it_too() {
    assert_eq!(short("f([a, b,], {c,}, d,);"), "f([a,b],{c},d);");
    assert_eq!(
        short("{ for (;;); } { if (a); else; } x = [, a, ,];"),
        "{for(;;);}{if(a);else;}x=[,a,,];"
    );
}
