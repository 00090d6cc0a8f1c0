//! Inputs that look for work without end and for memory without bound, and what reading each may cost.

/// As the runs of the tool read it.
pub(super) const BLOCK: usize = 64 << 10;
/// How often the unit of a source is repeated.
const COUNT: usize = 1 << 16;
const KIB: u64 = 1 << 10;
const MIB: u64 = 1 << 20;

/// What something may cost: so much in any case, and so much more for each byte of input.
#[derive(Clone, Copy)]
pub(super) struct Cost {
    pub(super) fixed: u64,
    pub(super) share: f64,
}

impl Cost {
    pub(super) fn of(self, size: u64) -> u64 {
        self.fixed + (self.share * size as f64) as u64
    }
}

/// Input that is made while it is read, so that none of the memory is its own.
pub(super) struct Source {
    pub(super) name: &'static str,
    head: &'static str,
    /// The middle, made by the number of its repetition.
    unit: fn(usize) -> String,
    tail: fn(usize) -> String,
    count: usize,
    /// How many bytes may be looked at, each as often as it is.
    pub(super) steps: Cost,
    /// How many bytes may be held at a time.
    pub(super) memory: Cost,
}

impl Source {
    /// `steps` for a byte of input, and so many KiB held.
    pub(super) const fn of(
        name: &'static str,
        unit: fn(usize) -> String,
        steps: f64,
        memory: u64,
    ) -> Self {
        Self {
            name,
            head: "",
            unit,
            tail: |_| String::new(),
            count: COUNT,
            steps: Cost {
                fixed: 0,
                share: steps,
            },
            memory: Cost {
                fixed: memory * KIB,
                share: 0.0,
            },
        }
    }

    /// What the pending document holds for a byte of input.
    const fn pending(mut self, share: f64) -> Self {
        self.memory.share = share;
        self
    }

    /// A set share of the input may be looked at for prefixes in vain.
    const fn planned(mut self) -> Self {
        self.steps.fixed += 20 * MIB;
        self.steps.share += 16.0;
        self
    }

    /// So many repetitions instead of `COUNT`.
    pub(super) const fn repeated(self, count: usize) -> Self {
        Self { count, ..self }
    }

    pub(super) const fn beginning_with(self, head: &'static str) -> Self {
        Self { head, ..self }
    }

    const fn ending_in(self, tail: fn(usize) -> String) -> Self {
        Self { tail, ..self }
    }

    /// Gives it in blocks; says how many bytes that were.
    pub(super) fn blocks(&self, mut take: impl FnMut(&[u8])) -> u64 {
        let mut block = self.head.to_owned();
        let mut size = 0;
        for number in 0..self.count {
            block.push_str(&(self.unit)(number));
            if block.len() >= BLOCK {
                size += block.len() as u64;
                take(block.as_bytes());
                block.clear();
            }
        }
        block.push_str(&(self.tail)(self.count));
        for piece in block.as_bytes().chunks(BLOCK) {
            size += piece.len() as u64;
            take(piece);
        }
        size
    }
}

