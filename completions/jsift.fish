# Prints the words that may go on with a list, after what stands there already.
function __fish_jsift_list
    set -l list (commandline -ct | string replace -r -- '^--[^=]*=' '' | string match -r -- '^.*,')
    printf '%s\n' "$list"$argv
end

# Print an optspec for argparse to handle cmd's options that are independent of any subcommand.
function __fish_jsift_global_optspecs
    string join \n generate= h/help V/version
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

complete -c jsift -n "__fish_jsift_needs_command" -l generate -d 'Print completions or a manual page: complete-bash, …, man (see --help)' -r -f -a "complete-bash\t'Completions for bash'
complete-zsh\t'Completions for zsh'
complete-fish\t'Completions for fish'
complete-elvish\t'Completions for Elvish'
complete-nushell\t'Completions for Nushell'
complete-powershell\t'Completions for PowerShell'
man\t'The manual page jsift(1)'
man-extract\t'The manual page jsift-extract(1)'
man-events\t'The manual page jsift-events(1)'
man-summary\t'The manual page jsift-summary(1)'
man-security\t'The manual page jsift-security(7)'
agent-file\t'A first draft of an agent file, from the recording on standard input'"
complete -c jsift -n "__fish_jsift_needs_command" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c jsift -n "__fish_jsift_needs_command" -s V -l version -d 'Print version'
complete -c jsift -n "__fish_jsift_needs_command" -f -a "extract" -d 'Extract JSON from noisy output'
complete -c jsift -n "__fish_jsift_needs_command" -f -a "events" -d 'Turn an agent\'s event stream into progress events, as they arrive'
complete -c jsift -n "__fish_jsift_needs_command" -f -a "summary" -d 'Report how an agent\'s run went: outcome, answer, usage, tools, files, errors'
complete -c jsift -n "__fish_jsift_needs_command" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c jsift -n "__fish_jsift_using_subcommand extract" -l pick -d 'Choose a document: first, last, largest, only, or its number (-1 is the last)' -r -f -a "first\t''
last\t''
largest\t''
only\t''"
complete -c jsift -n "__fish_jsift_using_subcommand extract" -l stage -d 'Use only these stages: string, whole, fence, embedded, repair' -r -f -a "(__fish_jsift_list string whole fence embedded repair)"
complete -c jsift -n "__fish_jsift_using_subcommand extract" -l type -d 'Keep only documents of this type: object, array, string, number, boolean or null (repeatable)' -r -f -a "(__fish_jsift_list object array string number boolean null)"
complete -c jsift -n "__fish_jsift_using_subcommand extract" -l require -d 'Keep only documents that have a value at this pointer, or this value (repeatable)' -r
complete -c jsift -n "__fish_jsift_using_subcommand extract" -l schema -d 'Keep only documents that conform to this JSON Schema' -r -F
complete -c jsift -n "__fish_jsift_using_subcommand extract" -l decode-base64 -d 'Decode the base64 string at this pointer (repeatable)' -r
complete -c jsift -n "__fish_jsift_using_subcommand extract" -l unescape -d 'Replace the string at this pointer with the JSON in it (repeatable)' -r
complete -c jsift -n "__fish_jsift_using_subcommand extract" -l noise -d 'What becomes of the text around documents: drop, keep or stderr' -r -f -a "drop\t'It is not written'
keep\t'It is written, too, with the documents in place'
stderr\t'It goes to standard error'"
complete -c jsift -n "__fish_jsift_using_subcommand extract" -l indent -d 'Indent by N spaces (0 to 16; 0 is --compact)' -r
complete -c jsift -n "__fish_jsift_using_subcommand extract" -s o -l output -d 'Write FILE, complete or not at all' -r -F
complete -c jsift -n "__fish_jsift_using_subcommand extract" -s j -l jobs -d 'Read N files at a time [default: the number of cores]' -r
complete -c jsift -n "__fish_jsift_using_subcommand extract" -l color -d 'When to colour: auto, always or never' -r -f -a "auto\t'If the environment and the terminal agree'
always\t'Even into pipes and files'
never\t'Never, not even on a terminal'"
complete -c jsift -n "__fish_jsift_using_subcommand extract" -l max-document -d 'Maximum document size; larger ones exit with 6' -r
complete -c jsift -n "__fish_jsift_using_subcommand extract" -l unwrap -d 'Read the text inside log lines: docker, journald, cri, auto, /POINTER or logfmt:KEY' -r -f -a "docker\t''
journald\t''
cri\t''
auto\t''"
complete -c jsift -n "__fish_jsift_using_subcommand extract" -l agent-file -d 'Describe an agent that jsift does not know (TOML; see docs/agents.md)' -r -F
complete -c jsift -n "__fish_jsift_using_subcommand extract" -s p -l payload -d 'Extract the JSON in the agent\'s answer'
complete -c jsift -n "__fish_jsift_using_subcommand extract" -s a -l all -d 'Print every document of every stage, one per line'
complete -c jsift -n "__fish_jsift_using_subcommand extract" -l loose -d 'Also accept `[1,2]` and `{}` in the middle of a line; most of these are false positives'
complete -c jsift -n "__fish_jsift_using_subcommand extract" -l repair -d 'Repair broken JSON if there is no valid document outside of it, and say what was changed'
complete -c jsift -n "__fish_jsift_using_subcommand extract" -l text -d 'Copy the input through, with a warning, if no JSON is found'
complete -c jsift -n "__fish_jsift_using_subcommand extract" -s c -l compact -d 'One line per document, even on a terminal'
complete -c jsift -n "__fish_jsift_using_subcommand extract" -l pretty -d 'Indent by two spaces, even when piped'
complete -c jsift -n "__fish_jsift_using_subcommand extract" -l as-found -d 'Keep the white space of the input'
complete -c jsift -n "__fish_jsift_using_subcommand extract" -l seq -d 'Put a record separator before each document (RFC 7464)'
complete -c jsift -n "__fish_jsift_using_subcommand extract" -s 0 -l print0 -d 'End each document with NUL instead of a newline'
complete -c jsift -n "__fish_jsift_using_subcommand extract" -s r -l raw -d 'Print a string without its quotes and escapes'
complete -c jsift -n "__fish_jsift_using_subcommand extract" -l array -d 'Print all documents as one JSON array'
complete -c jsift -n "__fish_jsift_using_subcommand extract" -l meta -d 'Wrap each document with its origin: {"document":…,"origin":…,"warnings":…}'
complete -c jsift -n "__fish_jsift_using_subcommand extract" -s q -l quiet -d 'Print only errors'
complete -c jsift -n "__fish_jsift_using_subcommand extract" -s v -l verbose -d 'Say on standard error what was found where, and what was skipped'
complete -c jsift -n "__fish_jsift_using_subcommand extract" -l exit-zero -d 'Turn the agent\'s exit codes (10 to 18) into 0'
complete -c jsift -n "__fish_jsift_using_subcommand extract" -l lossy -d 'Replace invalid UTF-8 inside strings with U+FFFD, with a warning'
complete -c jsift -n "__fish_jsift_using_subcommand extract" -l ci -d 'Neutralise workflow commands (`::error`, `##[error]`) in all text'
complete -c jsift -n "__fish_jsift_using_subcommand extract" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c jsift -n "__fish_jsift_using_subcommand extract" -s V -l version -d 'Print version'
complete -c jsift -n "__fish_jsift_using_subcommand events" -l format -d 'NDJSON or readable lines [default: ndjson into a pipe, text on a terminal]' -r -f -a "ndjson\t'One JSON object per line'
text\t'Readable lines'"
complete -c jsift -n "__fish_jsift_using_subcommand events" -l only -d 'Print only events of these phases' -r -f -a "(__fish_jsift_list init user assistant reasoning tool file retry error complete other)"
complete -c jsift -n "__fish_jsift_using_subcommand events" -l idle-timeout -d 'Give up if nothing arrives for this many seconds: exit 6' -r
complete -c jsift -n "__fish_jsift_using_subcommand events" -l timeout -d 'Give up after this many seconds in total: exit 6' -r
complete -c jsift -n "__fish_jsift_using_subcommand events" -l agent -d 'The agent that wrote the input, if detection is wrong' -r -f -a "gemini\t''
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
kilo\t''
junie\t''
warp\t''
roo\t''"
complete -c jsift -n "__fish_jsift_using_subcommand events" -s o -l output -d 'Write FILE, complete or not at all' -r -F
complete -c jsift -n "__fish_jsift_using_subcommand events" -s j -l jobs -d 'Read N files at a time [default: the number of cores]' -r
complete -c jsift -n "__fish_jsift_using_subcommand events" -l color -d 'When to colour: auto, always or never' -r -f -a "auto\t'If the environment and the terminal agree'
always\t'Even into pipes and files'
never\t'Never, not even on a terminal'"
complete -c jsift -n "__fish_jsift_using_subcommand events" -l max-document -d 'Maximum document size; larger ones exit with 6' -r
complete -c jsift -n "__fish_jsift_using_subcommand events" -l unwrap -d 'Read the text inside log lines: docker, journald, cri, auto, /POINTER or logfmt:KEY' -r -f -a "docker\t''
journald\t''
cri\t''
auto\t''"
complete -c jsift -n "__fish_jsift_using_subcommand events" -l agent-file -d 'Describe an agent that jsift does not know (TOML; see docs/agents.md)' -r -F
complete -c jsift -n "__fish_jsift_using_subcommand events" -l final -d 'Print only the answer, and progress on standard error'
complete -c jsift -n "__fish_jsift_using_subcommand events" -l with-raw -d 'Add the original record to each event'
complete -c jsift -n "__fish_jsift_using_subcommand events" -l until-result -d 'Stop at the end of the session instead of the end of the input'
complete -c jsift -n "__fish_jsift_using_subcommand events" -l strict -d 'Exit with 3 if any record is broken'
complete -c jsift -n "__fish_jsift_using_subcommand events" -s q -l quiet -d 'Print only errors'
complete -c jsift -n "__fish_jsift_using_subcommand events" -s v -l verbose -d 'Say on standard error what was found where, and what was skipped'
complete -c jsift -n "__fish_jsift_using_subcommand events" -l exit-zero -d 'Turn the agent\'s exit codes (10 to 18) into 0'
complete -c jsift -n "__fish_jsift_using_subcommand events" -l lossy -d 'Replace invalid UTF-8 inside strings with U+FFFD, with a warning'
complete -c jsift -n "__fish_jsift_using_subcommand events" -l ci -d 'Neutralise workflow commands (`::error`, `##[error]`) in all text'
complete -c jsift -n "__fish_jsift_using_subcommand events" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c jsift -n "__fish_jsift_using_subcommand events" -s V -l version -d 'Print version'
complete -c jsift -n "__fish_jsift_using_subcommand summary" -l format -d 'Output format' -r -f -a "text\t'Tables for a terminal'
json\t'One JSON object per session'
table\t'One line per session, and totals'
markdown\t'Markdown for a step summary or a comment'
github\t'Workflow annotations'
html\t'One page that shows the run, for a browser'"
complete -c jsift -n "__fish_jsift_using_subcommand summary" -l report -d 'Also write a report in this format to FILE (repeatable)' -r
complete -c jsift -n "__fish_jsift_using_subcommand summary" -l max-bytes -d 'Cut markdown and html at this size, with a note [default for html: 5 MB]' -r
complete -c jsift -n "__fish_jsift_using_subcommand summary" -l github-output -d 'Print these keys of the summary in the format of $GITHUB_OUTPUT' -r -f -a "(__fish_jsift_list outcome failed_on agent agent_version session_id prefix model response structured_output assistant_text messages turns usage models tools background_tasks files errors duration_ms noise unknown_records input_tokens cached_tokens output_tokens reasoning_tokens total_tokens requests cost_usd)"
complete -c jsift -n "__fish_jsift_using_subcommand summary" -l fail-on -d 'Fail even if the agent succeeded: exit 18 on denied, else 5' -r -f -a "(__fish_jsift_list denied tool-error no-files empty cost: tokens:)"
complete -c jsift -n "__fish_jsift_using_subcommand summary" -l agent -d 'The agent that wrote the input, if detection is wrong' -r -f -a "gemini\t''
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
kilo\t''
junie\t''
warp\t''
roo\t''"
complete -c jsift -n "__fish_jsift_using_subcommand summary" -s o -l output -d 'Write FILE, complete or not at all' -r -F
complete -c jsift -n "__fish_jsift_using_subcommand summary" -s j -l jobs -d 'Read N files at a time [default: the number of cores]' -r
complete -c jsift -n "__fish_jsift_using_subcommand summary" -l color -d 'When to colour: auto, always or never' -r -f -a "auto\t'If the environment and the terminal agree'
always\t'Even into pipes and files'
never\t'Never, not even on a terminal'"
complete -c jsift -n "__fish_jsift_using_subcommand summary" -l max-document -d 'Maximum document size; larger ones exit with 6' -r
complete -c jsift -n "__fish_jsift_using_subcommand summary" -l unwrap -d 'Read the text inside log lines: docker, journald, cri, auto, /POINTER or logfmt:KEY' -r -f -a "docker\t''
journald\t''
cri\t''
auto\t''"
complete -c jsift -n "__fish_jsift_using_subcommand summary" -l agent-file -d 'Describe an agent that jsift does not know (TOML; see docs/agents.md)' -r -F
complete -c jsift -n "__fish_jsift_using_subcommand summary" -s r -l response -d 'Print only the answer'
complete -c jsift -n "__fish_jsift_using_subcommand summary" -l events -d 'Add the raw records to the JSON'
complete -c jsift -n "__fish_jsift_using_subcommand summary" -l structural -d 'Leave out prompts, texts, parameters and outputs'
complete -c jsift -n "__fish_jsift_using_subcommand summary" -l strict -d 'Exit with 3 if any record is broken'
complete -c jsift -n "__fish_jsift_using_subcommand summary" -s q -l quiet -d 'Print only errors'
complete -c jsift -n "__fish_jsift_using_subcommand summary" -s v -l verbose -d 'Say on standard error what was found where, and what was skipped'
complete -c jsift -n "__fish_jsift_using_subcommand summary" -l exit-zero -d 'Turn the agent\'s exit codes (10 to 18) into 0'
complete -c jsift -n "__fish_jsift_using_subcommand summary" -l lossy -d 'Replace invalid UTF-8 inside strings with U+FFFD, with a warning'
complete -c jsift -n "__fish_jsift_using_subcommand summary" -l ci -d 'Neutralise workflow commands (`::error`, `##[error]`) in all text'
complete -c jsift -n "__fish_jsift_using_subcommand summary" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c jsift -n "__fish_jsift_using_subcommand summary" -s V -l version -d 'Print version'
complete -c jsift -n "__fish_jsift_using_subcommand help; and not __fish_seen_subcommand_from extract events summary help" -f -a "extract" -d 'Extract JSON from noisy output'
complete -c jsift -n "__fish_jsift_using_subcommand help; and not __fish_seen_subcommand_from extract events summary help" -f -a "events" -d 'Turn an agent\'s event stream into progress events, as they arrive'
complete -c jsift -n "__fish_jsift_using_subcommand help; and not __fish_seen_subcommand_from extract events summary help" -f -a "summary" -d 'Report how an agent\'s run went: outcome, answer, usage, tools, files, errors'
complete -c jsift -n "__fish_jsift_using_subcommand help; and not __fish_seen_subcommand_from extract events summary help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
