//! What a repair gives for each kind of damage, and what holds for any input.

#[cfg(feature = "slow")]
use super::reader::DEPTH;
use super::{Repaired, Repairs};
use crate::document::{Document, Rank, Visitor};
use crate::finder::{FindOptions, Finder};
use proptest::prelude::*;

fn repairs(source: &[u8]) -> Vec<Repaired> {
    Repairs::of_text(source, &FindOptions::default()).documents
}

/// The best document of a source with its repairs.
#[derive(Default)]
struct Best(Option<(usize, String)>);

impl Visitor for Best {
    fn document(&mut self, document: Document<'_>) {
        let rank = match document.rank {
            Rank::AnnouncedFence => 0,
            Rank::Weak => 2,
            _ => 1,
        };
        if self.0.as_ref().is_none_or(|best| rank < best.0) {
            let text = String::from_utf8(document.text.to_vec());
            self.0 = Some((rank, text.expect("a document is UTF-8")));
        }
    }

    fn thinking_ended(&mut self) {
        self.0 = None;
    }
}

fn repaired(source: &str) -> Option<String> {
    let repairs = Repairs::of_text(source.as_bytes(), &FindOptions::default());
    let mut best = Best::default();
    let mut merge = repairs.merge(&mut best);
    let mut finder = Finder::new(FindOptions::default());
    finder.push(source.as_bytes(), &mut merge);
    finder.finish(&mut merge);
    merge.end();
    best.0.map(|best| best.1)
}

#[track_caller]
fn check_one(source: &str, want: &str) {
    assert_eq!(repaired(source).as_deref(), Some(want), "from {source:?}");
}

/// Checks the lines of a table, each a source, in which `⏎` is a line feed, and its repair. Lines that begin with `--`
/// say what those after them show.
#[track_caller]
fn check(table: &str) {
    let lines = table.lines().map(str::trim);
    for line in lines.filter(|line| !line.is_empty() && !line.starts_with("-- ")) {
        let (source, want) = line.split_once(" ⇒ ").expect(line);
        check_one(&source.replace('⏎', "\n"), want);
    }
}

/// A text of each kind of damage that models do to JSON, on a line each, in the form of [`check`].
#[test]
fn what_models_write_is_read_as_it_was_meant() {
    let value = |json: &str| serde_json::from_str::<serde_json::Value>(json).expect(json);
    for line in include_str!("models.txt").lines() {
        let (source, want) = line.split_once(" ⇒ ").expect(line);
        let found = repaired(&source.replace('⏎', "\n"));
        assert_eq!(found.as_deref().map(value), Some(value(want)), "{line}");
    }
}

#[test]
fn strict_json_is_left_alone() {
    for source in [
        "{\"b\" : 1.0,\"a\":\"\\u0041\", \"b\":[ ]}",
        " [1e5 ]\n",
        "\"\\ud800\"",
        "null",
        "changed from {\"a\":\"b\"} to {\"a\":\"c\"}",
    ] {
        assert!(repairs(source.as_bytes()).is_empty(), "{source}");
    }
}

#[test]
fn what_is_left_out_altogether_is_no_document() {
    for source in ["{ :: }", "{ ; ; }"] {
        assert_eq!(repaired(source), None, "{source}");
    }
}

