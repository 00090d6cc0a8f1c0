//! Who speaks in a source: runs that write at the same time, or one after the other, are told apart by the prefix that a
//! supervisor puts before their lines (`agent-1  | `, `[pod/a/app] `, a job and its step).
//!
//! Each speaker has a reader of its own, so that its records are read as they would be read alone. A prefix that changes for
//! another reason, as a level or a number does, makes no other speaker: a name has to be set off as the others are, or a run
//! has to begin behind it.

use std::collections::HashMap;

use crate::dialect::reader::Reader;
use crate::find::prefix::{Name, PREFIX_LIMIT, Stamped, stable};

/// How many speakers are told apart.
const SPEAKERS: usize = 256;
/// How many prefixes are remembered as they stand.
const PREFIXES: usize = 1024;

/// One speaker of a source.
pub(super) struct Speaker {
    name: Option<Name>,
    pub(super) reader: Reader,
    /// A known message that may go on in its next line.
    pub(super) wrapped: Vec<u8>,
    /// How many of its documents were, or may be, records.
    records: u64,
}

/// The speakers of a source, at least one.
pub(super) struct Speakers {
    all: Vec<Speaker>,
    /// Whose the last record was.
    current: usize,
    /// What the last document stands behind does not name it.
    guessed: bool,
    /// Whose lines are that began so lately: most prefixes do not change.
    by_prefix: HashMap<Vec<u8>, usize>,
    /// Whose the line was that was looked up last: with other time stamps the next one begins so, too.
    latest: Option<(Stamped, usize)>,
}

impl Speaker {
    const fn new(name: Option<Name>, reader: Reader) -> Self {
        Self {
            name,
            reader,
            wrapped: Vec::new(),
            records: 0,
        }
    }
}

impl Speakers {
    /// One speaker, whose records `reader` reads.
    pub(super) fn new(reader: Reader) -> Self {
        Self {
            all: vec![Speaker::new(None, reader)],
            current: 0,
            guessed: false,
            by_prefix: HashMap::new(),
            latest: None,
        }
    }

    /// Whose the last record was.
    pub(super) const fn current(&self) -> usize {
        self.current
    }

    /// That speaker.
    pub(super) fn get(&mut self, speaker: usize) -> &mut Speaker {
        &mut self.all[speaker]
    }

    /// The speaker whose the last record was.
    pub(super) fn speaking(&mut self) -> &mut Speaker {
        self.get(self.current)
    }

    /// How many there are.
    pub(super) const fn count(&self) -> usize {
        self.all.len()
    }

    /// What names that speaker.
    pub(super) fn prefix(&self, speaker: usize) -> Option<&[u8]> {
        self.all.get(speaker)?.name.as_ref().map(Name::text)
    }

    /// Whose the document is that stands behind `left` on its line. Who is not known yet begins to speak if `starts` says that
    /// a run starts with the document, or if its name is one like those before it.
    pub(super) fn turn_to(
        &mut self,
        left: &[u8],
        document: &[u8],
        starts: impl FnOnce(Reader) -> bool,
    ) {
        self.guessed = false;
        if let [only] = &mut *self.all {
            // Most streams have no prefix.
            if left.is_empty() && only.name.is_none() {
                return;
            }
            if only.records == 0 {
                only.name = Name::of(left);
                self.forget_prefixes();
                return;
            }
        }
        if let Some(known) = self.speaker_of(left) {
            self.current = known;
            return;
        }
        let name = Name::of(left);
        let reader = || self.all[0].reader.afresh();
        let is_another = |name: &Name| self.is_another(name) && !name.is_told_by(document);
        if self.all.len() < SPEAKERS && (name.as_ref().is_some_and(is_another) || starts(reader()))
        {
            let reader = reader();
            self.all.push(Speaker::new(name, reader));
            self.current = self.all.len() - 1;
        } else {
            self.guessed = true;
        }
    }

    /// Whether a name is that of another speaker, by those that are known: not if it counts lines.
    fn is_another(&self, name: &Name) -> bool {
        let mut alike = self.all.iter().filter_map(|speaker| {
            let other = speaker.name.as_ref().filter(|other| other.is_like(name))?;
            Some(speaker.records > 1 || !other.counts_on(name))
        });
        name.is_sure()
            && alike
                .next()
                .is_some_and(|first| first && alike.all(|other| other))
    }

    /// What comes is that speaker's, or the last one's.
    pub(super) fn go_on_with(&mut self, speaker: Option<usize>) {
        self.current = speaker.unwrap_or(self.current);
    }

    /// The document that the last turn was for is a record, or may be one; else who has just begun to speak has not.
    pub(super) fn spoke(&mut self, is_record: bool) {
        let names = u64::from(is_record && !self.guessed);
        let speaker = self.speaking();
        speaker.records += names;
        if speaker.records == 0 && self.all.len() > 1 && self.current == self.all.len() - 1 {
            self.all.pop();
            self.forget_prefixes();
            self.current = 0;
        }
    }

    /// Whose a line is, by what it begins with.
    pub(super) fn speaker_of(&mut self, line: &[u8]) -> Option<usize> {
        let line = line.get(..PREFIX_LIMIT).unwrap_or(line);
        if let Some(known) = self.by_prefix.get(line) {
            return Some(*known);
        }
        if let Some((latest, speaker)) = &self.latest
            && latest.is_but_for_stamps(line)
        {
            return Some(*speaker);
        }
        let text = stable(line);
        let begins = |speaker: &Speaker| match &speaker.name {
            Some(name) => name.begins(&text).then(|| name.text().len()),
            None => text.is_empty().then_some(0),
        };
        let all = self.all.iter().enumerate();
        let all = all.filter_map(|(index, speaker)| Some((begins(speaker)?, index)));
        let (_, longest) = all.max()?;
        if self.by_prefix.len() >= PREFIXES {
            self.by_prefix.clear();
        }
        self.by_prefix.insert(line.to_vec(), longest);
        self.latest = Some((Stamped::new(line), longest));
        Some(longest)
    }

    fn forget_prefixes(&mut self) {
        self.by_prefix.clear();
        self.latest = None;
    }

    /// Whether any of them has a name that tells whose a line of noise is.
    pub(super) fn have_names(&self) -> bool {
        self.all
            .iter()
            .any(|speaker| speaker.name.as_ref().is_some_and(Name::is_sure))
    }

    /// What a line of that speaker says behind its name.
    pub(super) fn said<'t>(&self, speaker: usize, line: &'t [u8]) -> &'t [u8] {
        let behind = |name| {
            let at = memchr::memmem::find(line, name)?;
            line.get(at + name.len()..)
        };
        let behind = self.prefix(speaker).and_then(behind);
        behind.map_or(line, <[u8]>::trim_ascii_start)
    }

    /// Whether a line is that of somebody who has not spoken yet, where several speak: its name is set off as theirs are.
    pub(super) fn is_strangers(&self, line: &[u8]) -> bool {
        self.all.len() > 1 && Name::of(line).is_some_and(|name| self.is_another(&name))
    }
}
