//! The verdict: what is written of the findings of a source, which fault decides how it ends, and with which outcome.
//! The command and the library end by it.

use std::fmt;

use super::choice::{Chosen, Faults, Several, Standing};
use super::filter::Mismatch;
use crate::document::{Fault, FaultKind, Rank};
use jsift_outcome::Outcome;

/// What was found in a source.
#[derive(Debug)]
pub struct Findings<'a> {
    /// The number of documents to pick from.
    pub pickable: u64,
    /// The documents to pick from, if there are several and only one is allowed.
    pub several: Option<&'a Several>,
    /// The number of documents already written.
    pub written: u64,
    /// The chosen document; `None` with `--all`.
    pub chosen: Option<&'a Chosen>,
    /// Whether the choice was explicit.
    pub picked: bool,
    /// Why the document that came closest to passing the filters did not.
    pub mismatch: Option<&'a Mismatch>,
    /// The faults of the source.
    pub faults: &'a Faults,
    /// The agent's answer, if only the answer was searched.
    pub response: Option<&'a [u8]>,
}

/// How a run ends.
#[derive(Debug, PartialEq, Eq)]
pub enum Ending<'a> {
    /// The chosen document is written, or all have been. A fault may still decide the exit code.
    Documents(Option<&'a Fault>),
    /// Nothing is written, because of a fault.
    Fault(&'a Fault),
    /// Nothing passes the filters; this is why the closest document does not.
    Mismatch(&'a Mismatch),
    /// There are this many documents, but none has the requested number.
    Absent(u64),
    /// There are several documents, but only one is allowed.
    Several(&'a Several),
    /// There is no document.
    Nothing,
    /// There is no document in this answer of an agent. Since there is an answer, that is a mismatch.
    NoPayload(&'a [u8]),
}

impl Ending<'_> {
    /// Returns the outcome, if all that is to be written can be.
    #[must_use]
    pub fn outcome(&self) -> Outcome {
        match self {
            Self::Documents(None) => Outcome::Success,
            Self::Documents(Some(fault)) | Self::Fault(fault) => fault.outcome(),
            Self::Mismatch(_) | Self::Absent(_) | Self::Several(_) | Self::NoPayload(_) => {
                Outcome::Mismatch
            }
            Self::Nothing => Outcome::None,
        }
    }
}

impl fmt::Display for Ending<'_> {
    /// Writes why nothing or not everything is written: nothing if all is well.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Documents(None) => Ok(()),
            Self::Documents(Some(fault)) | Self::Fault(fault) => fault.fmt(f),
            Self::Mismatch(closest) => write!(f, "no document passes the filters: {closest}"),
            Self::Absent(1) => f.write_str("there is only 1 document to pick from"),
            Self::Absent(number) => write!(f, "there are only {number} documents to pick from"),
            Self::Several(several) => several.fmt(f),
            Self::Nothing => f.write_str("no JSON found"),
            Self::NoPayload(_) => f.write_str("no JSON found in the agent's answer"),
        }
    }
}

/// Decides how a run ends: documents come first, then the gravest fault.
#[must_use]
pub fn verdict<'a>(found: &Findings<'a>) -> Ending<'a> {
    let mut reasons = found.faults.reasons();
    if let Some(several) = found.several
        && found.faults.limit.is_none()
    {
        return Ending::Several(several);
    }
    match found.chosen {
        // If documents were written, a broken candidate only causes a note.
        None if found.written > 0 => {
            Ending::Documents(reasons.find(|fault| !fault.is_broken_candidate()))
        }
        Some(chosen) => {
            Ending::Documents(reasons.find(|fault| decides(fault, chosen, found.picked)))
        }
        None => match reasons.next() {
            Some(fault) => Ending::Fault(fault),
            None if found.pickable > 0 => Ending::Absent(found.pickable),
            None => match (found.mismatch, found.faults.refused().first()) {
                (Some(closest), _) => Ending::Mismatch(closest),
                (None, Some(fault)) => Ending::Fault(fault),
                (None, None) => found.response.map_or(Ending::Nothing, Ending::NoPayload),
            },
        },
    }
}

