
use builtin;
use str;

set edit:completion:arg-completer[jsift] = {|@words|
    fn spaces {|n|
        builtin:repeat $n ' ' | str:join ''
    }
    fn cand {|text desc|
        edit:complex-candidate $text &display=$text' '(spaces (- 14 (wcswidth $text)))$desc
    }
    var command = 'jsift'
    for word $words[1..-1] {
        if (str:has-prefix $word '-') {
            break
        }
        set command = $command';'$word
    }
    var completions = [
        &'jsift'= {
            cand --generate 'Print completions or a manual page: complete-bash, …, man (see --help)'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
            cand extract 'Extract JSON from noisy output'
            cand events 'Turn an agent''s event stream into progress events, as they arrive'
            cand summary 'Report how an agent''s run went: outcome, answer, usage, tools, files, errors'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'jsift;extract'= {
            cand --pick 'Choose a document: first, last, largest, only, or its number (-1 is the last)'
            cand --stage 'Use only these stages: string, whole, fence, embedded, repair'
            cand --type 'Keep only documents of this type: object, array, string, number, boolean or null (repeatable)'
            cand --require 'Keep only documents that have a value at this pointer, or this value (repeatable)'
            cand --schema 'Keep only documents that conform to this JSON Schema'
            cand --decode-base64 'Decode the base64 string at this pointer (repeatable)'
            cand --unescape 'Replace the string at this pointer with the JSON in it (repeatable)'
            cand --noise 'What becomes of the text around documents: drop, keep or stderr'
            cand --indent 'Indent by N spaces (0 to 16; 0 is --compact)'
            cand -o 'Write FILE, complete or not at all'
            cand --output 'Write FILE, complete or not at all'
            cand -j 'Read N files at a time [default: the number of cores]'
            cand --jobs 'Read N files at a time [default: the number of cores]'
            cand --color 'When to colour: auto, always or never'
            cand --max-document 'Maximum document size; larger ones exit with 6'
            cand --unwrap 'Read the text inside log lines: docker, journald, cri, auto, /POINTER or logfmt:KEY'
            cand --agent-file 'Describe an agent that jsift does not know (TOML; see docs/agents.md)'
            cand -p 'Extract the JSON in the agent''s answer'
            cand --payload 'Extract the JSON in the agent''s answer'
            cand -a 'Print every document of every stage, one per line'
            cand --all 'Print every document of every stage, one per line'
            cand --loose 'Also accept `[1,2]` and `{}` in the middle of a line; most of these are false positives'
            cand --repair 'Repair broken JSON if there is no valid document outside of it, and say what was changed'
            cand --text 'Copy the input through, with a warning, if no JSON is found'
            cand -c 'One line per document, even on a terminal'
            cand --compact 'One line per document, even on a terminal'
            cand --pretty 'Indent by two spaces, even when piped'
            cand --as-found 'Keep the white space of the input'
            cand --seq 'Put a record separator before each document (RFC 7464)'
            cand -0 'End each document with NUL instead of a newline'
            cand --print0 'End each document with NUL instead of a newline'
            cand -r 'Print a string without its quotes and escapes'
            cand --raw 'Print a string without its quotes and escapes'
            cand --array 'Print all documents as one JSON array'
            cand --meta 'Wrap each document with its origin: {"document":…,"origin":…,"warnings":…}'
            cand -q 'Print only errors'
            cand --quiet 'Print only errors'
            cand -v 'Say on standard error what was found where, and what was skipped'
            cand --verbose 'Say on standard error what was found where, and what was skipped'
            cand --exit-zero 'Turn the agent''s exit codes (10 to 18) into 0'
            cand --lossy 'Replace invalid UTF-8 inside strings with U+FFFD, with a warning'
            cand --ci 'Neutralise workflow commands (`::error`, `##[error]`) in all text'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'jsift;events'= {
            cand --format 'NDJSON or readable lines [default: ndjson into a pipe, text on a terminal]'
            cand --only 'Print only events of these phases'
            cand --idle-timeout 'Give up if nothing arrives for this many seconds: exit 6'
            cand --timeout 'Give up after this many seconds in total: exit 6'
            cand --agent 'The agent that wrote the input, if detection is wrong'
            cand -o 'Write FILE, complete or not at all'
            cand --output 'Write FILE, complete or not at all'
            cand -j 'Read N files at a time [default: the number of cores]'
            cand --jobs 'Read N files at a time [default: the number of cores]'
            cand --color 'When to colour: auto, always or never'
            cand --max-document 'Maximum document size; larger ones exit with 6'
            cand --unwrap 'Read the text inside log lines: docker, journald, cri, auto, /POINTER or logfmt:KEY'
            cand --agent-file 'Describe an agent that jsift does not know (TOML; see docs/agents.md)'
            cand --final 'Print only the answer, and progress on standard error'
            cand --with-raw 'Add the original record to each event'
            cand --until-result 'Stop at the end of the session instead of the end of the input'
            cand --strict 'Exit with 3 if any record is broken'
            cand -q 'Print only errors'
            cand --quiet 'Print only errors'
            cand -v 'Say on standard error what was found where, and what was skipped'
            cand --verbose 'Say on standard error what was found where, and what was skipped'
            cand --exit-zero 'Turn the agent''s exit codes (10 to 18) into 0'
            cand --lossy 'Replace invalid UTF-8 inside strings with U+FFFD, with a warning'
            cand --ci 'Neutralise workflow commands (`::error`, `##[error]`) in all text'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'jsift;summary'= {
            cand --format 'Output format'
            cand --report 'Also write a report in this format to FILE (repeatable)'
            cand --max-bytes 'Cut markdown and html at this size, with a note [default for html: 5 MB]'
            cand --github-output 'Print these keys of the summary in the format of $GITHUB_OUTPUT'
            cand --fail-on 'Fail even if the agent succeeded: exit 18 on denied, else 5'
            cand --agent 'The agent that wrote the input, if detection is wrong'
            cand -o 'Write FILE, complete or not at all'
            cand --output 'Write FILE, complete or not at all'
            cand -j 'Read N files at a time [default: the number of cores]'
            cand --jobs 'Read N files at a time [default: the number of cores]'
            cand --color 'When to colour: auto, always or never'
            cand --max-document 'Maximum document size; larger ones exit with 6'
            cand --unwrap 'Read the text inside log lines: docker, journald, cri, auto, /POINTER or logfmt:KEY'
            cand --agent-file 'Describe an agent that jsift does not know (TOML; see docs/agents.md)'
            cand -r 'Print only the answer'
            cand --response 'Print only the answer'
            cand --events 'Add the raw records to the JSON'
            cand --structural 'Leave out prompts, texts, parameters and outputs'
            cand --strict 'Exit with 3 if any record is broken'
            cand -q 'Print only errors'
            cand --quiet 'Print only errors'
            cand -v 'Say on standard error what was found where, and what was skipped'
            cand --verbose 'Say on standard error what was found where, and what was skipped'
            cand --exit-zero 'Turn the agent''s exit codes (10 to 18) into 0'
            cand --lossy 'Replace invalid UTF-8 inside strings with U+FFFD, with a warning'
            cand --ci 'Neutralise workflow commands (`::error`, `##[error]`) in all text'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'jsift;help'= {
            cand extract 'Extract JSON from noisy output'
            cand events 'Turn an agent''s event stream into progress events, as they arrive'
            cand summary 'Report how an agent''s run went: outcome, answer, usage, tools, files, errors'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'jsift;help;extract'= {
        }
        &'jsift;help;events'= {
        }
        &'jsift;help;summary'= {
        }
        &'jsift;help;help'= {
        }
    ]
    $completions[$command]
}
