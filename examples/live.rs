//! What an agent does, while it does it: its event stream on standard input, line by line.
//!
//!     claude -p "$PROMPT" --output-format stream-json --verbose | cargo run --example live
//!
//! The loop is the caller's own: it may await, fail with `?` and stop with `break`.

#![allow(clippy::print_stdout)]

use jsift::{EventFeed, Phase, Status};
use tokio::io::{AsyncBufReadExt, BufReader, stdin};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let runtime = tokio::runtime::Builder::new_current_thread().build()?;
    runtime.block_on(watch())
}

async fn watch() -> Result<(), Box<dyn std::error::Error>> {
    let mut lines = BufReader::new(stdin()).lines();
    let mut feed = EventFeed::new();
    while let Some(line) = lines.next_line().await? {
        for event in feed.push_line(&line) {
            let text = event.message.unwrap_or_default();
            match event.phase {
                Phase::Assistant => println!("{text}"),
                Phase::Tool if event.status == Some(Status::Running) => {
                    println!("[{}] {text}", event.label.unwrap_or_default());
                }
                _ => {}
            }
        }
    }
    let (_, session) = feed.finish();
    let session = session?;
    let tokens = session.usage().total.unwrap_or(0);
    println!("{} after {tokens} tokens", session.outcome());
    Ok(())
}
