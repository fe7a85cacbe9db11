use super::*;

fn short(script: &str) -> String {
    shortened(script).unwrap()
}

#[test]
fn spellings() {
    assert_eq!(
        [0, 25, 26, 51, 52, 53, 104].map(spelling),
        ["a", "z", "A", "Z", "aa", "ba", "ab"]
    );
    assert!(KEYWORDS.is_sorted());
}

#[test]
fn properties_keep_their_names() {
    assert_eq!(
        short("const one=1,two={one,three:one,four(){return this.one;}};two.one?.(...one);"),
        "const a=1,b={one:a,three:a,four(){return this.one;}};b.one?.(...a);"
    );
    assert_eq!(
        short("function f({first,second:[third]=[],...rest}){return {first,x:third,rest};}"),
        "function a({first:a,second:[b]=[],...c}){return {first:a,x:b,rest:c};}"
    );
    assert_eq!(
        short(
            "class Kind extends Base{static made=0;#own=1;get made(){return Kind.made;}set(made){this.made=made;}}"
        ),
        "class a extends Base{static made=0;#own=1;get made(){return a.made;}set(a){this.made=a;}}"
    );
}

#[test]
fn inner_variables_take_no_name_that_they_use() {
    assert_eq!(
        short("const x=1;function f(y){const z=y+x;return (w)=>w+z+x;}"),
        "const a=1;function b(b){const c=b+a;return (b)=>b+c+a;}"
    );
    // A body may not declare what its parameters do, even if it does not use them.
    assert_eq!(short("(p,q)=>{let r;}"), "(a,b)=>{let c;}");
    assert_eq!(
        short("try{f();}catch(e){const x=1;}"),
        "try{f();}catch(a){const b=1;}"
    );
    assert_eq!(
        short("for(const [k,v] of m)k+v;for(let i=0;i<2;i++){const k=i;}"),
        "for(const [a,b] of m)a+b;for(let a=0;a<2;a++){const b=a;}"
    );
}

#[test]
fn globals_and_what_is_unclear_stay() {
    // The name is a global outside of the function.
    assert_eq!(
        short("function f(name){return name;}name;"),
        "function a(name){return name;}name;"
    );
    // A block or an object? Only who reads the statement from its start knows.
    assert_eq!(
        short("const q=1;switch(1){case 1:{q,1}}"),
        "const q=1;switch(1){case 1:{q,1}}"
    );
    // New names are not those of globals.
    assert_eq!(short("const x=a+b;"), "const c=a+b;");
    assert_eq!(short("const x={class:1},y=x;"), "const a={class:1},b=a;");
}

#[test]
fn expressions_end_where_they_end() {
    assert_eq!(
        short("const f=(x)=>x?`${x}:${g(x)}`:String(x);const h=`${[1].map(y=>y)}${f}`;"),
        "const a=(a)=>a?`${a}:${g(a)}`:String(a);const b=`${[1].map(a=>a)}${a}`;"
    );
    assert_eq!(
        short("const f=async x=>x,{k=()=>f,...r}=o;k(r);"),
        "const a=async a=>a,{k:b=()=>a,...c}=o;b(c);"
    );
}
