
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
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
            cand extract 'Print the JSON document in the noise'
            cand events 'Turn an agent''s event stream into progress events, as they arrive'
            cand summary 'Report how an agent''s run went: outcome, answer, usage, tools, files, errors'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'jsift;extract'= {
            cand --pick 'Print this one of the documents: first, last, largest, or its number (-1 is the last)'
            cand --stage 'Use only these stages: string, whole, fence, embedded, repair'
            cand --type 'Take documents of this type only: object, array, string, number, boolean or null (repeatable)'
            cand --require 'Take documents that have a value here only, or this one (repeatable)'
            cand --schema 'Take documents that conform to this JSON Schema only'
            cand --decode-base64 'Replace the string here by the text that it encodes (repeatable)'
            cand --unescape 'Replace the string here by the JSON that it holds (repeatable)'
            cand --indent 'Indented by N blanks (0 to 16; 0 is --compact)'
            cand -o 'Write to FILE, and only at exit 0'
            cand --output 'Write to FILE, and only at exit 0'
            cand --color 'When to colour: auto, always or never'
            cand --max-document 'The largest document to hold; a larger one is exit 6'
            cand --unwrap 'Read the JSON-in-JSON lines of this log format: docker, journald, cri or auto'
            cand -p 'Look through an agent''s envelope or event stream, at the JSON in the answer'
            cand --payload 'Look through an agent''s envelope or event stream, at the JSON in the answer'
            cand -a 'Print every document of every stage, one per line'
            cand --all 'Print every document of every stage, one per line'
            cand --loose 'Count flat arrays and empty objects inside lines, too'
            cand --repair 'Read broken JSON tolerantly if there is no sound document, and say what was changed'
            cand --text 'Copy the input through, with a warning, if no JSON is found'
            cand -c 'One line per document, on a terminal, too'
            cand --compact 'One line per document, on a terminal, too'
            cand --pretty 'Indented by two blanks, into a pipe, too'
            cand --as-found 'With the white space that the document came with'
            cand --seq 'Put a record separator before each document (RFC 7464)'
            cand -0 'Put a NUL behind each document, not a line feed'
            cand --print0 'Put a NUL behind each document, not a line feed'
            cand -r 'Print a string without its quotes and escapes'
            cand --raw 'Print a string without its quotes and escapes'
            cand --meta 'Wrap each document with where it came from: {"document":…,"origin":…,"warnings":…}'
            cand -q 'Print nothing but errors; the exit code tells'
            cand --quiet 'Print nothing but errors; the exit code tells'
            cand -v 'Say on standard error what was found where, and what was skipped'
            cand --verbose 'Say on standard error what was found where, and what was skipped'
            cand --exit-zero 'Turn the agent''s exit codes (10 to 18) into 0'
            cand --lossy 'Replace invalid UTF-8 inside strings by U+FFFD, with a warning'
            cand --ci 'Break up workflow commands (`::error`, `##[error]`) in everything that is text'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'jsift;events'= {
            cand --format 'NDJSON or readable lines [default: ndjson into a pipe, text on a terminal]'
            cand --only 'Print events of these phases only'
            cand --idle-timeout 'Give up when nothing arrives for so many seconds: exit 6'
            cand --timeout 'Give up after so many seconds in all: exit 6'
            cand --agent 'The agent that wrote the input, where it is not detected rightly'
            cand -o 'Write to FILE, and only at exit 0'
            cand --output 'Write to FILE, and only at exit 0'
            cand --color 'When to colour: auto, always or never'
            cand --max-document 'The largest document to hold; a larger one is exit 6'
            cand --unwrap 'Read the JSON-in-JSON lines of this log format: docker, journald, cri or auto'
            cand --final 'Print the answer alone, and progress on standard error'
            cand --with-raw 'Add the record itself to each event'
            cand --until-result 'Stop at the end of the session, not at the end of the input'
            cand --strict 'Make broken records exit 3'
            cand -q 'Print nothing but errors; the exit code tells'
            cand --quiet 'Print nothing but errors; the exit code tells'
            cand -v 'Say on standard error what was found where, and what was skipped'
            cand --verbose 'Say on standard error what was found where, and what was skipped'
            cand --exit-zero 'Turn the agent''s exit codes (10 to 18) into 0'
            cand --lossy 'Replace invalid UTF-8 inside strings by U+FFFD, with a warning'
            cand --ci 'Break up workflow commands (`::error`, `##[error]`) in everything that is text'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'jsift;summary'= {
            cand --format 'How to write'
            cand --max-bytes 'Cut markdown and html at this size, with a note [default for html: 5 MB]'
            cand --github-output 'Print these keys of the summary as $GITHUB_OUTPUT wants them'
            cand --fail-on 'Fail although the agent did not: exit 18 on denied, else 5'
            cand --agent 'The agent that wrote the input, where it is not detected rightly'
            cand -o 'Write to FILE, and only at exit 0'
            cand --output 'Write to FILE, and only at exit 0'
            cand --color 'When to colour: auto, always or never'
            cand --max-document 'The largest document to hold; a larger one is exit 6'
            cand --unwrap 'Read the JSON-in-JSON lines of this log format: docker, journald, cri or auto'
            cand -r 'Print the answer alone'
            cand --response 'Print the answer alone'
            cand --events 'Add the raw records to the JSON'
            cand --structural 'Leave out prompts, texts, parameters and outputs'
            cand --strict 'Make broken records exit 3'
            cand -q 'Print nothing but errors; the exit code tells'
            cand --quiet 'Print nothing but errors; the exit code tells'
            cand -v 'Say on standard error what was found where, and what was skipped'
            cand --verbose 'Say on standard error what was found where, and what was skipped'
            cand --exit-zero 'Turn the agent''s exit codes (10 to 18) into 0'
            cand --lossy 'Replace invalid UTF-8 inside strings by U+FFFD, with a warning'
            cand --ci 'Break up workflow commands (`::error`, `##[error]`) in everything that is text'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'jsift;help'= {
            cand extract 'Print the JSON document in the noise'
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
