# Prints the words that may go on with a list, behind what stands there already.
function __fish_jsift_list
    set -l list (commandline -ct | string replace -r -- '^--[^=]*=' '' | string match -r -- '^.*,')
    printf '%s\n' "$list"$argv
end

# Print an optspec for argparse to handle cmd's options that are independent of any subcommand.
function __fish_jsift_global_optspecs
    string join \n h/help V/version
end

function __fish_jsift_needs_command
    # Figure out if the current invocation already has a command.
    set -l cmd (commandline -opc)
    set -e cmd[1]
    argparse -s (__fish_jsift_global_optspecs) -- $cmd 2>/dev/null
    or return
    if set -q argv[1]
        # Also print the command, so this can be used to figure out what it is.
        echo $argv[1]
        return 1
    end
    return 0
end

function __fish_jsift_using_subcommand
    set -l cmd (__fish_jsift_needs_command)
    test -z "$cmd"
    and return 1
    contains -- $cmd[1] $argv
end

complete -c jsift -n "__fish_jsift_needs_command" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c jsift -n "__fish_jsift_needs_command" -s V -l version -d 'Print version'
complete -c jsift -n "__fish_jsift_needs_command" -f -a "extract" -d 'Print the JSON document in the noise'
complete -c jsift -n "__fish_jsift_needs_command" -f -a "events" -d 'Turn an agent\'s event stream into progress events, as they arrive'
complete -c jsift -n "__fish_jsift_needs_command" -f -a "summary" -d 'Report how an agent\'s run went: outcome, answer, usage, tools, files, errors'
complete -c jsift -n "__fish_jsift_needs_command" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c jsift -n "__fish_jsift_using_subcommand extract" -l pick -d 'Print this one of the documents: first, last, largest, or its number (-1 is the last)' -r -f -a "first\t''
last\t''
largest\t''"
complete -c jsift -n "__fish_jsift_using_subcommand extract" -l stage -d 'Use only these stages: string, whole, fence, embedded, repair' -r -f -a "(__fish_jsift_list string whole fence embedded repair)"
complete -c jsift -n "__fish_jsift_using_subcommand extract" -l type -d 'Take documents of this type only: object, array, string, number, boolean or null (repeatable)' -r -f -a "(__fish_jsift_list object array string number boolean null)"
complete -c jsift -n "__fish_jsift_using_subcommand extract" -l require -d 'Take documents that have a value here only, or this one (repeatable)' -r
complete -c jsift -n "__fish_jsift_using_subcommand extract" -l schema -d 'Take documents that conform to this JSON Schema only' -r -F
complete -c jsift -n "__fish_jsift_using_subcommand extract" -l decode-base64 -d 'Replace the string here by the text that it encodes (repeatable)' -r
complete -c jsift -n "__fish_jsift_using_subcommand extract" -l unescape -d 'Replace the string here by the JSON that it holds (repeatable)' -r
complete -c jsift -n "__fish_jsift_using_subcommand extract" -l indent -d 'Indented by N blanks (0 to 16; 0 is --compact)' -r
complete -c jsift -n "__fish_jsift_using_subcommand extract" -s o -l output -d 'Write to FILE, and only at exit 0' -r -F
complete -c jsift -n "__fish_jsift_using_subcommand extract" -l color -d 'When to colour: auto, always or never' -r -f -a "auto\t'As the environment and the terminal say'
always\t'Into pipes and files, too'
never\t'Not even on a terminal'"
complete -c jsift -n "__fish_jsift_using_subcommand extract" -l max-document -d 'The largest document to hold; a larger one is exit 6' -r
complete -c jsift -n "__fish_jsift_using_subcommand extract" -l unwrap -d 'Read the JSON-in-JSON lines of this log format: docker, journald, cri or auto' -r -f -a "docker\t'Docker\'s `json-file` logs'
journald\t'`journalctl -o json`'
cri\t'containerd and CRI-O'
auto\t'Whichever of them the first lines show'"
complete -c jsift -n "__fish_jsift_using_subcommand extract" -s p -l payload -d 'Look through an agent\'s envelope or event stream, at the JSON in the answer'
complete -c jsift -n "__fish_jsift_using_subcommand extract" -s a -l all -d 'Print every document of every stage, one per line'
complete -c jsift -n "__fish_jsift_using_subcommand extract" -l loose -d 'Count flat arrays and empty objects inside lines, too'
complete -c jsift -n "__fish_jsift_using_subcommand extract" -l repair -d 'Read broken JSON tolerantly if there is no sound document, and say what was changed'
complete -c jsift -n "__fish_jsift_using_subcommand extract" -l text -d 'Copy the input through, with a warning, if no JSON is found'
complete -c jsift -n "__fish_jsift_using_subcommand extract" -s c -l compact -d 'One line per document, on a terminal, too'
complete -c jsift -n "__fish_jsift_using_subcommand extract" -l pretty -d 'Indented by two blanks, into a pipe, too'
complete -c jsift -n "__fish_jsift_using_subcommand extract" -l as-found -d 'With the white space that the document came with'
complete -c jsift -n "__fish_jsift_using_subcommand extract" -l seq -d 'Put a record separator before each document (RFC 7464)'
complete -c jsift -n "__fish_jsift_using_subcommand extract" -s 0 -l print0 -d 'Put a NUL behind each document, not a line feed'
complete -c jsift -n "__fish_jsift_using_subcommand extract" -s r -l raw -d 'Print a string without its quotes and escapes'
complete -c jsift -n "__fish_jsift_using_subcommand extract" -l meta -d 'Wrap each document with where it came from: {"document":…,"origin":…,"warnings":…}'
complete -c jsift -n "__fish_jsift_using_subcommand extract" -s q -l quiet -d 'Print nothing but errors; the exit code tells'
complete -c jsift -n "__fish_jsift_using_subcommand extract" -s v -l verbose -d 'Say on standard error what was found where, and what was skipped'
complete -c jsift -n "__fish_jsift_using_subcommand extract" -l exit-zero -d 'Turn the agent\'s exit codes (10 to 18) into 0'
complete -c jsift -n "__fish_jsift_using_subcommand extract" -l lossy -d 'Replace invalid UTF-8 inside strings by U+FFFD, with a warning'
complete -c jsift -n "__fish_jsift_using_subcommand extract" -l ci -d 'Break up workflow commands (`::error`, `##[error]`) in everything that is text'
complete -c jsift -n "__fish_jsift_using_subcommand extract" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c jsift -n "__fish_jsift_using_subcommand extract" -s V -l version -d 'Print version'
complete -c jsift -n "__fish_jsift_using_subcommand events" -l format -d 'NDJSON or readable lines [default: ndjson into a pipe, text on a terminal]' -r -f -a "ndjson\t'One JSON object per line'
text\t'Readable lines'"
complete -c jsift -n "__fish_jsift_using_subcommand events" -l only -d 'Print events of these phases only' -r -f -a "(__fish_jsift_list init user assistant reasoning tool file retry error complete other)"
complete -c jsift -n "__fish_jsift_using_subcommand events" -l idle-timeout -d 'Give up when nothing arrives for so many seconds: exit 6' -r
complete -c jsift -n "__fish_jsift_using_subcommand events" -l timeout -d 'Give up after so many seconds in all: exit 6' -r
complete -c jsift -n "__fish_jsift_using_subcommand events" -l agent -d 'The agent that wrote the input, where it is not detected rightly' -r -f -a "gemini\t''
claude\t''
codex\t''
qwen\t''
opencode\t''
copilot\t''
cursor\t''
amp\t''
goose\t''
kimi\t''
agy\t''
grok-build\t''
acp\t''
kiro\t''
auggie\t''
continue\t''
droid\t''
cline\t''
pi\t''
vibe\t''
openhands\t''
grok\t''
kilo\t''"
complete -c jsift -n "__fish_jsift_using_subcommand events" -s o -l output -d 'Write to FILE, and only at exit 0' -r -F
complete -c jsift -n "__fish_jsift_using_subcommand events" -l color -d 'When to colour: auto, always or never' -r -f -a "auto\t'As the environment and the terminal say'
always\t'Into pipes and files, too'
never\t'Not even on a terminal'"
complete -c jsift -n "__fish_jsift_using_subcommand events" -l max-document -d 'The largest document to hold; a larger one is exit 6' -r
complete -c jsift -n "__fish_jsift_using_subcommand events" -l unwrap -d 'Read the JSON-in-JSON lines of this log format: docker, journald, cri or auto' -r -f -a "docker\t'Docker\'s `json-file` logs'
journald\t'`journalctl -o json`'
cri\t'containerd and CRI-O'
auto\t'Whichever of them the first lines show'"
complete -c jsift -n "__fish_jsift_using_subcommand events" -l final -d 'Print the answer alone, and progress on standard error'
complete -c jsift -n "__fish_jsift_using_subcommand events" -l with-raw -d 'Add the record itself to each event'
complete -c jsift -n "__fish_jsift_using_subcommand events" -l until-result -d 'Stop at the end of the session, not at the end of the input'
complete -c jsift -n "__fish_jsift_using_subcommand events" -l strict -d 'Make broken records exit 3'
complete -c jsift -n "__fish_jsift_using_subcommand events" -s q -l quiet -d 'Print nothing but errors; the exit code tells'
complete -c jsift -n "__fish_jsift_using_subcommand events" -s v -l verbose -d 'Say on standard error what was found where, and what was skipped'
complete -c jsift -n "__fish_jsift_using_subcommand events" -l exit-zero -d 'Turn the agent\'s exit codes (10 to 18) into 0'
complete -c jsift -n "__fish_jsift_using_subcommand events" -l lossy -d 'Replace invalid UTF-8 inside strings by U+FFFD, with a warning'
complete -c jsift -n "__fish_jsift_using_subcommand events" -l ci -d 'Break up workflow commands (`::error`, `##[error]`) in everything that is text'
complete -c jsift -n "__fish_jsift_using_subcommand events" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c jsift -n "__fish_jsift_using_subcommand events" -s V -l version -d 'Print version'
complete -c jsift -n "__fish_jsift_using_subcommand summary" -l format -d 'How to write' -r -f -a "text\t'Tables for a terminal'
json\t'One JSON object per session'
markdown\t'Markdown for a step summary or a comment'
github\t'Workflow annotations'
html\t'One page that shows the run, for a browser'"
complete -c jsift -n "__fish_jsift_using_subcommand summary" -l max-bytes -d 'Cut markdown and html at this size, with a note [default for html: 5 MB]' -r
complete -c jsift -n "__fish_jsift_using_subcommand summary" -l github-output -d 'Print these keys of the summary as $GITHUB_OUTPUT wants them' -r -f -a "(__fish_jsift_list outcome agent agent_version session_id model response assistant_text messages turns usage models tools files errors duration_ms noise unknown_records input_tokens cached_tokens output_tokens reasoning_tokens total_tokens requests cost_usd)"
complete -c jsift -n "__fish_jsift_using_subcommand summary" -l fail-on -d 'Fail although the agent did not: exit 18 on denied, else 5' -r -f -a "(__fish_jsift_list denied tool-error no-files empty cost: tokens:)"
complete -c jsift -n "__fish_jsift_using_subcommand summary" -l agent -d 'The agent that wrote the input, where it is not detected rightly' -r -f -a "gemini\t''
claude\t''
codex\t''
qwen\t''
opencode\t''
copilot\t''
cursor\t''
amp\t''
goose\t''
kimi\t''
agy\t''
grok-build\t''
acp\t''
kiro\t''
auggie\t''
continue\t''
droid\t''
cline\t''
pi\t''
vibe\t''
openhands\t''
grok\t''
kilo\t''"
complete -c jsift -n "__fish_jsift_using_subcommand summary" -s o -l output -d 'Write to FILE, and only at exit 0' -r -F
complete -c jsift -n "__fish_jsift_using_subcommand summary" -l color -d 'When to colour: auto, always or never' -r -f -a "auto\t'As the environment and the terminal say'
always\t'Into pipes and files, too'
never\t'Not even on a terminal'"
complete -c jsift -n "__fish_jsift_using_subcommand summary" -l max-document -d 'The largest document to hold; a larger one is exit 6' -r
complete -c jsift -n "__fish_jsift_using_subcommand summary" -l unwrap -d 'Read the JSON-in-JSON lines of this log format: docker, journald, cri or auto' -r -f -a "docker\t'Docker\'s `json-file` logs'
journald\t'`journalctl -o json`'
cri\t'containerd and CRI-O'
auto\t'Whichever of them the first lines show'"
complete -c jsift -n "__fish_jsift_using_subcommand summary" -s r -l response -d 'Print the answer alone'
complete -c jsift -n "__fish_jsift_using_subcommand summary" -l events -d 'Add the raw records to the JSON'
complete -c jsift -n "__fish_jsift_using_subcommand summary" -l structural -d 'Leave out prompts, texts, parameters and outputs'
complete -c jsift -n "__fish_jsift_using_subcommand summary" -l strict -d 'Make broken records exit 3'
complete -c jsift -n "__fish_jsift_using_subcommand summary" -s q -l quiet -d 'Print nothing but errors; the exit code tells'
complete -c jsift -n "__fish_jsift_using_subcommand summary" -s v -l verbose -d 'Say on standard error what was found where, and what was skipped'
complete -c jsift -n "__fish_jsift_using_subcommand summary" -l exit-zero -d 'Turn the agent\'s exit codes (10 to 18) into 0'
complete -c jsift -n "__fish_jsift_using_subcommand summary" -l lossy -d 'Replace invalid UTF-8 inside strings by U+FFFD, with a warning'
complete -c jsift -n "__fish_jsift_using_subcommand summary" -l ci -d 'Break up workflow commands (`::error`, `##[error]`) in everything that is text'
complete -c jsift -n "__fish_jsift_using_subcommand summary" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c jsift -n "__fish_jsift_using_subcommand summary" -s V -l version -d 'Print version'
complete -c jsift -n "__fish_jsift_using_subcommand help; and not __fish_seen_subcommand_from extract events summary help" -f -a "extract" -d 'Print the JSON document in the noise'
complete -c jsift -n "__fish_jsift_using_subcommand help; and not __fish_seen_subcommand_from extract events summary help" -f -a "events" -d 'Turn an agent\'s event stream into progress events, as they arrive'
complete -c jsift -n "__fish_jsift_using_subcommand help; and not __fish_seen_subcommand_from extract events summary help" -f -a "summary" -d 'Report how an agent\'s run went: outcome, answer, usage, tools, files, errors'
complete -c jsift -n "__fish_jsift_using_subcommand help; and not __fish_seen_subcommand_from extract events summary help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
