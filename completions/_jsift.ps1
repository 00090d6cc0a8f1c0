
using namespace System.Management.Automation
using namespace System.Management.Automation.Language

Register-ArgumentCompleter -Native -CommandName 'jsift' -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)

    $commandElements = $commandAst.CommandElements
    $command = @(
        'jsift'
        for ($i = 1; $i -lt $commandElements.Count; $i++) {
            $element = $commandElements[$i]
            if ($element -isnot [StringConstantExpressionAst] -or
                $element.StringConstantType -ne [StringConstantType]::BareWord -or
                $element.Value.StartsWith('-') -or
                $element.Value -eq $wordToComplete) {
                break
        }
        $element.Value
    }) -join ';'

    $completions = @(switch ($command) {
        'jsift' {
            [CompletionResult]::new('--generate', '--generate', [CompletionResultType]::ParameterName, 'Print completions or a manual page: complete-bash, …, man (see --help)')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('extract', 'extract', [CompletionResultType]::ParameterValue, 'Extract JSON from noisy output')
            [CompletionResult]::new('events', 'events', [CompletionResultType]::ParameterValue, 'Turn an agent''s event stream into progress events, as they arrive')
            [CompletionResult]::new('summary', 'summary', [CompletionResultType]::ParameterValue, 'Report how an agent''s run went: outcome, answer, usage, tools, files, errors')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'jsift;extract' {
            [CompletionResult]::new('--pick', '--pick', [CompletionResultType]::ParameterName, 'Choose a document: first, last, largest, only, or its number (-1 is the last)')
            [CompletionResult]::new('--stage', '--stage', [CompletionResultType]::ParameterName, 'Use only these stages: string, whole, fence, embedded, repair')
            [CompletionResult]::new('--type', '--type', [CompletionResultType]::ParameterName, 'Keep only documents of this type: object, array, string, number, boolean or null (repeatable)')
            [CompletionResult]::new('--require', '--require', [CompletionResultType]::ParameterName, 'Keep only documents that have a value at this pointer, or this value (repeatable)')
            [CompletionResult]::new('--schema', '--schema', [CompletionResultType]::ParameterName, 'Keep only documents that conform to this JSON Schema')
            [CompletionResult]::new('--decode-base64', '--decode-base64', [CompletionResultType]::ParameterName, 'Decode the base64 string at this pointer (repeatable)')
            [CompletionResult]::new('--unescape', '--unescape', [CompletionResultType]::ParameterName, 'Replace the string at this pointer with the JSON in it (repeatable)')
            [CompletionResult]::new('--noise', '--noise', [CompletionResultType]::ParameterName, 'What becomes of the text around documents: drop, keep or stderr')
            [CompletionResult]::new('--indent', '--indent', [CompletionResultType]::ParameterName, 'Indent by N spaces (0 to 16; 0 is --compact)')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Write FILE, complete or not at all')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Write FILE, complete or not at all')
            [CompletionResult]::new('-j', '-j', [CompletionResultType]::ParameterName, 'Read N files at a time [default: the number of cores]')
            [CompletionResult]::new('--jobs', '--jobs', [CompletionResultType]::ParameterName, 'Read N files at a time [default: the number of cores]')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to colour: auto, always or never')
            [CompletionResult]::new('--max-document', '--max-document', [CompletionResultType]::ParameterName, 'Maximum document size; larger ones exit with 6')
            [CompletionResult]::new('--unwrap', '--unwrap', [CompletionResultType]::ParameterName, 'Read the text inside log lines: docker, journald, cri, auto, /POINTER or logfmt:KEY')
            [CompletionResult]::new('--agent-file', '--agent-file', [CompletionResultType]::ParameterName, 'Describe an agent that jsift does not know (TOML; see docs/agents.md)')
            [CompletionResult]::new('-p', '-p', [CompletionResultType]::ParameterName, 'Extract the JSON in the agent''s answer')
            [CompletionResult]::new('--payload', '--payload', [CompletionResultType]::ParameterName, 'Extract the JSON in the agent''s answer')
            [CompletionResult]::new('-a', '-a', [CompletionResultType]::ParameterName, 'Print every document of every stage, one per line')
            [CompletionResult]::new('--all', '--all', [CompletionResultType]::ParameterName, 'Print every document of every stage, one per line')
            [CompletionResult]::new('--loose', '--loose', [CompletionResultType]::ParameterName, 'Also accept `[1,2]` and `{}` in the middle of a line; most of these are false positives')
            [CompletionResult]::new('--repair', '--repair', [CompletionResultType]::ParameterName, 'Repair broken JSON if there is no valid document outside of it, and say what was changed')
            [CompletionResult]::new('--text', '--text', [CompletionResultType]::ParameterName, 'Copy the input through, with a warning, if no JSON is found')
            [CompletionResult]::new('-c', '-c', [CompletionResultType]::ParameterName, 'One line per document, even on a terminal')
            [CompletionResult]::new('--compact', '--compact', [CompletionResultType]::ParameterName, 'One line per document, even on a terminal')
            [CompletionResult]::new('--pretty', '--pretty', [CompletionResultType]::ParameterName, 'Indent by two spaces, even when piped')
            [CompletionResult]::new('--as-found', '--as-found', [CompletionResultType]::ParameterName, 'Keep the white space of the input')
            [CompletionResult]::new('--seq', '--seq', [CompletionResultType]::ParameterName, 'Put a record separator before each document (RFC 7464)')
            [CompletionResult]::new('-0', '-0', [CompletionResultType]::ParameterName, 'End each document with NUL instead of a newline')
            [CompletionResult]::new('--print0', '--print0', [CompletionResultType]::ParameterName, 'End each document with NUL instead of a newline')
            [CompletionResult]::new('-r', '-r', [CompletionResultType]::ParameterName, 'Print a string without its quotes and escapes')
            [CompletionResult]::new('--raw', '--raw', [CompletionResultType]::ParameterName, 'Print a string without its quotes and escapes')
            [CompletionResult]::new('--array', '--array', [CompletionResultType]::ParameterName, 'Print all documents as one JSON array')
            [CompletionResult]::new('--meta', '--meta', [CompletionResultType]::ParameterName, 'Wrap each document with its origin: {"document":…,"origin":…,"warnings":…}')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print only errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print only errors')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say on standard error what was found where, and what was skipped')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say on standard error what was found where, and what was skipped')
            [CompletionResult]::new('--exit-zero', '--exit-zero', [CompletionResultType]::ParameterName, 'Turn the agent''s exit codes (10 to 18) into 0')
            [CompletionResult]::new('--lossy', '--lossy', [CompletionResultType]::ParameterName, 'Replace invalid UTF-8 inside strings with U+FFFD, with a warning')
            [CompletionResult]::new('--ci', '--ci', [CompletionResultType]::ParameterName, 'Neutralise workflow commands (`::error`, `##[error]`) in all text')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'jsift;events' {
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'NDJSON or readable lines [default: ndjson into a pipe, text on a terminal]')
            [CompletionResult]::new('--only', '--only', [CompletionResultType]::ParameterName, 'Print only events of these phases')
            [CompletionResult]::new('--idle-timeout', '--idle-timeout', [CompletionResultType]::ParameterName, 'Give up if nothing arrives for this many seconds: exit 6')
            [CompletionResult]::new('--timeout', '--timeout', [CompletionResultType]::ParameterName, 'Give up after this many seconds in total: exit 6')
            [CompletionResult]::new('--agent', '--agent', [CompletionResultType]::ParameterName, 'The agent that wrote the input, if detection is wrong')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Write FILE, complete or not at all')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Write FILE, complete or not at all')
            [CompletionResult]::new('-j', '-j', [CompletionResultType]::ParameterName, 'Read N files at a time [default: the number of cores]')
            [CompletionResult]::new('--jobs', '--jobs', [CompletionResultType]::ParameterName, 'Read N files at a time [default: the number of cores]')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to colour: auto, always or never')
            [CompletionResult]::new('--max-document', '--max-document', [CompletionResultType]::ParameterName, 'Maximum document size; larger ones exit with 6')
            [CompletionResult]::new('--unwrap', '--unwrap', [CompletionResultType]::ParameterName, 'Read the text inside log lines: docker, journald, cri, auto, /POINTER or logfmt:KEY')
            [CompletionResult]::new('--agent-file', '--agent-file', [CompletionResultType]::ParameterName, 'Describe an agent that jsift does not know (TOML; see docs/agents.md)')
            [CompletionResult]::new('--final', '--final', [CompletionResultType]::ParameterName, 'Print only the answer, and progress on standard error')
            [CompletionResult]::new('--with-raw', '--with-raw', [CompletionResultType]::ParameterName, 'Add the original record to each event')
            [CompletionResult]::new('--until-result', '--until-result', [CompletionResultType]::ParameterName, 'Stop at the end of the session instead of the end of the input')
            [CompletionResult]::new('--strict', '--strict', [CompletionResultType]::ParameterName, 'Exit with 3 if any record is broken')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print only errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print only errors')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say on standard error what was found where, and what was skipped')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say on standard error what was found where, and what was skipped')
            [CompletionResult]::new('--exit-zero', '--exit-zero', [CompletionResultType]::ParameterName, 'Turn the agent''s exit codes (10 to 18) into 0')
            [CompletionResult]::new('--lossy', '--lossy', [CompletionResultType]::ParameterName, 'Replace invalid UTF-8 inside strings with U+FFFD, with a warning')
            [CompletionResult]::new('--ci', '--ci', [CompletionResultType]::ParameterName, 'Neutralise workflow commands (`::error`, `##[error]`) in all text')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'jsift;summary' {
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Output format')
            [CompletionResult]::new('--report', '--report', [CompletionResultType]::ParameterName, 'Also write a report in this format to FILE (repeatable)')
            [CompletionResult]::new('--max-bytes', '--max-bytes', [CompletionResultType]::ParameterName, 'Cut markdown and html at this size, with a note [default for html: 5 MB]')
            [CompletionResult]::new('--github-output', '--github-output', [CompletionResultType]::ParameterName, 'Print these keys of the summary in the format of $GITHUB_OUTPUT')
            [CompletionResult]::new('--fail-on', '--fail-on', [CompletionResultType]::ParameterName, 'Fail even if the agent succeeded: exit 18 on denied, else 5')
            [CompletionResult]::new('--agent', '--agent', [CompletionResultType]::ParameterName, 'The agent that wrote the input, if detection is wrong')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Write FILE, complete or not at all')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Write FILE, complete or not at all')
            [CompletionResult]::new('-j', '-j', [CompletionResultType]::ParameterName, 'Read N files at a time [default: the number of cores]')
            [CompletionResult]::new('--jobs', '--jobs', [CompletionResultType]::ParameterName, 'Read N files at a time [default: the number of cores]')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to colour: auto, always or never')
            [CompletionResult]::new('--max-document', '--max-document', [CompletionResultType]::ParameterName, 'Maximum document size; larger ones exit with 6')
            [CompletionResult]::new('--unwrap', '--unwrap', [CompletionResultType]::ParameterName, 'Read the text inside log lines: docker, journald, cri, auto, /POINTER or logfmt:KEY')
            [CompletionResult]::new('--agent-file', '--agent-file', [CompletionResultType]::ParameterName, 'Describe an agent that jsift does not know (TOML; see docs/agents.md)')
            [CompletionResult]::new('-r', '-r', [CompletionResultType]::ParameterName, 'Print only the answer')
            [CompletionResult]::new('--response', '--response', [CompletionResultType]::ParameterName, 'Print only the answer')
            [CompletionResult]::new('--events', '--events', [CompletionResultType]::ParameterName, 'Add the raw records to the JSON')
            [CompletionResult]::new('--structural', '--structural', [CompletionResultType]::ParameterName, 'Leave out prompts, texts, parameters and outputs')
            [CompletionResult]::new('--strict', '--strict', [CompletionResultType]::ParameterName, 'Exit with 3 if any record is broken')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print only errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print only errors')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say on standard error what was found where, and what was skipped')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say on standard error what was found where, and what was skipped')
            [CompletionResult]::new('--exit-zero', '--exit-zero', [CompletionResultType]::ParameterName, 'Turn the agent''s exit codes (10 to 18) into 0')
            [CompletionResult]::new('--lossy', '--lossy', [CompletionResultType]::ParameterName, 'Replace invalid UTF-8 inside strings with U+FFFD, with a warning')
            [CompletionResult]::new('--ci', '--ci', [CompletionResultType]::ParameterName, 'Neutralise workflow commands (`::error`, `##[error]`) in all text')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'jsift;help' {
            [CompletionResult]::new('extract', 'extract', [CompletionResultType]::ParameterValue, 'Extract JSON from noisy output')
            [CompletionResult]::new('events', 'events', [CompletionResultType]::ParameterValue, 'Turn an agent''s event stream into progress events, as they arrive')
            [CompletionResult]::new('summary', 'summary', [CompletionResultType]::ParameterValue, 'Report how an agent''s run went: outcome, answer, usage, tools, files, errors')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'jsift;help;extract' {
            break
        }
        'jsift;help;events' {
            break
        }
        'jsift;help;summary' {
            break
        }
        'jsift;help;help' {
            break
        }
    })

    $completions.Where{ $_.CompletionText -like "$wordToComplete*" } |
        Sort-Object -Property ListItemText
}
