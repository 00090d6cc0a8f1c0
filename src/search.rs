//! A search in a text that is in memory, as the command and the library make it: what is chosen, with and without
//! repairs, and how that ends.

use crate::payload::Payload;
use jsift_agents::dialect::reader::{AgentFiles, RecordReader};
use jsift_agents::envelope;
use jsift_find::choose::choice::{Choice, Chosen, Several};
use jsift_find::choose::filter::Filter;
use jsift_find::choose::pick::Pick;
use jsift_find::choose::repairing::{SourceText, may_be_replaced, replaces};
use jsift_find::choose::scalars::{self, NoiseLine, Scalars};
use jsift_find::choose::verdict::{Ending, Findings, verdict};
use jsift_find::document::Visitor;
use jsift_find::finder::FindOptions;
use jsift_find::finder::repair::Repairs;
use jsift_find::reading::Reading;
use jsift_find::unwrap::Unwrap;
use jsift_json::view::Kind;

/// What is searched for.
#[derive(Debug, Default)]
pub(crate) struct Search {
    pub(crate) find: FindOptions,
    pub(crate) filter: Filter,
    pub(crate) unwrap: Unwrap,
    /// The agents that files describe.
    pub(crate) agents: AgentFiles,
    pub(crate) pick: Option<Pick>,
    /// Whether the caller specifies which of several documents is meant.
    pub(crate) chooses: bool,
    /// Whether broken JSON is repaired.
    pub(crate) repairs: bool,
}

impl Search {
    /// Returns a reading before the first byte of a source.
    pub(crate) fn reading(&self) -> Reading {
        Reading::new(self.unwrap.clone(), self.find.clone())
    }

    /// Returns the choice before the first document.
    pub(crate) fn choice(&self) -> Choice<'_> {
        Choice::new(self.pick, &envelope::standing, &self.filter)
    }

    /// Returns a reader of the payload; `text` reads the source as text, if that needs a reading of its own.
    pub(crate) fn payload(&self, text: Option<Reading>) -> Payload<'_> {
        let reader = RecordReader::default().with_files(&self.agents);
        Payload::new(reader, self.choice(), text)
    }

    /// Returns whether scalars that are alone on their line count as documents.
    fn finds_scalars(&self) -> bool {
        let is_scalar = |kind: &Kind| !matches!(kind, Kind::Object | Kind::Array);
        self.find.embedded && self.filter.kinds.iter().any(is_scalar)
    }

    /// Returns the repairs of a text; none if broken JSON is not repaired.
    pub(crate) fn repairs_of(&self, text: SourceText<'_>) -> Repairs {
        match self.repairs {
            true => text.repairs(&self.unwrap, &self.find),
            false => Repairs::default(),
        }
    }

    /// Reads a text with repairs, and with scalars if they count as documents. Returns whether it contains nothing but
    /// JSON.
    pub(crate) fn read(
        &self,
        text: SourceText<'_>,
        repairs: &Repairs,
        visitor: &mut dyn Visitor,
    ) -> bool {
        let options = (&self.unwrap, &self.find);
        let line = &mut NoiseLine::default();
        self.visit(visitor, (line, true), |visitor| {
            text.read(options, repairs, visitor)
        })
    }

    /// Calls `read` with the visitor, or with one that finds scalars before it if they count as documents. `line` is
    /// the current line, which may be one; `last` says that the source is read to its end.
    pub(crate) fn visit<T>(
        &self,
        visitor: &mut dyn Visitor,
        (line, last): (&mut NoiseLine, bool),
        read: impl FnOnce(&mut dyn Visitor) -> T,
    ) -> T {
        if !self.finds_scalars() {
            return read(visitor);
        }
        let mut scalars = Scalars::new(visitor, line, self.find.max_document);
        let result = read(&mut scalars);
        if last {
            // The last line may have no line end.
            scalars.noise(scalars::LINE_END);
        }
        result
    }

    /// Chooses a document of a text.
    pub(crate) fn choose<'f>(&'f self, text: SourceText<'f>) -> Conclusion<'f> {
        let mut choice = self.choice();
        let whole = self.read(text, &Repairs::default(), &mut choice);
        self.conclude(choice, whole, text)
    }

    /// Concludes what a choice and the repairs of its text give. `whole` says whether the text contains nothing but
    /// JSON.
    pub(crate) fn conclude<'f>(
        &'f self,
        mut choice: Choice<'f>,
        mut whole: bool,
        text: SourceText<'f>,
    ) -> Conclusion<'f> {
        let mut repairs = match may_be_replaced(&choice, whole) {
            true => self.repairs_of(text),
            false => Repairs::default(),
        };
        if !repairs.documents().is_empty() {
            let mut again = self.choice();
            let again_whole = self.read(text, &repairs, &mut again);
            match replaces(&choice, &again, &repairs) {
                true => (choice, whole) = (again, again_whole),
                false => repairs = Repairs::default(),
            }
        }
        let several = choice.several();
        let chosen = choice.take(whole);
        Conclusion {
            picked: self.pick.is_some_and(Pick::chooses),
            choice,
            several,
            chosen,
            repairs,
            response: text.response,
        }
    }
}

/// What is chosen of a text.
pub(crate) struct Conclusion<'f> {
    pub(crate) choice: Choice<'f>,
    several: Option<Several>,
    /// The chosen document, and how many others were passed over.
    pub(crate) chosen: Option<(Chosen, u64)>,
    /// The repairs with which the text was read.
    pub(crate) repairs: Repairs,
    picked: bool,
    /// The agent's answer, if that is the text.
    response: Option<&'f [u8]>,
}

impl Conclusion<'_> {
    /// Returns how the search ends.
    pub(crate) fn ending(&self) -> Ending<'_> {
        verdict(&Findings {
            pickable: self.choice.pickable(),
            several: self.several.as_ref(),
            written: 0,
            chosen: self.chosen.as_ref().map(|(chosen, _)| chosen),
            picked: self.picked,
            mismatch: self.choice.mismatch(),
            faults: self.choice.faults(),
            response: self.response,
        })
    }
}
