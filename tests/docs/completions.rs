//! Completion scripts for six shells.

use std::path::Path;

use clap::{Arg, Command};
use clap_complete::{Generator, Shell};
use clap_complete_nushell::Nushell;

use super::{Page, grammar};

pub(crate) fn pages() -> Vec<Page> {
    let mut pages: Vec<Page> = [
        Shell::Bash,
        Shell::Zsh,
        Shell::Fish,
        Shell::Elvish,
        Shell::PowerShell,
    ]
    .map(page)
    .into();
    pages.push(page(Nushell));
    pages
}

fn page(generator: impl Generator) -> Page {
    let mut text = Vec::new();
    let path = Path::new("completions").join(generator.file_name("jsift"));
    clap_complete::generate(generator, &mut grammar(), "jsift", &mut text);
    let text = String::from_utf8(text).unwrap();
    let text = match path.extension().and_then(|extension| extension.to_str()) {
        Some("bash") => for_bash(&text),
        Some("fish") => for_fish(&text),
        None => for_zsh(&text),
        _ => text,
    };
    Page { path, text }
}

/// An option that takes a list: its name, the name of its values, and their words.
struct List {
    option: String,
    value: String,
    words: Vec<String>,
}

/// The options that take lists.
fn lists() -> Vec<List> {
    let root = grammar();
    let options = root.get_subcommands().flat_map(Command::get_arguments);
    let lists = options.filter(|option| option.get_value_delimiter().is_some());
    let list = |option: &Arg| List {
        option: option.get_long().unwrap().to_owned(),
        value: option.get_value_names().unwrap()[0].to_string(),
        words: (option.get_possible_values().iter())
            .map(|value| value.get_name().to_owned())
            .collect(),
    };
    lists.map(list).collect()
}

/// `text` with what stands from `begin` up to and with `end` replaced, which must be there.
fn replaced(text: &str, at: &str, begin: &str, end: &str, by: &str) -> String {
    let at = text.find(at).expect(at);
    let begin = at + text[at..].find(begin).expect(begin);
    let end = begin + text[begin..].find(end).expect(end) + end.len();
    [&text[..begin], by, &text[end..]].concat()
}

/// What the generator does not know of bash: that it parts words at `=` and `:`, and lists.
fn for_bash(text: &str) -> String {
    const WORDS: &str = r#"    prev="$3"
"#;
    const PARTED: &str = r#"    # An option and its value are one word, but parted at equals signs and colons.
    local at=$((COMP_CWORD - 1)) list
    if [[ "${COMP_WORDS[COMP_CWORD]}" == [:=] ]]; then
        at=${COMP_CWORD}
        cur=""
    fi
    while [[ ${at} -gt 2 && "${COMP_WORDS[at]}" == ":" ]]; do
        at=$((at - 2))
    done
    if [[ ${at} -gt 1 && "${COMP_WORDS[at]}" == "=" ]]; then
        at=$((at - 1))
    fi
    prev="${COMP_WORDS[at]}"
    # What stands before the last comma of a list.
    list="${cur%"${cur##*,}"}"
"#;
    assert!(text.contains(WORDS));
    let mut text = text.replacen(WORDS, PARTED, 1);
    for list in lists() {
        let words = list.words.join(" ");
        let one = format!("COMPREPLY=($(compgen -W \"{words}\" -- \"${{cur}}\"))");
        let more = format!(
            "COMPREPLY=($(compgen -P \"${{list}}\" -W \"{words}\" -- \"${{cur##*,}}\"))\n                    \
             if [[ \"${{BASH_VERSINFO[0]}}\" -ge 4 ]]; then\n                        \
             compopt -o nospace\n                    fi"
        );
        assert!(text.contains(&one), "{one}");
        text = text.replace(&one, &more);
    }
    text
}

/// Lists in zsh.
fn for_zsh(text: &str) -> String {
    lists().iter().fold(text.to_owned(), |text, list| {
        let words = list.words.join(" ").replace(':', "\\:");
        let List { option, value, .. } = list;
        let begin = format!(":{value}:(");
        let by = format!(":{value}:_sequence compadd - {words}' ");
        replaced(&text, &format!("--{option}=["), &begin, ")' ", &by)
    })
}

/// Lists in fish.
fn for_fish(text: &str) -> String {
    const LIST: &str =
        "# Prints the words that may go on with a list, after what stands there already.
function __fish_jsift_list
    set -l list (commandline -ct | string replace -r -- '^--[^=]*=' '' | string match -r -- '^.*,')
    printf '%s\\n' \"$list\"$argv
end

";
    let text = lists().iter().fold(text.to_owned(), |text, list| {
        let by = format!(" -a \"(__fish_jsift_list {})\"\n", list.words.join(" "));
        replaced(
            &text,
            &format!(" -l {} ", list.option),
            " -a \"",
            "\"\n",
            &by,
        )
    });
    LIST.to_owned() + &text
}
