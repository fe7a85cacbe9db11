// The names of C++ functions, from their mangled form (Itanium C++ ABI), without parameters: `_ZN3foo3barEv` is `foo::bar`.

/** @typedef {[string, string, boolean]} Type left and right of a declared name, and whether it is a function or an array */

/** @type {Record<string, string>} */
const BUILTIN = {v: "void", w: "wchar_t", b: "bool", c: "char", a: "signed char", h: "unsigned char", s: "short", t: "unsigned short", i: "int", j: "unsigned int", l: "long", m: "unsigned long", x: "long long",
  y: "unsigned long long", n: "__int128", o: "unsigned __int128", f: "float", d: "double", e: "long double", g: "__float128", z: "...",
  Dn: "decltype(nullptr)", Di: "char32_t", Ds: "char16_t", Du: "char8_t", Da: "auto", Dc: "decltype(auto)"};
/** @type {Record<string, string>} */
const STANDARD = {a: "std::allocator", b: "std::basic_string", s: "std::string", i: "std::istream", o: "std::ostream", d: "std::iostream"};
/** @type {Record<string, string>} */
const OPERATORS = {nw: " new", na: " new[]", dl: " delete", da: " delete[]", ps: "+", ng: "-", ad: "&", de: "*", co: "~", pl: "+", mi: "-", ml: "*", dv: "/", rm: "%", an: "&", or: "|", eo: "^", aS: "=", pL: "+=", mI: "-=", mL: "*=",
  dV: "/=", rM: "%=", aN: "&=", oR: "|=", eO: "^=", ls: "<<", rs: ">>", lS: "<<=", rS: ">>=", eq: "==", ne: "!=", lt: "<", gt: ">", le: "<=", ge: ">=", ss: "<=>", nt: "!", aa: "&&", oo: "||", pp: "++", mm: "--", cm: ",", pm: "->*", pt: "->", cl: "()", ix: "[]"};
/** @type {Record<string, string>} */
const SUFFIX = {i: "", j: "u", l: "l", m: "ul", x: "ll", y: "ull"};
/** The maximum nesting of a name. Deeper names are not read. */
const DEEPEST = 200;

class Reader {
  /** @param {string} text */
  constructor(text) {
    this.text = text;
    this.at = 0;
    this.deep = 0;
    /** @type {Type[]} */
    this.known = [];
    /** @type {Type[]} the arguments of the last template */
    this.args = [];
    /** Whether the last name is of a constant function, and whether it is of a constructor, a destructor or a conversion. */
    this.isConst = this.isMaker = false;
    /** The last name that was read with its parameters, without them. */
    this.bare = "";
    /** The last part of a name, for constructors. */
    this.last = "";
  }

  /** @returns {never} */
  fail() { throw new Error("not a name"); }
  peek(ahead = 0) { return this.text[this.at + ahead] ?? ""; }
  /** @param {string} word */
  take(word) {
    if (!this.text.startsWith(word, this.at)) return false;
    this.at += word.length;
    return true;
  }

  /** @template T @param {() => T} read @returns {T} */
  within(read) {
    if (++this.deep > DEEPEST) this.fail();
    const made = read();
    this.deep--;
    return made;
  }

  digits() {
    const found = /^\d+/.exec(this.text.slice(this.at, this.at + 9))?.[0] ?? this.fail();
    this.at += found.length;
    return Number(found);
  }

  source() {
    const long = this.digits(), name = this.text.slice(this.at, this.at + long);
    if (!long || name.length < long) this.fail();
    this.at += long;
    return name.startsWith("_GLOBAL__N") ? "(anonymous namespace)" : name;
  }

  /** The number in `_`, `0_`, `1_`: 0, 1, 2. @param {number} base */
  sequence(base) {
    if (this.take("_")) return 0;
    const found = /^[0-9A-Z]+(?=_)/.exec(this.text.slice(this.at, this.at + 6))?.[0] ?? this.fail();
    this.at += found.length + 1;
    return parseInt(found, base) + 1;
  }

  /** @returns {Type} */
  substitution() {
    const standard = STANDARD[this.peek()];
    if (standard) { this.at++; this.last = standard.slice(5); return [standard, "", false]; }
    const found = this.known[this.sequence(36)] ?? this.fail();
    this.last = /([\w~]+)(<.*)?$/s.exec(found[0])?.[1] ?? "";
    return found;
  }

  /** @returns {Type} */
  param() {
    const found = this.args[this.sequence(10)];
    return found ?? this.fail();
  }

