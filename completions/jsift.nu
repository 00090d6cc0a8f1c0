module completions {

  def "nu-complete jsift generate" [] {
    [ "complete-bash" "complete-zsh" "complete-fish" "complete-elvish" "complete-nushell" "complete-powershell" "man" "man-extract" "man-events" "man-summary" "man-security" "agent-file" ]
  }

  # Sift clean JSON and text out of the noise that coding agents, language models and CI jobs print
  export extern jsift [
    --generate: string@"nu-complete jsift generate" # Print completions or a manual page: complete-bash, …, man (see --help)
    --help(-h)                # Print help (see more with '--help')
    --version(-V)             # Print version
  ]

  def "nu-complete jsift extract pick" [] {
    [ "first" "last" "largest" "only" ]
  }

  def "nu-complete jsift extract stage" [] {
    [ "string" "whole" "fence" "embedded" "repair" ]
  }

  def "nu-complete jsift extract types" [] {
    [ "object" "array" "string" "number" "boolean" "null" ]
  }

  def "nu-complete jsift extract noise" [] {
    [ "drop" "keep" "stderr" ]
  }

  def "nu-complete jsift extract color" [] {
    [ "auto" "always" "never" ]
  }

  def "nu-complete jsift extract unwrap" [] {
    [ "docker" "journald" "cri" "auto" ]
  }

  # Extract JSON from noisy output
  export extern "jsift extract" [
    --payload(-p)             # Extract the JSON in the agent's answer
    --all(-a)                 # Print every document of every stage, one per line
    --pick: string@"nu-complete jsift extract pick" # Choose a document: first, last, largest, only, or its number (-1 is the last)
    --stage: string@"nu-complete jsift extract stage" # Use only these stages: string, whole, fence, embedded, repair
    --type: string@"nu-complete jsift extract types" # Keep only documents of this type: object, array, string, number, boolean or null (repeatable)
    --require: string         # Keep only documents that have a value at this pointer, or this value (repeatable)
    --schema: path            # Keep only documents that conform to this JSON Schema
    --loose                   # Also accept `[1,2]` and `{}` in the middle of a line; most of these are false positives
    --repair                  # Repair broken JSON if there is no valid document outside of it, and say what was changed
    --text                    # Copy the input through, with a warning, if no JSON is found
    --decode-base64: string   # Decode the base64 string at this pointer (repeatable)
    --unescape: string        # Replace the string at this pointer with the JSON in it (repeatable)
    --noise: string@"nu-complete jsift extract noise" # What becomes of the text around documents: drop, keep or stderr
    --compact(-c)             # One line per document, even on a terminal
    --pretty                  # Indent by two spaces, even when piped
    --indent: string          # Indent by N spaces (0 to 16; 0 is --compact)
    --as-found                # Keep the white space of the input
    --seq                     # Put a record separator before each document (RFC 7464)
    --print0(-0)              # End each document with NUL instead of a newline
    --raw(-r)                 # Print a string without its quotes and escapes
    --array                   # Print all documents as one JSON array
    --meta                    # Wrap each document with its origin: {"document":…,"origin":…,"warnings":…}
    --output(-o): path        # Write FILE, complete or not at all
    --jobs(-j): string        # Read N files at a time [default: the number of cores]
    --quiet(-q)               # Print only errors
    --verbose(-v)             # Say on standard error what was found where, and what was skipped
    --exit-zero               # Turn the agent's exit codes (10 to 18) into 0
    --color: string@"nu-complete jsift extract color" # When to colour: auto, always or never
    --max-document: string    # Maximum document size; larger ones exit with 6
    --unwrap: string@"nu-complete jsift extract unwrap" # Read the text inside log lines: docker, journald, cri, auto, /POINTER or logfmt:KEY
    --agent-file: path        # Describe an agent that jsift does not know (TOML; see docs/agents.md)
    --lossy                   # Replace invalid UTF-8 inside strings with U+FFFD, with a warning
    --ci                      # Neutralise workflow commands (`::error`, `##[error]`) in all text
    --help(-h)                # Print help (see more with '--help')
    --version(-V)             # Print version
    ...files: path            # Files to read; standard input if none or `-`
  ]

  def "nu-complete jsift events format" [] {
    [ "ndjson" "text" ]
  }

  def "nu-complete jsift events only" [] {
    [ "init" "user" "assistant" "reasoning" "tool" "file" "retry" "error" "complete" "other" ]
  }

  def "nu-complete jsift events agent" [] {
    [ "gemini" "claude" "codex" "qwen" "opencode" "copilot" "cursor" "amp" "goose" "kimi" "agy" "grok-build" "acp" "kiro" "auggie" "continue" "droid" "cline" "pi" "vibe" "openhands" "grok" "kilo" "junie" "warp" "roo" ]
  }

  def "nu-complete jsift events color" [] {
    [ "auto" "always" "never" ]
  }

  def "nu-complete jsift events unwrap" [] {
    [ "docker" "journald" "cri" "auto" ]
  }

  # Turn an agent's event stream into progress events, as they arrive
  export extern "jsift events" [
    --format: string@"nu-complete jsift events format" # NDJSON or readable lines [default: ndjson into a pipe, text on a terminal]
    --final                   # Print only the answer, and progress on standard error
    --only: string@"nu-complete jsift events only" # Print only events of these phases
    --with-raw                # Add the original record to each event
    --until-result            # Stop at the end of the session instead of the end of the input
    --idle-timeout: string    # Give up if nothing arrives for this many seconds: exit 6
    --timeout: string         # Give up after this many seconds in total: exit 6
    --agent: string@"nu-complete jsift events agent" # The agent that wrote the input, if detection is wrong
    --strict                  # Exit with 3 if any record is broken
    --output(-o): path        # Write FILE, complete or not at all
    --jobs(-j): string        # Read N files at a time [default: the number of cores]
    --quiet(-q)               # Print only errors
    --verbose(-v)             # Say on standard error what was found where, and what was skipped
    --exit-zero               # Turn the agent's exit codes (10 to 18) into 0
    --color: string@"nu-complete jsift events color" # When to colour: auto, always or never
    --max-document: string    # Maximum document size; larger ones exit with 6
    --unwrap: string@"nu-complete jsift events unwrap" # Read the text inside log lines: docker, journald, cri, auto, /POINTER or logfmt:KEY
    --agent-file: path        # Describe an agent that jsift does not know (TOML; see docs/agents.md)
    --lossy                   # Replace invalid UTF-8 inside strings with U+FFFD, with a warning
    --ci                      # Neutralise workflow commands (`::error`, `##[error]`) in all text
    --help(-h)                # Print help (see more with '--help')
    --version(-V)             # Print version
    ...files: path            # Files to read; standard input if none or `-`
  ]

  def "nu-complete jsift summary format" [] {
    [ "text" "json" "table" "markdown" "github" "html" ]
  }

  def "nu-complete jsift summary github_output" [] {
    [ "outcome" "failed_on" "agent" "agent_version" "session_id" "prefix" "model" "response" "structured_output" "assistant_text" "messages" "turns" "usage" "models" "tools" "background_tasks" "files" "errors" "duration_ms" "noise" "unknown_records" "input_tokens" "cached_tokens" "output_tokens" "reasoning_tokens" "total_tokens" "requests" "cost_usd" ]
  }

  def "nu-complete jsift summary fail_on" [] {
    [ "denied" "tool-error" "no-files" "empty" "cost:" "tokens:" ]
  }

  def "nu-complete jsift summary agent" [] {
    [ "gemini" "claude" "codex" "qwen" "opencode" "copilot" "cursor" "amp" "goose" "kimi" "agy" "grok-build" "acp" "kiro" "auggie" "continue" "droid" "cline" "pi" "vibe" "openhands" "grok" "kilo" "junie" "warp" "roo" ]
  }

  def "nu-complete jsift summary color" [] {
    [ "auto" "always" "never" ]
  }

  def "nu-complete jsift summary unwrap" [] {
    [ "docker" "journald" "cri" "auto" ]
  }

  # Report how an agent's run went: outcome, answer, usage, tools, files, errors
  export extern "jsift summary" [
    --format: string@"nu-complete jsift summary format" # Output format
    --report: string          # Also write a report in this format to FILE (repeatable)
    --response(-r)            # Print only the answer
    --events                  # Add the raw records to the JSON
    --structural              # Leave out prompts, texts, parameters and outputs
    --max-bytes: string       # Cut markdown and html at this size, with a note [default for html: 5 MB]
    --github-output: string@"nu-complete jsift summary github_output" # Print these keys of the summary in the format of $GITHUB_OUTPUT
    --fail-on: string@"nu-complete jsift summary fail_on" # Fail even if the agent succeeded: exit 18 on denied, else 5
    --agent: string@"nu-complete jsift summary agent" # The agent that wrote the input, if detection is wrong
    --strict                  # Exit with 3 if any record is broken
    --output(-o): path        # Write FILE, complete or not at all
    --jobs(-j): string        # Read N files at a time [default: the number of cores]
    --quiet(-q)               # Print only errors
    --verbose(-v)             # Say on standard error what was found where, and what was skipped
    --exit-zero               # Turn the agent's exit codes (10 to 18) into 0
    --color: string@"nu-complete jsift summary color" # When to colour: auto, always or never
    --max-document: string    # Maximum document size; larger ones exit with 6
    --unwrap: string@"nu-complete jsift summary unwrap" # Read the text inside log lines: docker, journald, cri, auto, /POINTER or logfmt:KEY
    --agent-file: path        # Describe an agent that jsift does not know (TOML; see docs/agents.md)
    --lossy                   # Replace invalid UTF-8 inside strings with U+FFFD, with a warning
    --ci                      # Neutralise workflow commands (`::error`, `##[error]`) in all text
    --help(-h)                # Print help (see more with '--help')
    --version(-V)             # Print version
    ...files: path            # Files to read; standard input if none or `-`
  ]

  # Print this message or the help of the given subcommand(s)
  export extern "jsift help" [
  ]

  # Extract JSON from noisy output
  export extern "jsift help extract" [
  ]

  # Turn an agent's event stream into progress events, as they arrive
  export extern "jsift help events" [
  ]

  # Report how an agent's run went: outcome, answer, usage, tools, files, errors
  export extern "jsift help summary" [
  ]

  # Print this message or the help of the given subcommand(s)
  export extern "jsift help help" [
  ]

}

export use completions *