/// The table: name, unit, steps for a byte, KiB; then the bytes that a pending document holds for each of its own. Each
/// number is a third above what was measured at `COUNT`.
#[rustfmt::skip]
pub(super) const fn sources() -> [Source; 58] {
    let of = Source::of;
    [
        of("brackets", |_| "[".into(), 2.7, 32).pending(2.6),
        of("open objects", |_| "{\"a\":".into(), 2.8, 32).pending(3.6),
        of("names without an end", |_| "{\"".into(), 19.8, 2950),
        of("bare names", |_| "{a: ".into(), 19.9, 20000),
        of("lines of bare names", |_| "{a: 1,\n".into(), 22.0, 20000),
        of("almost JSON that is far shorter than its line", |_| "> {\"a10:00:00 }".into(), 15.7, 2700)
            .beginning_with("- ```json\n- {\n"),
        of("members without an object", |_| "\"a\": {\"b\": 1},\n".into(), 9.9, 20000),
        of("elements without an array", |_| "  {\"b\": 1},\n".into(), 9.9, 20000),
        of("indented documents after control strings without an end", |_| "\t{\"a\":\"bcd\"}\n\x1b]0;/* ".into(), 41.8, 4300)
            .beginning_with("x ").planned(),
        of("closed members without an object", |_| "\"a\": {\"b\": 1}},\n".into(), 9.9, 20000),
        of("arrays with a comma", |_| "[1,".into(), 2.8, 32).pending(3.4),
        of("a string without an end", |_| "yyyyyyyy".into(), 1.5, 32).beginning_with("x {\"a\":\"").pending(2.0),
        of("fences", |_| "```\n".into(), 1.4, 350),
        of("fences that announce", |_| "```json\n".into(), 1.1, 350),
        of("fences that break", |_| "```json\n{\"a\":\n".into(), 1.5, 420),
        of("fences on one line", |_| "``` ".into(), 22.5, 450).beginning_with("x "),
        of("fences with a prefix", |_| "> ```json\n> [1,\n".into(), 9.2, 2750),
        of("documents of a fence with a prefix", |_| "a {\"a\":1}\n".into(), 3.3, 4200).beginning_with("a ```json\n"),
        of("a document of a fence with a prefix", |_| "a [1,\n".into(), 3.0, 2600).beginning_with("a ```json\n").pending(20.8),
        of("others in a fence with a prefix", |_| "a {\"a\":\nb {\"b\":\na 1}\nb 1}\n".into(), 2.9, 3400).beginning_with("a ```json\n"),
        of("fences that wait", |at| format!("{at} ```json\n{at} {{\n"), 45.0, 2400).planned(),
        of("openings in a box", |_| "| {     |\n".into(), 7.0, 650).planned(),
        of("lines after an opening in a box", |_| "[]\n".into(), 3.2, 380).beginning_with("\u{2502} {  \u{2502}\n"),
        of("faults that wait for a document with a prefix", |_| "{\"a{\"a\":// x\n=> ".into(), 61.8, 25800)
            .beginning_with("[x] [y] {\n[x] [y] \"a\": 1,\n"),
        of("weak documents on a line of a list", |_| "- []]".into(), 20.7, 2650).beginning_with("- ```json\n- {\n"),
        of("blank lines after an opening with a prefix", |_| "\n".into(), 1.0, 1150).beginning_with("a {\n").repeated(1 << 19).planned(),
        of("a document in a box", |_| "| [1,     |\n".into(), 2.9, 32).pending(5.6),
        of("marks", |_| "````".into(), 0.3, 400).beginning_with("x\n```\n"),
        of("valid nesting", |_| "[".into(), 1.4, 32).beginning_with("x ")
            .ending_in(|count| "]".repeat(count)).pending(3.2),
        of("first openings with a prefix", |at| format!("{}{} {{\n", at % 7, at % 11), 7.0, 450).planned(),
        of("lines of others between blank lines of a document with a prefix", |_| "a\n[\"a\",0\n".into(), 32.8, 6700)
            .beginning_with("a [1,\n"),
        of("openings that go on after a prefix", |_| "a [1,\n".into(), 8.0, 32)
            .ending_in(|_| "a x\n".into()).planned().pending(8.0),
        of("brackets that go on after a prefix", |_| "a [\n".into(), 8.0, 2850).planned(),
        of("openings after what may be cut in many ways", |_| "1 2 3 4 5 6 7 8 [1,\n".into(), 11.0, 1300)
            .ending_in(|_| "a x\n".into()).pending(6.4),
        of("objects that go on after a prefix", |_| "a {\"a\":\n".into(), 8.0, 32)
            .ending_in(|_| "a x\n".into()).planned().pending(6.0),
        of("interleaved openings", |at| format!("w{} | {{\"a\": [\n", at % 5), 33.0, 5500).pending(5.3),
        of("interleaved documents", |at| format!("{} | {{\"a\":\n{} | 1}}\n", at % 190, (at + 9) % 190), 61.7, 3700).repeated(1 << 12),
        of("more sources than are read side by side", |at| format!("s{} | {}\n", at % 3000, ["{\"a\":1,", "\"b\":2}"][at / 3000 % 2]), 9.0, 3000).planned(),
        of("prefixes one after the other", |at| format!("[req-x{at}] {{\n[req-x{at}] \"a\": 1}}\n"), 16.7, 3000),
        of("prefixes with time stamps one after the other", |at| format!("10:00:00.{at:05} {at} | {{\n10:00:00.{at:05} {at} | \"a\": 1}}\n"), 178.9, 3000),
        of("lines next to many prefixes", |at| match at { 0..250 => format!("[x{at} {:05}] {{\n[x{at} {at:05}] \"a\":\n", at + 1), _ => "a b\n".into() }, 24.3, 3000),
        of("stray brackets on one line", |_| "[1x".into(), 7.6, 450).beginning_with("x "),
        of("stray brackets after colours", |_| "\x1b[m{ ".into(), 25.3, 450).beginning_with("x "),
        of("brackets in control strings", |_| "\x1b]{ ".into(), 49.2, 450).beginning_with("x "),
        of("a text that was a string", |_| "[1x".into(), 8.8, 32).beginning_with("1 \"")
            .ending_in(|_| "\" x".into()).pending(3.3),
        of("a fence that was a string", |_| "[1x".into(), 7.6, 450).beginning_with("```\n1 \"")
            .ending_in(|_| "\" x".into()),
        of("faults next to documents", |_| "{\"a\":x} {\"a\":1}".into(), 1.8, 350).beginning_with("x "),
        of("faults on one line", |_| "{\"c\":x}é".into(), 2.0, 350),
        of("faults next to control strings without an end", |_| "\x1b]0;[1,[a- ".into(), 3.3, 350),
        of("blank text before the first byte", |_| "\n\n\n\n\n\n\n ".into(), 2.0, 450),
        of("blank text after a number", |_| "\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n ".into(), 2.0, 2100).beginning_with("1 "),
        of("documents of a string literal", |_| "{}".into(), 9.0, 950).beginning_with("\"")
            .ending_in(|_| "\"".into()),
        of("weak documents", |_| "[1,2],".into(), 3.2, 1500).beginning_with("x "),
        of("numbers", |_| "1 ".into(), 1.8, 1050),
        of("values in a fence", |_| "[1] ".into(), 1.2, 1060).beginning_with("x\n```\n[1]"),
        of("blanks after a weak document", |_| "    ".into(), 1.5, 400).beginning_with("x [1,2]"),
        of("chains", |_| "[ [ [1, {\"a\": x}] ".into(), 1.7, 360).beginning_with("x "),
        of("chains with a document", |_| "[[{}".into(), 6.3, 1200).beginning_with("x "),
    ]
}
