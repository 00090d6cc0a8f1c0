//! What packages install next to the program: completions and manual pages, for those who have only the binary.
//!
//! The files are those of the repository, which tests compare with the grammar.

use clap::ValueEnum;

/// A file that `--generate` prints.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Generated {
    /// Completions for bash
    CompleteBash,
    /// Completions for zsh
    CompleteZsh,
    /// Completions for fish
    CompleteFish,
    /// Completions for Elvish
    CompleteElvish,
    /// Completions for Nushell
    CompleteNushell,
    /// Completions for PowerShell
    CompletePowershell,
    /// The manual page jsift(1)
    Man,
    /// The manual page jsift-extract(1)
    ManExtract,
    /// The manual page jsift-events(1)
    ManEvents,
    /// The manual page jsift-summary(1)
    ManSummary,
    /// The manual page jsift-security(7)
    ManSecurity,
    /// A first draft of an agent file, from the recording on standard input
    AgentFile,
}

impl Generated {
    /// Returns the content of the file.
    #[must_use]
    pub const fn text(self) -> &'static str {
        match self {
            Self::CompleteBash => include_str!("../../../completions/jsift.bash"),
            Self::CompleteZsh => include_str!("../../../completions/_jsift"),
            Self::CompleteFish => include_str!("../../../completions/jsift.fish"),
            Self::CompleteElvish => include_str!("../../../completions/jsift.elv"),
            Self::CompleteNushell => include_str!("../../../completions/jsift.nu"),
            Self::CompletePowershell => include_str!("../../../completions/_jsift.ps1"),
            Self::Man => include_str!("../../../man/jsift.1"),
            Self::ManExtract => include_str!("../../../man/jsift-extract.1"),
            Self::ManEvents => include_str!("../../../man/jsift-events.1"),
            Self::ManSummary => include_str!("../../../man/jsift-summary.1"),
            Self::ManSecurity => include_str!("../../../man/jsift-security.7"),
            // It is made of the input.
            Self::AgentFile => "",
        }
    }
}