#[test]
fn what_is_around_the_document_is_cut_away() {
    check(
        r#"
        <think>{"x": 1}</think>⏎⏎{a: 1} ⇒ {"a":1}
        Sure!⏎```json⏎{'a': 1,}⏎```⏎Anything else? ⇒ {"a":1}
        - first:⏎  ```⏎  {a: [1, 2}⏎  ```⏎ ⇒ {"a":[1,2]}
        see {name": 1} ⇒ {"name":1}
        "said {"a": 1, "b": [2} ⇒ {"a":1,"b":[2]}
        {"a": "b"⏎I hope this helps ⇒ {"a":"b"}
        see [1] and [the docs](x) for {"a": 1, "b": "x ⇒ {"a":1,"b":"x"}
        2026-01-02 12:00:00 INFO [main] got: {status: ok} in 3 ms⏎2026 done⏎ ⇒ {"status":"ok"}
        {"text": "```js⏎f()⏎```", "n": 1,} ⇒ {"text":"```js\nf()\n```","n":1}
        var a = 1; var b = {test: 1, 'x': 0x80};⏎f(b); ⇒ {"test":1,"x":128}
        ```⏎42⏎``` ⇒ 42
        {a: 1}⏎[1]: the footnote ⇒ {"a":1}
        in [1, 5) for {"a": 1,} ⇒ {"a":1}
        as "{"a": 1,}" it is ⇒ {"a":1}
        [[ ## answer ## ]]⏎{a: 1}⏎⏎[[ ## completed ## ]] ⇒ {"a":1}
        ```json {linenos=true}⏎{a: 1}⏎```⏎ ⇒ {"a":1}
        answers: [None, {"a": 1,}] of [{"b": 2}] ⇒ [null,{"a":1}]
        "#,
    );
}

#[test]
fn remarks_between_members_are_left_out() {
    check(
        r#"
        {"a": 1,  ← changed⏎"b": 2} ⇒ {"a":1,"b":2}
        {"a": "x", -- the first⏎ b: 2} ⇒ {"a":"x","b":2}
        {"a": 1, (optional)⏎"b": 2} ⇒ {"a":1,"b":2}
        {"a": 1,⏎(it's more here)⏎"b": 2} ⇒ {"a":1,"b":2}
        {"a": "x" (note: or none),⏎"b": 2} ⇒ {"a":"x","b":2}
        {"a": 1,⏎...other members...⏎"b": 2} ⇒ {"a":1,"b":2}
        {"a": 1,⏎... and so on⏎} ⇒ {"a":1}
        [{"a": 1},⏎... (8 more)⏎] ⇒ [{"a":1}]
        [1, ... 10] ⇒ [1,10]
        [1, 2, ... and 3 more] ⇒ [1,2]
        [1, 2, ... (3 more)] ⇒ [1,2]
        {"a": 1, ... other members ...} ⇒ {"a":1}
        {"a": 1, more⏎} ⇒ {"a":1}
        {⏎- "a": 1,⏎- "b": "x"⏎} ⇒ {"a":1,"b":"x"}
        "#,
    );
}

#[test]
fn an_arrow_or_equals_sign_after_an_element_names_it() {
    check(
        r#"
        ['a' => 'x', 'b' => 2] ⇒ [{"a":"x","b":2}]
        [['a' => 1], ['a' => 2]] ⇒ [[{"a":1}],[{"a":2}]]
        ["a" = 1, "b" = 2] ⇒ [{"a":1,"b":2}]
        "#,
    );
}

#[test]
fn thinking_that_the_prompt_has_opened_holds_no_candidate() {
    check(
        r#"
        Draft:⏎```json⏎{"a": 1}⏎```⏎</think>⏎⏎{b: 1} ⇒ {"b":1}
        [cut {"a": 1⏎</think>⏎{b: 1} ⇒ {"b":1}
        {a: "b </think> c", d: 1} ⇒ {"a":"b </think> c","d":1}
        "#,
    );
}

#[test]
fn a_fence_ends_at_its_closing_marks() {
    check(
        r#"
        ```json⏎{a: 1}⏎```⏎text {b: [1, 2, 3]} ⇒ {"a":1}
        ~~~json⏎{a: [1⏎~~~⏎text {b: [1, 2, 3]} ⇒ {"a":[1]}
        ```json {a: 1} ``` or {b: [1, 2]} ⇒ {"a":1}
        ```json⏎{a: "1 ``` 2"}⏎```⏎{b: [1, 2, 3, 4, 5]} ⇒ {"a":"1 ``` 2"}
        ````json⏎{a: 1,⏎```⏎````⏎{b: [1, 2, 3]} ⇒ {"a":1}
        ```json⏎{a: 1}⏎```⏎```json⏎{b: [1, 2]}⏎``` ⇒ {"a":1}
        ```⏎words⏎```⏎then: {b: 1} ⇒ {"b":1}
        text⏎```json⏎// c.json⏎{"a": {"b": 1}}⏎``` ⇒ {"a":{"b":1}}
        {"a": "x⏎```json⏎{\"b\": 1}⏎```", "c": 2} ⇒ {"a":"x\n```json\n{\"b\": 1}\n```","c":2}
        {"a": "x⏎```json⏎{"b": "c",}⏎```⏎end ⇒ {"b":"c"}
        "#,
    );
}

#[test]
fn lines_of_one_document_that_begin_alike_are_no_prefix() {
    check(
        r#"
        {"log": [⏎  "user \"bob\" sent: {a}",⏎  "user \"bob\" sent: {b}",⏎], "n": 3} ⇒ {"log":["user \"bob\" sent: {a}","user \"bob\" sent: {b}"],"n":3}
        { "a": "x"⏎, "b": {"c": 1}⏎, "d": ["e", "f"⏎} ⇒ {"a":"x","b":{"c":1},"d":["e","f"]}
        "#,
    );
}

#[test]
fn bare_words_in_brackets_are_joined_with_nothing() {
    check(
        r#"
        [INFO] {a: 1} ⇒ {"a":1}
        {id} {"a": 1,} ⇒ {"a":1}
        [main]⏎{a: 1}⏎{b: 2} ⇒ {"a":1}
        [12.345671] {a: 1} ⇒ {"a":1}
        "#,
    );
}

#[test]
fn text_without_json_gives_nothing() {
    for source in [
        "",
        "  \n",
        "hello world",
        "error: no such file",
        "2 files changed",
        "(see below) fine",
        "[INFO] ----\n[INFO] BUILD SUCCESS\n",
        "[core]\nx = 1\n",
        "[pod/web/app] usage\n",
        "[INFO]",
        "got {status: ok} in 3 ms",
        "struct Foo { a: 1 }",
        "in [5, 10) and (0, 1]",
        "[12:30:45] done",
        "in [None, INFO] done",
    ] {
        assert_eq!(repaired(source), None, "from {source:?}");
    }
}

#[test]
fn separators_and_brackets_are_set_right() {
    check(
        r#"
        {a: 1 b: 2} ⇒ {"a":1,"b":2}
        {"a":: [{"b": 1}, 2], "c": 3} ⇒ {"a":[{"b":1},2],"c":3}
        {a: b, // c⏎d: 2} ⇒ {"a":"b","d":2}
        {"a": [1,⏎⏎true, x]} ⇒ {"a":[1,true,"x"]}
        [1, 2,, 3,] ⇒ [1,2,3]
        [,1 2⏎3] ⇒ [1,2,3]
        {,"a": 1 "b": 2,} ⇒ {"a":1,"b":2}
        {"a" 1, 'b' = 2} ⇒ {"a":1,"b":2}
        {"a": [1, 2}, "b": [3]} ⇒ {"a":[1,2],"b":[3]}
        [{"a": 1, {"a": 2}] ⇒ [{"a":1},{"a":2}]
        {"a": 1}, "b": 2} ⇒ {"a":1,"b":2}
        {'a', 'b'} ⇒ ["a","b"]
        {'a': {1, 2}, 'b': {None}} ⇒ {"a":[1,2],"b":[null]}
        ["a": 1] ⇒ [{"a":1}]
        {"a": , "b": 2} ⇒ {"a":null,"b":2}
        {"a": ["b"⏎"c": 1} ⇒ {"a":["b"],"c":1}
        "a": "b",⏎"c": [1, 2]⏎}⏎Done. ⇒ {"a":"b","c":[1,2]}
        {tasks => {"id": 1}, n => 2} ⇒ {"tasks":{"id":1},"n":2}
        got: {tasks = {"id": 1,}} ⇒ {"tasks":{"id":1}}
        {a := 1, b == 2} ⇒ {"a":1,"b":2}
        {"a": [1]} "b": 2} ⇒ {"a":[1],"b":2}
        {"a": [1,]}⏎"b": 2,⏎"c": {"d": "}"}⏎}⏎ ⇒ {"a":[1],"b":2,"c":{"d":"}"}}
        ```json⏎{"a": [1]}⏎"b": 2⏎}⏎``` ⇒ {"a":[1],"b":2}
        {"a": [1,]}⏎"b": 2⏎ ⇒ {"a":[1]}
        [{"a": 1,} "b": 2] ⇒ [{"a":1},{"b":2}]
        {"a" = "x", "b" = 2} ⇒ {"a":"x","b":2}
        {"a": "x"; "b": ["y"; {"z": 1}]; "c": 3} ⇒ {"a":"x","b":["y",{"z":1}],"c":3}
        {"a" true, "b": []⏎, "c" 1, "d": [2], "e" "f"} ⇒ {"a":true,"b":[],"c":1,"d":[2],"e":"f"}
        {"a": "x; y"; z", "b": 2} ⇒ {"a":"x; y\"; z","b":2}
        {'a': (1, 2), 'b': ('x',)}⏎⏎That is all. ⇒ {"a":[1,2],"b":["x"]}
        ["a" 12, "b" 1.5] ⇒ ["a",12,"b",1.5]
        ["a"⏎ null⏎ "b"] ⇒ ["a",null,"b"]
        {COMMENT "a": 1} ⇒ {"a":1}
        {"a": 1 [2, 3], "b": 4} ⇒ {"a":1,"b":4}
        "a": None ⇒ {"a":null}
        {"a": {"b": "x"} "c": 1} ⇒ {"a":{"b":"x"},"c":1}
        [{"a":"b"}{"c":"d"}] ⇒ [{"a":"b"},{"c":"d"}]
        [["x"]⏎"y"] ⇒ [["x"],"y"]
        {"a": "b", "c" "d"} ⇒ {"a":"b","c":"d"}
        [a": 1} ⇒ [{"a":1}]
        {name, b: 2} ⇒ {"b":2}
        "#,
    );
}

#[test]
fn an_array_that_is_not_closed_ends_before_the_next_name() {
    check(
        r#"
        {"a": [1, 2, "b": 3, "c": {"d": [4]}} ⇒ {"a":[1,2],"b":3,"c":{"d":[4]}}
        [{"a": [1, "b": 2}, {"a": [3], "b": 4}] ⇒ [{"a":[1],"b":2},{"a":[3],"b":4}]
        -- Its object has lost a bracket instead.
        {"a": ["b": 1}]} ⇒ {"a":[{"b":1}]}
        "#,
    );
}

#[test]
fn what_follows_a_bracket_of_the_wrong_kind_tells_what_it_is_meant_for() {
    check(
        r#"
        -- What is open, in spite of its kind.
        [{"a": 1], {"b": 2}] ⇒ [{"a":1},{"b":2}]
        [{"a": 1], 2] ⇒ [{"a":1},2]
        {"a": [[1}, [2]], "b": 3} ⇒ {"a":[[1],[2]],"b":3}
        {"a": [{"b": {"c": 1], "d": 2}], "e": 3} ⇒ {"a":[{"b":{"c":1}}],"d":2,"e":3}
        -- What is around it.
        {"a": [{"b": 1], "c": 2} ⇒ {"a":[{"b":1}],"c":2}
        -- Nothing.
        {"a": [1}, {"b": 2} ⇒ {"a":[1,{"b":2}]}
        [{"a": [1]], "b": 2}, {"a": [3]}] ⇒ [{"a":[1],"b":2},{"a":[3]}]
        [{"a": {"b": [1]]}}, {"a": 2}] ⇒ [{"a":{"b":[1]}},{"a":2}]
        "#,
    );
}

#[test]
fn what_python_shows_between_single_marks_is_unescaped() {
    check(
        r#"
        '{\n  "a": {"b": 1}\n}' ⇒ {"a":{"b":1}}
        b'{\n  "a": {"b": 1}\n}\n' ⇒ {"a":{"b":1}}
        body: {\n  "a": {"b": 1},\n  "c": 2\n} ⇒ {"a":{"b":1},"c":2}
        content='{\n  "a": "it\'s \\n \\"b\\"",\n  "c": [1]\n}' x=0 ⇒ {"a":"it's \n \"b\"","c":[1]}
        Message(content='Yes:\n```json\n[\n  {\n    "a": 1\n  }\n]\n```', x=0) ⇒ [{"a":1}]
        content='{\n  "a": [1, 2 ⇒ {"a":[1,2]}
        b'{\n  "a": [1]\n}' ⇒ {"a":[1]}
        "#,
    );
}

#[test]
fn an_array_goes_on_where_an_element_follows_it_in_an_object() {
    check(
        r#"
        {"a": [1], [2, 3], [[4]], "b": 5} ⇒ {"a":[1,[2,3],[[4]]],"b":5}
        {"a": [1], 2, 3], "b": 5} ⇒ {"a":[1,2,3],"b":5}
        "#,
    );
}

#[test]
fn a_bracket_too_many_ends_nothing() {
    check(
        r#"
        {"path": "a.py"}}, "append": false} ⇒ {"path":"a.py","append":false}
        {"a": [1, 2]], "b": 3} ⇒ {"a":[1,2],"b":3}
        [{"a": 1}}, {"a": 2}] ⇒ [{"a":1},{"a":2}]
        [{"a": {"b": [{"c": 1}}]}, {"d": 2}] ⇒ [{"a":{"b":[{"c":1}]}},{"d":2}]
        {"a": [{"b": [1, 2}], "c": 3} ⇒ {"a":[{"b":[1,2]}],"c":3}
        [1, 2}, [3, 4] ⇒ [1,2,[3,4]]
        "#,
    );
}

#[test]
fn prose_after_lost_brackets_is_left_out() {
    check(
        r#"
        [{"a": 1,}⏎⏎Hope that helps. ⇒ [{"a":1}]
        {"a": "b"⏎⏎Note: it is done. ⇒ {"a":"b"}
        {"a": "42"⏎⏎Note: it is done. ⇒ {"a":"42"}
        {a: b,⏎⏎c: d ⇒ {"a":"b","c":"d"}
        <tool_call>⏎{"a": {"b": "c"}⏎</tool_call><|im_end|> ⇒ {"a":{"b":"c"}}
        {"a": "<b>c</b> ⇒ {"a":"<b>c</b>"}
        ```json⏎{"a": "b}⏎```⏎That "is" {all}. ⇒ {"a":"b"}
        ```json⏎{"a": "⏎```js⏎f()⏎```⏎and ⇒ {"a":"\n```js\nf()\n```\nand"}
        "#,
    );
}

#[test]
fn lines_at_the_indent_of_a_cut_object_are_not_its_members() {
    check(
        r#"
        {"a":1,"b":{"c":2}⏎curl: (18) cut ⇒ {"a":1,"b":{"c":2}}
        {⏎  "a": {⏎    "b": 1⏎  }⏎Error: foo: bar ⇒ {"a":{"b":1}}
        {⏎"a": 1,⏎"b": bare words ⇒ {"a":1,"b":"bare words"}
        {⏎a: 1,⏎b: c ⇒ {"a":1,"b":"c"}
        "#,
    );
}

#[test]
fn a_name_ends_on_its_line() {
    check(
        r#"
        {⏎  "t”: [⏎    {"a": 1}⏎  ]⏎} ⇒ {"t":[{"a":1}]}
        {⏎  "t': 1,⏎  "b": 2⏎} ⇒ {"t":1,"b":2}
        {⏎  "a' {⏎    "b": 1⏎  }⏎} ⇒ {"a":{"b":1}}
        {⏎  "t {⏎    "a": 1⏎  }⏎} ⇒ {"t":{"a":1}}
        { tasks” : {"id": 1}} ⇒ {"tasks":{"id":1}}
        {"a": 1,⏎"t⏎"b": 2} ⇒ {"a":1,"b":2}
        {"t⏎u": "x"} ⇒ {"t\nu":"x"}
        -- In a row of a table, the next row is no part of it.
        | 2 | {"a":{"b":1},"c.. |⏎| 3 | {"a":{"b":2},"... |⏎ ⇒ {"a":{"b":1}}
        "#,
    );
}

#[test]
fn quotes_are_set_right() {
    check(
        r#"
        {'a': 'it\'s', “b”: ‘x’, `c`: `y`} ⇒ {"a":"it's","b":"x","c":"y"}
        {"a": "say "hi" to "me"", "b": 2} ⇒ {"a":"say \"hi\" to \"me\"","b":2}
        {"a": "the TV has a 24" screen", "b": 1} ⇒ {"a":"the TV has a 24\" screen","b":1}
        {'a': 'it's'} ⇒ {"a":"it's"}
        {"a": "b,"c": "d"} ⇒ {"a":"b","c":"d"}
        {a": "b", c": d"} ⇒ {"a":"b","c":"d"}
        {"a": "b} ⇒ {"a":"b"}
        ["a", "b] ⇒ ["a","b"]
        {""a"": ""b""} ⇒ {"a":"b"}
        {"a": ""b," he said, "c"", "d": ""e" f"} ⇒ {"a":"\"b,\" he said, \"c\"","d":"\"e\" f"}
        {"a": """one⏎two"""} ⇒ {"a":"one\ntwo"}
        {"a": ```js⏎f(`b`, "c");⏎```,⏎"d": 1} ⇒ {"a":"f(`b`, \"c\");","d":1}
        {"c": "“d”, 5” e", “f”: “"g"”} ⇒ {"c":"“d”, 5” e","f":"\"g\""}
        [{a": "b⏎}, {⏎"c": 1,}] ⇒ [{"a":"b"},{"c":1}]
        {key: some bare words, url: https://x.org/a#b} ⇒ {"key":"some bare words","url":"https://x.org/a#b"}
        {"text": "he said "yes", and left", "n": 1} ⇒ {"text":"he said \"yes\", and left","n":1}
        {"a": "x""b": "y"} ⇒ {"a":"x","b":"y"}
        'single' ⇒ "single"
        "cut ⇒ "cut"
        {"a": """", "b": 1} ⇒ {"a":"\"\"","b":1}
        {´a´: ´b´} ⇒ {"a":"b"}
        ["he said "x": y", 1] ⇒ ["he said \"x\": y",1]
        {"a": "b", "c: ["d"], "e": 1} ⇒ {"a":"b","c":["d"],"e":1}
        {"a": "b", "c: 1, "d: {"e": 2}} ⇒ {"a":"b","c":1,"d":{"e":2}}
        {"a b: "c", "d": [1], "e f: [2]} ⇒ {"a b":"c","d":[1],"e f":[2]}
        {"key: "value", "b": 1} ⇒ {"key":"value","b":1}
        {"code": "f({"a": "b"}) and "x"}"} ⇒ {"code":"f({\"a\": \"b\"}) and \"x\"}"}
        "#,
    );
}

#[test]
fn what_decides_at_the_edge_of_a_value_belongs_to_it_or_not() {
    check(
        r#"
        -- Brackets in text without quotes belong to it.
        {text:see{a b}} ⇒ {"text":"see{a b}"}
        {text:see{a b}c} ⇒ {"text":"see{a b}c"}
        {path: /a-b.css/} ⇒ {"path":"/a-b.css/"}
        -- In prose, a comma makes one number in brackets a document.
        go { [7,] on ⇒ [7]
        -- A text that is nothing but a quoted string or a cut number.
        `"Ada's"` ⇒ "\"Ada's\""
        - ⇒ 0
        \"see" ⇒ "see"
        -- Half of a character that is written as two escapes is not all of it.
        {"a":"x \ud83d\ude00 ⇒ {"a":"x \ud83d\ude00"}
        -- A word before a name is left out; quotes in a name and in an element belong to it.
        [{"k": "v", NOTE "n": "a "b", c." }] ⇒ [{"k":"v","n":"a \"b\", c."}]
        {"k"e"y": "v"} ⇒ {"k\"e\"y":"v"}
        {"k": ["a "b" c "d" e, "f" ", "a "b" c", "a"]} ⇒ {"k":["a \"b\" c \"d\" e, \"f\" ","a \"b\" c","a"]}
        [\"see \\"it\\"\"] ⇒ ["see \"it\""]
        -- A line that ends in a quotation mark and a comma may end a string, and a name on the next line does.
        {⏎"a": "⏎```{}```⏎"⏎",⏎ b: "x",⏎} ⇒ {"a":"\n```{}```\n\"","b":"x"}
        {"k": "x⏎"l": 2} ⇒ {"k":"x","l":2}
        -- An object that an array's bracket closes was an array.
        {"k" ] ⇒ ["k"]
        -- A string that is not closed ends before a name, quoted or not, and before an element that is none of its text.
        {"a": "first, b: 1} ⇒ {"a":"first","b":1}
        {"a": "first, b: [1]} ⇒ {"a":"first","b":[1]}
        {greeting: hello world⏎next: "line"} ⇒ {"greeting":"hello world","next":"line"}
        "the list [1, 2"] more" ⇒ "the list [1, 2\"] more"
        "hello" + /*comment*/ " world" ⇒ "hello world"
        -- A flat array that would be weak takes no strong document into a string.
        E:v:['{"m":[{"type":"error","message":"Stray p."}]}'] ⇒ {"m":[{"type":"error","message":"Stray p."}]}
        {"half": [1, ⏎{"level":"error"}⏎=====⏎ ⇒ {"half":[1]}
        {"a": "first, b: true} ⇒ {"a":"first","b":true}
        {"a": "first, b: "second"} ⇒ {"a":"first","b":"second"}
        {"x": "a, {"k": {"n": 1}}, "y": 2} ⇒ {"x":"a, {\"k\": {\"n\": 1}}","y":2}
        {"k": "a, b c. } ⇒ {"k":"a, b c."}
        {"key":value "key2":"value2" } ⇒ {"key":"value","key2":"value2"}
        {⏎"bar": [⏎1,⏎],⏎more: {⏎once: true⏎}⏎} ⇒ {"bar":[1],"more":{"once":true}}
        {"array": [⏎{}⏎{}⏎]} ⇒ {"array":[{},{}]}
        ["This is C(2)", "This is F(3)] ⇒ ["This is C(2)","This is F(3)"]
        ["https://a.example/,2] ⇒ ["https://a.example/",2]
        {"a":"apple","b" ⇒ {"a":"apple"}
        {"a":"x}``` [1,"z"]⏎","b":"y"} ⇒ {"a":"x}``` [1,\"z\"]","b":"y"}
        {⏎"r": [⏎{"x": "^\s*path\(\s*['"]([^'"]+)['"]\s*,"},⏎{"x": "^\s*re_path\(\s*[^'"]+['"]\s*,"}⏎]⏎} ⇒ {"r":[{"x":"^\\s*path\\(\\s*['\"]([^'\"]+)['\"]\\s*,"},{"x":"^\\s*re_path\\(\\s*[^'\"]+['\"]\\s*,"}]}
        -- Half of a pair of escapes goes with the one after it that is cut; a backslash that is escaped cuts nothing.
        {"a":"hi \ud83d\ ⇒ {"a":"hi "}
        "\\u ⇒ "\\u"
        -- Words, numbers as other languages write them, and calls.
        {"a": 1, "b": tru} ⇒ {"a":1,"b":"tru"}
        {"key": value , } ⇒ {"key":"value"}
        {a “b”} ⇒ {"a":"b"}
        {"a": 1, "b", "c": 3} ⇒ {"a":1,"c":3}
        4, ⇒ 4
        4 , ⇒ 4
        [0e+-1] ⇒ ["0e+-1"]
        [-e5], ⇒ ["-e5"]
        {0 ⇒ {}
        call(false); ⇒ false
        call(2); ⇒ 2
        `foo' ⇒ "foo"
        True ⇒ true
        t ⇒ true
        0789 ⇒ "0789"
        [0789] ⇒ ["0789"]
        001.2 ⇒ "001.2"
        -e0 ⇒ "-e0"
        call("foo"); ⇒ "foo"
        See:⏎    ```json⏎    (1, 2)⏎    ``` ⇒ [1,2]
    "#,
    );
    check_one("\"a\rb\"", r#""a\rb""#);
    check_one("{\"a\":\u{feff}\"b\"}", r#"{"a":"b"}"#);
    assert_eq!(repaired("-e"), None);
}

#[test]
fn quotes_in_the_text_of_a_string_end_nothing() {
    check(
        r#"
        {"a": "<p class="b" id="c">d</p>", "e": 1} ⇒ {"a":"<p class=\"b\" id=\"c\">d</p>","e":1}
        {"f": "g", "arguments": "{"a": "b", "c": ["d", "e"]}"} ⇒ {"f":"g","arguments":"{\"a\": \"b\", \"c\": [\"d\", \"e\"]}"}
        {"code": "d = {"a": 1, "b": 2}⏎print(d["a"])", "n": 1} ⇒ {"code":"d = {\"a\": 1, \"b\": 2}\nprint(d[\"a\"])","n":1}
        {"a": "{\"b\": "c"}", "d": 1} ⇒ {"a":"{\"b\": \"c\"}","d":1}
        {"a": "{", "b": "}", "c": ["[", "]",]} ⇒ {"a":"{","b":"}","c":["[","]"]}
        ["the "quick", "brown" fox", "note: "y"", "z"] ⇒ ["the \"quick\", \"brown\" fox","note: \"y\"","z"]
        {"a": "if (b == "c") { return "d"; }", "e": 1} ⇒ {"a":"if (b == \"c\") { return \"d\"; }","e":1}
        {"a": "say "b", "c: 1" or d", "e": 1} ⇒ {"a":"say \"b\", \"c: 1\" or d","e":1}
        {"a": "b: "c", d: "e""} ⇒ {"a":"b: \"c\", d: \"e\""}
        "#,
    );
}

#[test]
fn assignments_in_the_text_of_a_string_are_no_names() {
    check(
        r#"
        {"code": "a = "x"⏎b = "y"⏎⏎  c = 1", "n": 1} ⇒ {"code":"a = \"x\"\nb = \"y\"\n\n  c = 1","n":1}
        {"code": "f("x", y=1)", "n": 1} ⇒ {"code":"f(\"x\", y=1)","n":1}
        {"code": "switch (a) {⏎  case 1: return "y"⏎  default: return 0⏎}", "n": 1} ⇒ {"code":"switch (a) {\n  case 1: return \"y\"\n  default: return 0\n}","n":1}
        {a = "x"⏎b = "y"} ⇒ {"a":"x","b":"y"}
        {"code": "String s = "x"; print("y: " + s);", "n": 1} ⇒ {"code":"String s = \"x\"; print(\"y: \" + s);","n":1}
        {"code": "a[b="x"] { c: "y"; }", "n": 1} ⇒ {"code":"a[b=\"x\"] { c: \"y\"; }","n":1}
        {"code": "export { a: { b: "c" } };", "n": 1} ⇒ {"code":"export { a: { b: \"c\" } };","n":1}
        "#,
    );
}

#[test]
fn a_literal_is_an_element_after_several_strings_as_after_one() {
    check(
        r#"
        ["a" true] ⇒ ["a",true]
        ["a" "b" true] ⇒ ["a","b",true]
        {"k": ["a" "b" null, 1]} ⇒ {"k":["a","b",null,1]}
        ["a" "b" 3 true] ⇒ ["a","b",3,true]
        ["he said "a" true words"] ⇒ ["he said \"a\" true words"]
        "#,
    );
}

#[test]
fn a_comma_in_bare_text_needs_no_name_after_it() {
    check(
        r#"
        {a: Jan 5, 2024, b: 1} ⇒ {"a":"Jan 5, 2024","b":1}
        {"a": it is, so to say, done.", "b": 1} ⇒ {"a":"it is, so to say, done.","b":1}
        {a: b, c d: e, "f": 1} ⇒ {"a":"b","c d":"e","f":1}
        "#,
    );
}

#[test]
fn strings_are_escaped() {
    check(
        r#"
        {"a": "\frac{1}{2} \alpha", "b": "\f", "c": "d\_e"} ⇒ {"a":"\\frac{1}{2} \\alpha","b":"\f","c":"d_e"}
        [{\"a\": \"b\"}] ⇒ [{"a":"b"}]
        {"a": "C:\dir\x41\'", "b": "C:\new\Xemp", "c": "\\d\w\n", "d": "it\'s\x41"} ⇒ {"a":"C:\\dir\\x41'","b":"C:\\new\\Xemp","c":"\\d\\w\n","d":"it's\u0041"}
        {"a": "one\⏎two"} ⇒ {"a":"onetwo"}
        {"a": 'x' + "y" +⏎ 'z'} ⇒ {"a":"xyz"}
        msg="{\"a\":\"b \\\"c\\\"\"}" n=1 ⇒ {"a":"b \"c\""}
        {\n  \"a\": 1\n} ⇒ {"a":1}
        "#,
    );
    check_one(
        "{\"a\": \"one\ntwo\tthree\u{1}\"}",
        r#"{"a":"one\ntwo\tthree\u0001"}"#,
    );
    check_one("{\"a\": \"one\\\r\ntwo\"}", r#"{"a":"onetwo"}"#);
}

#[test]
fn an_ellipsis_stands_for_nothing_that_is_there() {
    check(
        r#"
        {"a": [ ... "x" ]} ⇒ {"a":["x"]}
        { ... "a": 1 } ⇒ {"a":1}
        [1, ... (8 more), 10] ⇒ [1,10]
        {"a": 1, "b": ..., "c": 2} ⇒ {"a":1,"c":2}
        {"a": 1, "b": … ⇒ {"a":1}
        {"a": 1, "n": 12... (truncated)⏎INFO done: ok⏎ ⇒ {"a":1,"n":12}
        "#,
    );
}

#[test]
fn what_is_cut_ends_before_other_text() {
    check(
        r#"
        out: {"a": 1, "l": [{"b": 2},⏎ERROR: exit 1⏎ ⇒ {"a":1,"l":[{"b":2}]}
        {⏎  "a": [⏎    1,⏎$ echo done⏎ ⇒ {"a":[1]}
        -- Names without quotes may begin their lines.
        {a: 1,⏎b: c ⇒ {"a":1,"b":"c"}
        "#,
    );
}

#[test]
fn literals_numbers_and_calls_of_other_languages_are_read() {
    check(
        r#"
        [True, False, None, undefined, NaN, -Infinity, inf] ⇒ [true,false,null,null,null,null,null]
        [0x1F, 0o17, 1_000, +1, .5, 5., 2e, _1] ⇒ [31,15,1000,1,0.5,5.0,2,"_1"]
        {"a": -1,234,567.8, "b": [1,000], "c": 1,234: 5} ⇒ {"a":-1234567.8,"b":[1,"000"],"c":1,"234":5}
        [1.2.3, 2024-10-18T18:35:22Z, 007, 12:30] ⇒ ["1.2.3","2024-10-18T18:35:22Z","007","12:30"]
        {_id: ObjectId("1"), at: new Date(0), p: (1, 2), q: (3)} ⇒ {"_id": "1","at": 0,"p":[1,2],"q": 3}
        callback({"a": 1,}); ⇒ {"a":1}
        {"a": Number(1), "b": Object {"c": Number(2)}} ⇒ {"a": 1,"b":{"c": 2}}
        outer(inner({"a": 1,})); ⇒ {"a":1}
        {u'a': b'', r"b": [u'c', f"d"], b": 1} ⇒ {"a":"","b":["c","d"],"b":1}
        {"a" => "b", "c" => nil} ⇒ {"a":"b","c":null}
        {"a"："b，c"，＂d＂: [1，true、"e"]} ⇒ {"a":"b，c","d":[1,true,"e"]}
        [1, ..., 9, …] ⇒ [1,9]
        "#,
    );
}

#[test]
fn comments_are_removed() {
    check(
        r##"
        // head⏎{"a": 1, /* b */ "b": 2 # c⏎} ⇒ {"a":1,"b":2}
        ["//", <!-- x --> "/* */"] ⇒ ["//","/* */"]
        {"a": 1, <-- the count⏎"b": 2 <-- the rest⏎} ⇒ {"a":1,"b":2}
        {"a": # fff⏎1, "b": #add⏎2} ⇒ {"a":1,"b":2}
        {a: #ff0000, "b": #fff} ⇒ {"a":"#ff0000","b":"#fff"}
        "##,
    );
}

#[test]
fn truncated_input_keeps_what_is_complete() {
    check(
        r#"
        {"a": [1, {"b": "x ⇒ {"a":[1,{"b":"x"}]}
        {"a": 1, "b ⇒ {"a":1}
        {"a": 1, "b": ⇒ {"a":1}
        {"a": "x\ud83d\ude0 ⇒ {"a":"x"}
        {"a": "x\ ⇒ {"a":"x"}
        {"a": "x\u2605 ⇒ {"a":"x\u2605"}
        {"a": "“b” ⇒ {"a":"“b”"}
        ["a", b ⇒ ["a","b"]
        data[{"a": 1, ⇒ [{"a":1}]
        [1, 2. ⇒ [1,2.0]
        [tru ⇒ [true]
        {"a":1,}⏎{"a":2,}⏎{"a ⇒ {"a":1}
        "#,
    );
}

#[test]
fn changes_say_what_was_done_and_where_it_was_found() {
    let source = b"x {'a': 1, /* b */ 'c': \xff'd\xff',} y";
    let repaired = repairs(source).pop().expect("it has a candidate");
    assert_eq!(repaired.position.offset, 2);
    assert_eq!(repaired.length, source.len() as u64 - 4);
    let after = repairs(b"\xff {'a': 1}").pop();
    assert_eq!(after.map(|repaired| repaired.position.offset), Some(2));
    for phrase in [
        "replaced invalid UTF-8",
        "removed a comment",
        "removed an extra comma",
    ] {
        assert!(
            repaired.changes().iter().any(|change| change == phrase),
            "{:?}",
            repaired.changes()
        );
    }
}

#[test]
fn each_change_is_reported() {
    let table = [
        ("[1, ..., 9]", "removed an ellipsis"),
        ("[1, ...]", "removed an extra comma; removed an ellipsis"),
        ("[,1]", "removed an extra comma"),
        ("[\"a\" 1, \"b\"]", "added a missing comma"),
        ("[\"a\" null, \"b\"]", "added a missing comma"),
        ("{\"a\" 1}", "added a missing colon"),
        ("{\"a\" = 1}", "replaced an equals sign or arrow by a colon"),
        ("{\"a\": }", "put null for a missing value"),
        ("{\"a\": ```js\nf()\n```}", "put a string in double quotes"),
        (
            "{\"a\"：1}",
            "replaced another character by a comma or colon",
        ),
        ("[1; 2]", "replaced another character by a comma or colon"),
        (
            "{\"a\":\u{a0}1}",
            "replaced white space that JSON does not have",
        ),
        ("{\"a\": [1, 2]], \"b\": 3}", "corrected a bracket"),
        ("{\\\"a\\\": 1}", "took one level of escapes off"),
        (
            "{\"a\": \"\nx\n\"}",
            "escaped a control character inside a string; removed the line break before a closing quote",
        ),
        (
            "{\"a\": 1, \"b",
            "left out an incomplete member at the end; added a missing closing bracket or quote",
        ),
        (
            "{\"a\": \"b\" c: 1}",
            "added a missing comma; quoted a bare word",
        ),
    ];
    for (source, want) in table {
        let repaired = repairs(source.as_bytes()).pop();
        let changes = repaired.map(|repaired| repaired.changes().join("; "));
        assert_eq!(changes.as_deref(), Some(want), "from {source:?}");
    }
}

#[cfg(feature = "slow")]
#[test]
fn nesting_has_a_limit() {
    assert_eq!(repaired(&"[".repeat(DEPTH + 1)), None);
    let most = "[".repeat(DEPTH);
    assert_eq!(repaired(&most), Some(most.clone() + &"]".repeat(DEPTH)));
}

/// Pieces that broken JSON is made of.
fn piece() -> impl Strategy<Value = &'static str> {
    const PIECES: &str = "{|}|[|]|(|)|\"|'|“|”|，|：|\\[|&quot;|<b>|</b>|\n\n|`|,|:|=|\\|\\\"|\n|\
         |//|/*|*/|#|<!--|```|```json\n|...|true|nul|-|1e|0x1f|12|a|é|key:|\"k\":|\\u12|\u{a0}|<think>|</think>|f(|\"\"\"|+";
    prop::sample::select(PIECES.split('|').collect::<Vec<_>>())
}

fn document() -> impl Strategy<Value = serde_json::Value> {
    let leaf = prop_oneof![
        Just(serde_json::Value::Null),
        any::<bool>().prop_map(Into::into),
        any::<i32>().prop_map(Into::into),
        "[ -~é\n\"\\\\]{0,12}".prop_map(Into::into),
    ];
    let value = leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Into::into),
            prop::collection::btree_map("[a-z\"]{0,4}", inner, 0..4)
                .prop_map(|members| serde_json::Value::Object(members.into_iter().collect())),
        ]
    });
    value.prop_filter("an object or array", |value| {
        value.is_object() || value.is_array()
    })
}

proptest! {
    #[test]
    fn any_pieces_give_strict_json_or_nothing(pieces in prop::collection::vec(piece(), 0..40)) {
        let source = pieces.concat();
        // Documents after prefixes may stand among the lines of others, but not share text with them.
        let mut taken = Vec::new();
        for repaired in repairs(source.as_bytes()) {
            let valid = serde_json::from_slice::<serde::de::IgnoredAny>(&repaired.text);
            let text = String::from_utf8_lossy(&repaired.text);
            prop_assert!(valid.is_ok(), "{source:?} gave {text}");
            prop_assert!(repairs(&repaired.text).is_empty(), "{source:?} gave {text}");
            prop_assert!(!repaired.changes().is_empty(), "{source:?} gave {text}");
            taken.extend(repaired.parts());
        }
        taken.sort_by_key(|part| part.start);
        prop_assert!(taken.is_sorted_by(|part, next| part.end <= next.start), "{taken:?}");
        prop_assert!(taken.last().is_none_or(|last| last.end <= source.len() as u64));
    }

    #[test]
    fn any_bytes_are_survived(source in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = repairs(&source);
    }

    #[test]
    fn a_document_cut_anywhere_gives_a_beginning_of_it(value in document(), cut in any::<prop::sample::Index>()) {
        let whole = value.to_string();
        let source = &whole.as_bytes()[..cut.index(whole.len()) + 1];
        let source = String::from_utf8_lossy(source);
        let repaired = repaired(&source).expect("a cut document is a candidate");
        let part: serde_json::Value = serde_json::from_str(&repaired).expect("a repair is JSON");
        prop_assert_eq!(part.is_object(), value.is_object());
        prop_assert_eq!(part.is_array(), value.is_array());
    }

    #[test]
    fn damage_around_intact_strings_is_undone(
        value in document(),
        damage in prop::collection::vec(any::<u8>(), 8..40),
        prose in prop::sample::select(vec![("", ""), ("```json\n", "\n```"), ("Here: ", " - done, I hope."), ("", "\n\nAny \"questions\"?")]),
    ) {
        let mut damaged = String::new();
        Damage { bytes: damage, used: 0 }.write(&value, &mut damaged);
        // In other text, an array of less than two strings or numbers may just as well be part of the text.
        let named = value.as_object().is_some_and(|members| !members.is_empty());
        let prose = if named { prose } else { ("", "") };
        let source = format!("{}{damaged}{}", prose.0, prose.1);
        let Some(repaired) = repaired(&source) else {
            return Err(TestCaseError::fail(format!("no candidate in {source}")));
        };
        let read: serde_json::Value = serde_json::from_str(&repaired).expect("a repair is JSON");
        prop_assert_eq!(read, value, "{}", source);
    }
}

/// Decides where slips are made.
struct Damage {
    bytes: Vec<u8>,
    used: usize,
}

impl Damage {
    /// Whether to slip here, once in `n` times.
    fn slip(&mut self, n: u8) -> bool {
        self.used += 1;
        self.bytes[self.used % self.bytes.len()].is_multiple_of(n)
    }

    /// What stands after a member or element. An object that starts its line without an indent is a record.
    fn separator(&mut self, last: bool) -> &'static str {
        match (last, self.slip(4), self.slip(2)) {
            (true, true, _) => ",",
            (true, ..) => "",
            (_, true, true) => ",,",
            (_, true, false) => "\n  ",
            (_, false, true) => ", /* it's */ ",
            (_, false, false) => ",",
        }
    }

    /// Writes a value with slips in everything but its strings: comments, doubled, missing and trailing commas, bare
    /// names, literals of Python.
    fn write(&mut self, value: &serde_json::Value, out: &mut String) {
        match value {
            serde_json::Value::Object(members) => {
                out.push('{');
                for (i, (name, member)) in members.iter().enumerate() {
                    let plain = !name.is_empty() && name.bytes().all(|b| b.is_ascii_lowercase());
                    let quoted = serde_json::Value::from(name.as_str()).to_string();
                    out.push_str(if plain && self.slip(2) { name } else { &quoted });
                    out.push_str(if self.slip(3) { " : // what?\n" } else { ":" });
                    self.write(member, out);
                    out.push_str(self.separator(i + 1 == members.len()));
                }
                out.push('}');
            }
            serde_json::Value::Array(elements) => {
                out.push('[');
                for (i, element) in elements.iter().enumerate() {
                    self.write(element, out);
                    out.push_str(self.separator(i + 1 == elements.len()));
                }
                out.push(']');
            }
            serde_json::Value::Bool(true) if self.slip(2) => out.push_str("True"),
            serde_json::Value::Null if self.slip(2) => out.push_str("None"),
            scalar => out.push_str(&scalar.to_string()),
        }
    }
}
