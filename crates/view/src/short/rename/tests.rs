use super::*;

fn short(script: &str) -> String {
    renamed(script).unwrap()
}

#[test]
fn spellings() {
    assert_eq!(
        [0, 25, 26, 51, 52, 53, 104].map(spelling),
        ["e", "z", "A", "Z", "ee", "et", "te"]
    );
    assert!(KEYWORDS.is_sorted());
}

#[test]
fn properties_keep_their_names() {
    assert_eq!(
        short("const one=1,two={one,three:one,four(){return this.one;}};two.one?.(...one);"),
        "const e=1,t={one:e,three:e,four(){return this.one;}};t.one?.(...e);"
    );
    assert_eq!(
        short("function f({first,second:[third]=[],...rest}){return {first,x:third,rest};}"),
        "function e({first:e,second:[t]=[],...n}){return {first:e,x:t,rest:n};}"
    );
    assert_eq!(
        short(
            "class Kind extends Base{static made=0;#own=1;get made(){return Kind.made;}set(made){this.made=made;}}"
        ),
        "class e extends Base{static made=0;#own=1;get made(){return e.made;}set(e){this.made=e;}}"
    );
}

#[test]
fn inner_variables_take_no_name_that_they_use() {
    assert_eq!(
        short("const x=1;function f(y){const z=y+x;return (w)=>w+z+x;}"),
        "const e=1;function t(t){const n=t+e;return (t)=>t+n+e;}"
    );
    // A body may not declare what its parameters do, even if it does not use them.
    assert_eq!(short("(p,q)=>{let r;}"), "(e,t)=>{let n;}");
    assert_eq!(
        short("try{f();}catch(e){const x=1;}"),
        "try{f();}catch(e){const t=1;}"
    );
    assert_eq!(
        short("for(const [k,v] of m)k+v;for(let i=0;i<2;i++){const k=i;}"),
        "for(const [e,t] of m)e+t;for(let e=0;e<2;e++){const t=e;}"
    );
}

#[test]
fn globals_and_what_is_unclear_stay() {
    // The name is a global outside of the function.
    assert_eq!(
        short("function f(name){return name;}name;"),
        "function e(name){return name;}name;"
    );
    // A block or an object? What stands before the colon tells.
    assert_eq!(
        short("const q=1;switch(1){case 1:{q,1}}x?{q}:{q};"),
        "const e=1;switch(1){case 1:{e,1}}x?{q:e}:{q:e};"
    );
    // New names are not those of globals.
    assert_eq!(short("const x=e+t;"), "const n=e+t;");
    assert_eq!(short("const x={class:1},y=x;"), "const e={class:1},t=e;");
}

#[test]
fn expressions_end_where_they_end() {
    assert_eq!(
        short("const f=(x)=>x?`${x}:${g(x)}`:String(x);const h=`${[1].map(y=>y)}${f}`;"),
        "const e=(e)=>e?`${e}:${g(e)}`:String(e);const t=`${[1].map(e=>e)}${e}`;"
    );
    assert_eq!(
        short("const f=async x=>x,{k=()=>f,...r}=o;k(r);"),
        "const e=async e=>e,{k:t=()=>e,...n}=o;t(n);"
    );
}