/// Whether a fault decides the exit code although a document was chosen: the lost document may have been the one that
/// was meant.
fn decides(fault: &Fault, chosen: &Chosen, picked: bool) -> bool {
    let special = chosen.standing != Standing::Other;
    match fault.kind {
        FaultKind::Limit => true,
        FaultKind::Truncated => !picked,
        _ if fault.fence.is_some() => !special,
        FaultKind::Empty | FaultKind::Broken | FaultKind::Headless => {
            chosen.document.rank == Rank::Embedded
                && !special
                && !picked
                && fault.position.offset < chosen.position().offset
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Ending, Findings, verdict};
    use crate::choose::choice::{Chosen, Faults, Several, Standing};
    use crate::choose::filter::{Filter, Mismatch};
    use crate::document::{Fault, FaultKind, Origin, OwnedDocument, Rank, Stage};
    use crate::span::Position;
    use jsift_json::view::Kind;

    fn at(offset: u64) -> Position {
        Position {
            offset,
            ..Position::START
        }
    }

    /// Returns a fault by the letter of its kind; a capital letter means a fence.
    fn fault(letter: char) -> Fault {
        let kind = match letter.to_ascii_lowercase() {
            'b' => FaultKind::Broken,
            't' => FaultKind::Truncated,
            'e' => FaultKind::Empty,
            _ => FaultKind::Limit,
        };
        Fault {
            kind,
            position: at(5),
            stop: at(6),
            reason: "",
            depth: 1,
            in_object: true,
            fence: letter.is_ascii_uppercase().then(String::new),
            prefix: None,
            sample: Vec::new(),
            masked: false,
            line: None,
        }
    }

    fn chosen(rank: Rank, standing: Standing, offset: u64) -> Chosen {
        let origin = Origin {
            stage: Stage::Embedded,
            position: at(offset),
            length: 2,
            info: None,
            prefix: None,
        };
        let document = OwnedDocument {
            text: Box::default(),
            origin,
            rank,
            lossy: false,
            compact: false,
            prefix: None,
            parts: Vec::new(),
        };
        Chosen { document, standing }
    }

    fn faults(letters: &str) -> Faults {
        let mut faults = Faults::default();
        for letter in letters.chars() {
            faults.note(&fault(letter), &Filter::default());
        }
        faults
    }

    /// Returns the findings in a source that has these faults and no document.
    const fn only(faults: &Faults) -> Findings<'_> {
        Findings {
            pickable: 0,
            several: None,
            written: 0,
            chosen: None,
            picked: false,
            mismatch: None,
            faults,
            response: None,
        }
    }

    /// Returns why `[]` is no object.
    fn refused() -> Mismatch {
        let filter = Filter {
            kinds: vec![Kind::Object],
            ..Filter::default()
        };
        filter.check(b"[]").unwrap_err()
    }

    /// Returns what is written, which fault decides, and the exit code: `D` documents, `-` nothing.
    fn shown(ending: &Ending<'_>) -> String {
        format!("{} {}", written(ending), ending.outcome().code())
    }

    fn written(ending: &Ending<'_>) -> String {
        let letter = |fault: &Fault| {
            let letter = match fault.kind {
                FaultKind::Broken | FaultKind::Headless => "b",
                FaultKind::Truncated => "t",
                FaultKind::Empty => "e",
                FaultKind::Limit => "l",
            };
            match fault.fence {
                Some(_) => letter.to_uppercase(),
                None => letter.to_owned(),
            }
        };
        match ending {
            Ending::Documents(reason) => format!("D{}", reason.map_or_else(String::new, letter)),
            Ending::Fault(fault) => format!("-{}", letter(fault)),
            Ending::Mismatch(_) => "mismatch".to_owned(),
            Ending::Absent(number) => format!("absent {number}"),
            Ending::Several(_) => "several".to_owned(),
            Ending::Nothing => "nothing".to_owned(),
            Ending::NoPayload(_) => "no payload".to_owned(),
        }
    }

    #[test]
    fn a_run_ends_by_what_it_has_found() {
        use Rank::{AnnouncedFence, Embedded, Weak, Whole};
        use Standing::{Body, Envelope, Other};
        // The faults, the chosen document and its place, whether it was picked, and how the run ends.
        type Row<'t> = (&'t str, Option<(Rank, Standing, u64)>, bool, &'t str);
        let rows: [Row<'_>; 22] = [
            ("", None, false, "nothing 1"),
            ("b", None, false, "-b 3"),
            ("t", None, false, "-t 4"),
            ("bt", None, false, "-t 4"),
            ("bB", None, false, "-B 3"),
            ("E", None, false, "-E 3"),
            ("Etl", None, false, "-l 6"),
            ("", Some((Embedded, Other, 9)), false, "D 0"),
            ("b", Some((Embedded, Other, 9)), false, "Db 3"),
            ("b", Some((Embedded, Other, 1)), false, "D 0"),
            ("b", Some((Embedded, Other, 9)), true, "D 0"),
            ("b", Some((AnnouncedFence, Other, 9)), false, "D 0"),
            ("b", Some((Embedded, Envelope, 9)), false, "D 0"),
            ("b", Some((Weak, Other, 9)), false, "D 0"),
            ("t", Some((Whole, Other, 1)), false, "Dt 4"),
            ("t", Some((Whole, Other, 1)), true, "D 0"),
            ("t", Some((Embedded, Envelope, 1)), false, "Dt 4"),
            ("E", Some((Embedded, Body, 9)), false, "D 0"),
            ("E", Some((AnnouncedFence, Other, 9)), false, "DE 3"),
            ("B", Some((AnnouncedFence, Other, 9)), true, "DB 3"),
            ("T", Some((AnnouncedFence, Other, 9)), true, "D 0"),
            ("l", Some((Whole, Envelope, 1)), true, "Dl 6"),
        ];
        for (met, taken, picked, ends) in rows {
            let faults = faults(met);
            let chosen = taken.map(|(rank, standing, offset)| chosen(rank, standing, offset));
            let findings = Findings {
                pickable: u64::from(chosen.is_some()),
                chosen: chosen.as_ref(),
                picked,
                ..only(&faults)
            };
            assert_eq!(shown(&verdict(&findings)), ends, "{met} {taken:?} {picked}");
        }
    }

    #[test]
    fn an_answer_without_json_is_a_mismatch() {
        for (met, response, ends) in [
            ("", None, "nothing 1"),
            ("", Some(&b"hello"[..]), "no payload 5"),
            ("b", Some(b"hello"), "-b 3"),
        ] {
            let faults = faults(met);
            let findings = Findings {
                response,
                ..only(&faults)
            };
            assert_eq!(shown(&verdict(&findings)), ends, "{met} {response:?}");
        }
    }

    #[test]
    fn several_documents_are_a_mismatch_if_only_one_is_allowed() {
        for (met, ends) in [("", "several 5"), ("bt", "several 5"), ("bl", "-l 6")] {
            let faults = faults(met);
            let several = Several::default();
            let findings = Findings {
                pickable: 2,
                several: Some(&several),
                ..only(&faults)
            };
            assert_eq!(shown(&verdict(&findings)), ends, "{met}");
        }
    }

    #[test]
    fn what_was_written_as_it_was_met_is_not_taken_back() {
        for (met, written, pickable, mismatch, ends) in [
            ("b", 2, 0, false, "D 0"),
            ("bt", 2, 0, false, "Dt 4"),
            ("B", 2, 0, false, "DB 3"),
            ("b", 0, 0, false, "-b 3"),
            ("", 0, 0, true, "mismatch 5"),
            ("", 0, 3, true, "absent 3 5"),
        ] {
            let faults = faults(met);
            let closest = refused();
            let findings = Findings {
                pickable,
                written,
                mismatch: mismatch.then_some(&closest),
                ..only(&faults)
            };
            assert_eq!(shown(&verdict(&findings)), ends, "{met} {written}");
        }
    }
}