  /** A part of a name. */
  unqualified() {
    this.take("L");
    let name;
    const code = this.text.slice(this.at, this.at + 2);
    this.isMaker = /^(C[1-5]|D[0-5]|cv)$/.test(code);
    if (/\d/.test(this.peek())) name = this.last = this.source();
    else if (/^C[1-5]$/.test(code)) { this.at += 2; name = this.last; }
    else if (/^D[0-5]$/.test(code)) { this.at += 2; name = `~${this.last}`; }
    else if (this.take("Ut")) name = this.last = `{unnamed type#${this.numbered()}}`;
    else if (this.take("Ul")) {
      const params = this.params();
      name = this.last = `{lambda(${params})#${this.numbered()}}`;
    } else if (this.take("cv")) name = `operator ${print(this.type())}`;
    else if (this.take("li")) name = `operator"" ${this.source()}`;
    else if (OPERATORS[code]) { this.at += 2; name = `operator${OPERATORS[code]}`; }
    else return this.fail();
    while (this.take("B")) name += `[abi:${this.source()}]`;
    return name;
  }

  /** The number of a lambda or an unnamed type, from 1. */
  numbered() {
    if (this.take("_")) return 1;
    const number = this.digits();
    if (!this.take("_")) this.fail();
    return number + 2;
  }

  /** The types up to E. */
  params() {
    const list = [];
    while (!this.take("E")) list.push(print(this.type()));
    return list.join(", ") === "void" ? "" : list.join(", ");
  }

  /** @returns {string} */
  templateArgs() {
    const list = /** @type {Type[]} */ ([]), last = this.last;
    const {isMaker} = this;
    while (!this.take("E")) list.push(...this.templateArg());
    this.args = list;
    this.last = last;
    this.isMaker = isMaker;
    return `<${list.map(print).filter(Boolean).join(", ")}>`;
  }

  /** @returns {Type[]} */
  templateArg() {
    if (this.take("J")) {
      const list = [];
      while (!this.take("E")) list.push(...this.templateArg());
      return [[list.map(print).join(", "), "", false]];
    }
    if (this.take("XadL_Z")) {
      this.encoding(true);
      const {bare} = this;
      if (!this.take("EE")) this.fail();
      return [[`&${bare}`, "", false]];
    }
    if (!this.take("L")) return this.peek() === "X" ? this.fail() : [this.type()];
    if (this.take("_Z")) {
      const name = this.encoding();
      if (!this.take("E")) this.fail();
      return [[`&${name}`, "", false]];
    }
    const code = this.peek(), type = print(this.type()), end = this.text.indexOf("E", this.at);
    if (end < 0) this.fail();
    const value = this.text.slice(this.at, end).replace(/^n/, "-");
    this.at = end + 1;
    return [[type === "bool" ? (value === "0" ? "false" : "true") : code in SUFFIX ? value + SUFFIX[code] : `(${type})${value}`, "", false]];
  }

  /** @returns {string} */
  nested() {
    const {at} = this;
    while (/[rVKRO]/.test(this.peek())) this.at++;
    const isConst = this.text.slice(at, this.at).includes("K");
    let name = "", isNew = false;
    while (!this.take("E")) {
      if (isNew) this.known.push([name, "", false]);
      isNew = true;
      if (this.take("I")) name += this.templateArgs();
      else if (this.peek() === "T") { this.at++; name = print(this.param()); }
      else if (this.peek() === "S" && this.peek(1) !== "t") { this.at++; name = print(this.substitution()); isNew = false; }
      else if (this.take("St")) { name = "std"; isNew = false; }
      else { const part = this.unqualified(); name = name ? `${name}::${part}` : part; }
      this.take("M");
    }
    this.isConst = isConst;
    return name;
  }

  /** @returns {string} */
  name() {
    return this.within(() => {
      if (this.take("N")) return this.nested();
      if (this.take("Z")) return this.local();
      let name, isKnown = false;
      if (this.take("St")) name = `std::${this.unqualified()}`;
      else if (this.take("S")) { name = print(this.substitution()); isKnown = true; }
      else name = this.unqualified();
      if (!this.take("I")) return name;
      if (!isKnown) this.known.push([name, "", false]);
      return name + this.templateArgs();
    });
  }

  /** A name inside a function. @returns {string} */
  local() {
    const outer = this.encoding(true);
    if (!this.take("E")) this.fail();
    const done = (/** @type {string} */ inner) => {
      if (this.take("__")) { this.digits(); this.take("_"); } else if (this.peek() === "_" && /\d/.test(this.peek(1))) this.at += 2;
      return `${outer}::${inner}`;
    };
    if (this.take("s")) return done("string literal");
    if (this.take("d")) { if (!this.take("_")) { this.digits(); this.take("_"); } }
    return done(this.name());
  }

