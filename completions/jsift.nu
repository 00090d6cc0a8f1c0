module completions {

  # Sift clean JSON and text out of the noise that coding agents, language models and CI jobs print
  export extern jsift [
    --help(-h)                # Print help (see more with '--help')
    --version(-V)             # Print version
  ]

  def "nu-complete jsift extract pick" [] {
    [ "first" "last" "largest" ]
  }

  def "nu-complete jsift extract stage" [] {
    [ "string" "whole" "fence" "embedded" "repair" ]
  }

  def "nu-complete jsift extract types" [] {
    [ "object" "array" "string" "number" "boolean" "null" ]
  }

  def "nu-complete jsift extract color" [] {
    [ "auto" "always" "never" ]
  }

  def "nu-complete jsift extract unwrap" [] {
    [ "docker" "journald" "cri" "auto" ]
  }

  # Print the JSON document in the noise
  export extern "jsift extract" [
    --payload(-p)             # Look through an agent's envelope or event stream, at the JSON in the answer
    --all(-a)                 # Print every document of every stage, one per line
    --pick: string@"nu-complete jsift extract pick" # Print this one of the documents: first, last, largest, or its number (-1 is the last)
    --stage: string@"nu-complete jsift extract stage" # Use only these stages: string, whole, fence, embedded, repair
    --type: string@"nu-complete jsift extract types" # Take documents of this type only: object, array, string, number, boolean or null (repeatable)
    --require: string         # Take documents that have a value here only, or this one (repeatable)
    --schema: path            # Take documents that conform to this JSON Schema only
    --loose                   # Count flat arrays and empty objects inside lines, too
    --repair                  # Read broken JSON tolerantly if there is no sound document, and say what was changed
    --text                    # Copy the input through, with a warning, if no JSON is found
    --decode-base64: string   # Replace the string here by the text that it encodes (repeatable)
    --unescape: string        # Replace the string here by the JSON that it holds (repeatable)
    --compact(-c)             # One line per document, on a terminal, too
    --pretty                  # Indented by two blanks, into a pipe, too
    --indent: string          # Indented by N blanks (0 to 16; 0 is --compact)
    --as-found                # With the white space that the document came with
    --seq                     # Put a record separator before each document (RFC 7464)
    --print0(-0)              # Put a NUL behind each document, not a line feed
    --raw(-r)                 # Print a string without its quotes and escapes
    --meta                    # Wrap each document with where it came from: {"document":…,"origin":…,"warnings":…}
    --output(-o): path        # Write to FILE, and only at exit 0
    --quiet(-q)               # Print nothing but errors; the exit code tells
    --verbose(-v)             # Say on standard error what was found where, and what was skipped
    --exit-zero               # Turn the agent's exit codes (10 to 18) into 0
    --color: string@"nu-complete jsift extract color" # When to colour: auto, always or never
    --max-document: string    # The largest document to hold; a larger one is exit 6
    --unwrap: string@"nu-complete jsift extract unwrap" # Read the JSON-in-JSON lines of this log format: docker, journald, cri or auto
    --lossy                   # Replace invalid UTF-8 inside strings by U+FFFD, with a warning
    --ci                      # Break up workflow commands (`::error`, `##[error]`) in everything that is text
    --help(-h)                # Print help (see more with '--help')
    --version(-V)             # Print version
    ...files: path            # Where to read; none or `-` is standard input
  ]

  def "nu-complete jsift events format" [] {
    [ "ndjson" "text" ]
  }

  def "nu-complete jsift events only" [] {
    [ "init" "user" "assistant" "reasoning" "tool" "file" "retry" "error" "complete" "other" ]
  }

  def "nu-complete jsift events agent" [] {
    [ "gemini" "claude" "codex" "qwen" "opencode" "copilot" "cursor" "amp" "goose" "kimi" "agy" "grok-build" "acp" "kiro" "auggie" "continue" "droid" "cline" "pi" "vibe" "openhands" "grok" "kilo" ]
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
    --final                   # Print the answer alone, and progress on standard error
    --only: string@"nu-complete jsift events only" # Print events of these phases only
    --with-raw                # Add the record itself to each event
    --until-result            # Stop at the end of the session, not at the end of the input
    --idle-timeout: string    # Give up when nothing arrives for so many seconds: exit 6
    --timeout: string         # Give up after so many seconds in all: exit 6
    --agent: string@"nu-complete jsift events agent" # The agent that wrote the input, where it is not detected rightly
    --strict                  # Make broken records exit 3
    --output(-o): path        # Write to FILE, and only at exit 0
    --quiet(-q)               # Print nothing but errors; the exit code tells
    --verbose(-v)             # Say on standard error what was found where, and what was skipped
    --exit-zero               # Turn the agent's exit codes (10 to 18) into 0
    --color: string@"nu-complete jsift events color" # When to colour: auto, always or never
    --max-document: string    # The largest document to hold; a larger one is exit 6
    --unwrap: string@"nu-complete jsift events unwrap" # Read the JSON-in-JSON lines of this log format: docker, journald, cri or auto
    --lossy                   # Replace invalid UTF-8 inside strings by U+FFFD, with a warning
    --ci                      # Break up workflow commands (`::error`, `##[error]`) in everything that is text
    --help(-h)                # Print help (see more with '--help')
    --version(-V)             # Print version
    ...files: path            # Where to read; none or `-` is standard input
  ]

  def "nu-complete jsift summary format" [] {
    [ "text" "json" "markdown" "github" "html" ]
  }

  def "nu-complete jsift summary github_output" [] {
    [ "outcome" "agent" "agent_version" "session_id" "model" "response" "assistant_text" "messages" "turns" "usage" "models" "tools" "files" "errors" "duration_ms" "noise" "unknown_records" "input_tokens" "cached_tokens" "output_tokens" "reasoning_tokens" "total_tokens" "requests" "cost_usd" ]
  }

  def "nu-complete jsift summary fail_on" [] {
    [ "denied" "tool-error" "no-files" "empty" "cost:" "tokens:" ]
  }

  def "nu-complete jsift summary agent" [] {
    [ "gemini" "claude" "codex" "qwen" "opencode" "copilot" "cursor" "amp" "goose" "kimi" "agy" "grok-build" "acp" "kiro" "auggie" "continue" "droid" "cline" "pi" "vibe" "openhands" "grok" "kilo" ]
  }

  def "nu-complete jsift summary color" [] {
    [ "auto" "always" "never" ]
  }

  def "nu-complete jsift summary unwrap" [] {
    [ "docker" "journald" "cri" "auto" ]
  }

  # Report how an agent's run went: outcome, answer, usage, tools, files, errors
  export extern "jsift summary" [
    --format: string@"nu-complete jsift summary format" # How to write
    --response(-r)            # Print the answer alone
    --events                  # Add the raw records to the JSON
    --structural              # Leave out prompts, texts, parameters and outputs
    --max-bytes: string       # Cut markdown and html at this size, with a note [default for html: 5 MB]
    --github-output: string@"nu-complete jsift summary github_output" # Print these keys of the summary as $GITHUB_OUTPUT wants them
    --fail-on: string@"nu-complete jsift summary fail_on" # Fail although the agent did not: exit 18 on denied, else 5
    --agent: string@"nu-complete jsift summary agent" # The agent that wrote the input, where it is not detected rightly
    --strict                  # Make broken records exit 3
    --output(-o): path        # Write to FILE, and only at exit 0
    --quiet(-q)               # Print nothing but errors; the exit code tells
    --verbose(-v)             # Say on standard error what was found where, and what was skipped
    --exit-zero               # Turn the agent's exit codes (10 to 18) into 0
    --color: string@"nu-complete jsift summary color" # When to colour: auto, always or never
    --max-document: string    # The largest document to hold; a larger one is exit 6
    --unwrap: string@"nu-complete jsift summary unwrap" # Read the JSON-in-JSON lines of this log format: docker, journald, cri or auto
    --lossy                   # Replace invalid UTF-8 inside strings by U+FFFD, with a warning
    --ci                      # Break up workflow commands (`::error`, `##[error]`) in everything that is text
    --help(-h)                # Print help (see more with '--help')
    --version(-V)             # Print version
    ...files: path            # Where to read; none or `-` is standard input
  ]

  # Print this message or the help of the given subcommand(s)
  export extern "jsift help" [
  ]

  # Print the JSON document in the noise
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
