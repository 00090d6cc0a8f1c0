
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
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('extract', 'extract', [CompletionResultType]::ParameterValue, 'Print the JSON document in the noise')
            [CompletionResult]::new('events', 'events', [CompletionResultType]::ParameterValue, 'Turn an agent''s event stream into progress events, as they arrive')
            [CompletionResult]::new('summary', 'summary', [CompletionResultType]::ParameterValue, 'Report how an agent''s run went: outcome, answer, usage, tools, files, errors')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'jsift;extract' {
            [CompletionResult]::new('--pick', '--pick', [CompletionResultType]::ParameterName, 'Print this one of the documents: first, last, largest, or its number (-1 is the last)')
            [CompletionResult]::new('--stage', '--stage', [CompletionResultType]::ParameterName, 'Use only these stages: string, whole, fence, embedded, repair')
            [CompletionResult]::new('--type', '--type', [CompletionResultType]::ParameterName, 'Take documents of this type only: object, array, string, number, boolean or null (repeatable)')
            [CompletionResult]::new('--require', '--require', [CompletionResultType]::ParameterName, 'Take documents that have a value here only, or this one (repeatable)')
            [CompletionResult]::new('--schema', '--schema', [CompletionResultType]::ParameterName, 'Take documents that conform to this JSON Schema only')
            [CompletionResult]::new('--decode-base64', '--decode-base64', [CompletionResultType]::ParameterName, 'Replace the string here by the text that it encodes (repeatable)')
            [CompletionResult]::new('--unescape', '--unescape', [CompletionResultType]::ParameterName, 'Replace the string here by the JSON that it holds (repeatable)')
            [CompletionResult]::new('--indent', '--indent', [CompletionResultType]::ParameterName, 'Indented by N blanks (0 to 16; 0 is --compact)')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Write to FILE, and only at exit 0')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Write to FILE, and only at exit 0')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to colour: auto, always or never')
            [CompletionResult]::new('--max-document', '--max-document', [CompletionResultType]::ParameterName, 'The largest document to hold; a larger one is exit 6')
            [CompletionResult]::new('--unwrap', '--unwrap', [CompletionResultType]::ParameterName, 'Read the JSON-in-JSON lines of this log format: docker, journald, cri or auto')
            [CompletionResult]::new('-p', '-p', [CompletionResultType]::ParameterName, 'Look through an agent''s envelope or event stream, at the JSON in the answer')
            [CompletionResult]::new('--payload', '--payload', [CompletionResultType]::ParameterName, 'Look through an agent''s envelope or event stream, at the JSON in the answer')
            [CompletionResult]::new('-a', '-a', [CompletionResultType]::ParameterName, 'Print every document of every stage, one per line')
            [CompletionResult]::new('--all', '--all', [CompletionResultType]::ParameterName, 'Print every document of every stage, one per line')
            [CompletionResult]::new('--loose', '--loose', [CompletionResultType]::ParameterName, 'Count flat arrays and empty objects inside lines, too')
            [CompletionResult]::new('--repair', '--repair', [CompletionResultType]::ParameterName, 'Read broken JSON tolerantly if there is no sound document, and say what was changed')
            [CompletionResult]::new('--text', '--text', [CompletionResultType]::ParameterName, 'Copy the input through, with a warning, if no JSON is found')
            [CompletionResult]::new('-c', '-c', [CompletionResultType]::ParameterName, 'One line per document, on a terminal, too')
            [CompletionResult]::new('--compact', '--compact', [CompletionResultType]::ParameterName, 'One line per document, on a terminal, too')
            [CompletionResult]::new('--pretty', '--pretty', [CompletionResultType]::ParameterName, 'Indented by two blanks, into a pipe, too')
            [CompletionResult]::new('--as-found', '--as-found', [CompletionResultType]::ParameterName, 'With the white space that the document came with')
            [CompletionResult]::new('--seq', '--seq', [CompletionResultType]::ParameterName, 'Put a record separator before each document (RFC 7464)')
            [CompletionResult]::new('-0', '-0', [CompletionResultType]::ParameterName, 'Put a NUL behind each document, not a line feed')
            [CompletionResult]::new('--print0', '--print0', [CompletionResultType]::ParameterName, 'Put a NUL behind each document, not a line feed')
            [CompletionResult]::new('-r', '-r', [CompletionResultType]::ParameterName, 'Print a string without its quotes and escapes')
            [CompletionResult]::new('--raw', '--raw', [CompletionResultType]::ParameterName, 'Print a string without its quotes and escapes')
            [CompletionResult]::new('--meta', '--meta', [CompletionResultType]::ParameterName, 'Wrap each document with where it came from: {"document":…,"origin":…,"warnings":…}')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print nothing but errors; the exit code tells')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print nothing but errors; the exit code tells')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say on standard error what was found where, and what was skipped')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say on standard error what was found where, and what was skipped')
            [CompletionResult]::new('--exit-zero', '--exit-zero', [CompletionResultType]::ParameterName, 'Turn the agent''s exit codes (10 to 18) into 0')
            [CompletionResult]::new('--lossy', '--lossy', [CompletionResultType]::ParameterName, 'Replace invalid UTF-8 inside strings by U+FFFD, with a warning')
            [CompletionResult]::new('--ci', '--ci', [CompletionResultType]::ParameterName, 'Break up workflow commands (`::error`, `##[error]`) in everything that is text')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'jsift;events' {
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'NDJSON or readable lines [default: ndjson into a pipe, text on a terminal]')
            [CompletionResult]::new('--only', '--only', [CompletionResultType]::ParameterName, 'Print events of these phases only')
            [CompletionResult]::new('--idle-timeout', '--idle-timeout', [CompletionResultType]::ParameterName, 'Give up when nothing arrives for so many seconds: exit 6')
            [CompletionResult]::new('--timeout', '--timeout', [CompletionResultType]::ParameterName, 'Give up after so many seconds in all: exit 6')
            [CompletionResult]::new('--agent', '--agent', [CompletionResultType]::ParameterName, 'The agent that wrote the input, where it is not detected rightly')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Write to FILE, and only at exit 0')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Write to FILE, and only at exit 0')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to colour: auto, always or never')
            [CompletionResult]::new('--max-document', '--max-document', [CompletionResultType]::ParameterName, 'The largest document to hold; a larger one is exit 6')
            [CompletionResult]::new('--unwrap', '--unwrap', [CompletionResultType]::ParameterName, 'Read the JSON-in-JSON lines of this log format: docker, journald, cri or auto')
            [CompletionResult]::new('--final', '--final', [CompletionResultType]::ParameterName, 'Print the answer alone, and progress on standard error')
            [CompletionResult]::new('--with-raw', '--with-raw', [CompletionResultType]::ParameterName, 'Add the record itself to each event')
            [CompletionResult]::new('--until-result', '--until-result', [CompletionResultType]::ParameterName, 'Stop at the end of the session, not at the end of the input')
            [CompletionResult]::new('--strict', '--strict', [CompletionResultType]::ParameterName, 'Make broken records exit 3')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print nothing but errors; the exit code tells')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print nothing but errors; the exit code tells')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say on standard error what was found where, and what was skipped')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say on standard error what was found where, and what was skipped')
            [CompletionResult]::new('--exit-zero', '--exit-zero', [CompletionResultType]::ParameterName, 'Turn the agent''s exit codes (10 to 18) into 0')
            [CompletionResult]::new('--lossy', '--lossy', [CompletionResultType]::ParameterName, 'Replace invalid UTF-8 inside strings by U+FFFD, with a warning')
            [CompletionResult]::new('--ci', '--ci', [CompletionResultType]::ParameterName, 'Break up workflow commands (`::error`, `##[error]`) in everything that is text')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'jsift;summary' {
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'How to write')
            [CompletionResult]::new('--max-bytes', '--max-bytes', [CompletionResultType]::ParameterName, 'Cut markdown and html at this size, with a note [default for html: 5 MB]')
            [CompletionResult]::new('--github-output', '--github-output', [CompletionResultType]::ParameterName, 'Print these keys of the summary as $GITHUB_OUTPUT wants them')
            [CompletionResult]::new('--fail-on', '--fail-on', [CompletionResultType]::ParameterName, 'Fail although the agent did not: exit 18 on denied, else 5')
            [CompletionResult]::new('--agent', '--agent', [CompletionResultType]::ParameterName, 'The agent that wrote the input, where it is not detected rightly')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Write to FILE, and only at exit 0')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Write to FILE, and only at exit 0')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to colour: auto, always or never')
            [CompletionResult]::new('--max-document', '--max-document', [CompletionResultType]::ParameterName, 'The largest document to hold; a larger one is exit 6')
            [CompletionResult]::new('--unwrap', '--unwrap', [CompletionResultType]::ParameterName, 'Read the JSON-in-JSON lines of this log format: docker, journald, cri or auto')
            [CompletionResult]::new('-r', '-r', [CompletionResultType]::ParameterName, 'Print the answer alone')
            [CompletionResult]::new('--response', '--response', [CompletionResultType]::ParameterName, 'Print the answer alone')
            [CompletionResult]::new('--events', '--events', [CompletionResultType]::ParameterName, 'Add the raw records to the JSON')
            [CompletionResult]::new('--structural', '--structural', [CompletionResultType]::ParameterName, 'Leave out prompts, texts, parameters and outputs')
            [CompletionResult]::new('--strict', '--strict', [CompletionResultType]::ParameterName, 'Make broken records exit 3')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print nothing but errors; the exit code tells')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print nothing but errors; the exit code tells')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say on standard error what was found where, and what was skipped')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say on standard error what was found where, and what was skipped')
            [CompletionResult]::new('--exit-zero', '--exit-zero', [CompletionResultType]::ParameterName, 'Turn the agent''s exit codes (10 to 18) into 0')
            [CompletionResult]::new('--lossy', '--lossy', [CompletionResultType]::ParameterName, 'Replace invalid UTF-8 inside strings by U+FFFD, with a warning')
            [CompletionResult]::new('--ci', '--ci', [CompletionResultType]::ParameterName, 'Break up workflow commands (`::error`, `##[error]`) in everything that is text')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'jsift;help' {
            [CompletionResult]::new('extract', 'extract', [CompletionResultType]::ParameterValue, 'Print the JSON document in the noise')
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