  /** Parses a function and its parameters. Returns only the name, or everything if the function encloses a local name. @param {boolean} [whole] @returns {string} */
  encoding(whole) {
    const thunk = this.take("Th") ? "non-virtual thunk to" : this.take("Tv") ? "virtual thunk to" : "";
    if (thunk) {
      const [, skipped] = /^(n?\d+_(?:n?\d+_)?)/.exec(this.text.slice(this.at)) ?? this.fail();
      this.at += skipped.length;
      return `${thunk} ${this.encoding()}`;
    }
    this.isConst = false;
    const name = this.name();
    if (!whole) return name;
    // The mangled name of a template function includes its return type, except for constructors, destructors and
    // conversions.
    const {isConst} = this;
    if (name.endsWith(">") && !this.isMaker && !/operator[<>-]/.test(name.slice(-12))) this.type();
    const list = [];
    while (this.peek() !== "E" && this.peek()) list.push(print(this.type()));
    this.bare = name;
    const params = list.join(", ");
    return `${name}(${params === "void" ? "" : params})${isConst ? " const" : ""}`;
  }

  /** @returns {Type} */
  type() { return this.within(() => this.anyType()); }

  /** @param {Type} type @returns {Type} */
  keep(type) {
    this.known.push(type);
    return type;
  }

  /** @returns {Type} */
  anyType() {
    const one = this.peek(), two = one + this.peek(1);
    if (BUILTIN[two] && one === "D") { this.at += 2; return [BUILTIN[two], "", false]; }
    if (BUILTIN[one]) { this.at++; return [BUILTIN[one], "", false]; }
    if (this.take("Dp")) return this.type();
    const qualifiers = /^r?V?K?/.exec(this.text.slice(this.at, this.at + 3))?.[0] ?? "";
    if (qualifiers) {
      this.at += qualifiers.length;
      const [left, right, flat] = this.type();
      return this.keep([left + (qualifiers.includes("K") ? " const" : "") + (qualifiers.includes("V") ? " volatile" : ""), right, flat]);
    }
    for (const [code, sign] of [["P", "*"], ["R", "&"], ["O", "&&"]]) if (this.take(code)) {
      const [left, right, flat] = this.type();
      // A reference to a reference is one.
      if (sign !== "*" && /&$/.test(left)) return this.keep([sign === "&" ? left.replace(/&+$/, "&") : left, right, flat]);
      return this.keep(flat ? [`${left}(${sign}`, `)${right}`, false] : [left + sign, right, false]);
    }
    this.take("Do");
    if (this.take("F")) {
      this.take("Y");
      const [left, right] = this.type(), params = this.params();
      return this.keep([`${left} `, `(${params})${right}`, true]);
    }
    if (this.take("A")) {
      const size = this.peek() === "_" ? "" : String(this.digits());
      if (!this.take("_")) this.fail();
      const [left, right] = this.type();
      return this.keep([`${left} `, `[${size}]${right}`, true]);
    }
    if (this.take("M")) {
      const of = print(this.type()), [left, right, flat] = this.type();
      return this.keep(flat ? [`${left}(${of}::*`, `)${right}`, false] : [`${left} ${of}::*`, right, false]);
    }
    if (this.take("T")) {
      const found = this.keep(this.param());
      if (!this.take("I")) return found;
      return this.keep([print(found) + this.templateArgs(), "", false]);
    }
    if (one === "S" && this.peek(1) !== "t") {
      this.at++;
      const found = this.substitution();
      return this.take("I") ? this.keep([print(found) + this.templateArgs(), "", false]) : found;
    }
    return this.keep([this.name(), "", false]);
  }
}

/** @param {Type} type */
const print = ([left, right]) => left + right;

/** Letters that Rust's older names write as words. @type {Record<string, string>} */
const RUST = {LT: "<", GT: ">", RF: "&", BP: "*", LP: "(", RP: ")", C: ",", SP: "@", u20: " ", u27: "'", u5b: "[", u5d: "]", u7b: "{", u7d: "}", u3b: ";", u2b: "+", u22: "\""};

/** The readable name of a function; the same text if it is not a mangled name or has unknown parts. @param {string} symbol */
export function demangled(symbol) {
  const [, mangled] = /^_{1,2}Z(N.*17h[0-9a-f]{16}E|[^.@]+)(\..*)?$/s.exec(symbol) ?? [];
  if (!mangled || mangled.length > 4000) return symbol;
  try {
    const reader = new Reader(mangled), name = reader.encoding();
    if (/::h[0-9a-f]{16}$/.test(name)) return name.slice(0, -19).replace(/\$(\w+?)\$/g, (whole, word) => RUST[word] ?? whole).replaceAll("..", "::").replace(/(^|::)_</g, "$1<");
    return name;
  } catch { return symbol; }
}
