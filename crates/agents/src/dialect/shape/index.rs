//! Leads from a record to the agents that may have written it, however many agents there are.

use super::{RecordShape, Sure};
use crate::dialect::names::{NameList, cut, is_same};
use crate::dialect::unknown::{self, envelope};
use crate::dialect::{Agent, api, usual};
use jsift_json::string::same_word;
use jsift_json::tape::MarkLayout;
use jsift_json::view::{Kind, Name, Names, Object, Value};

/// One row of all tables together.
#[derive(Clone, Copy)]
struct ShapeRow {
    sure: Sure,
    agent: Agent,
    /// The bit of the row's discriminator.
    member: u32,
    /// The string that the discriminator has to be; empty if any value will do.
    word: &'static str,
    shape: &'static RecordShape,
}

impl ShapeRow {
    const fn new(agent: Agent, shape: &'static RecordShape, word: &'static str) -> Self {
        Self {
            sure: shape.sure,
            agent,
            member: 0,
            word,
            shape,
        }
    }

    /// Returns the row's place in the index.
    const fn place(&self) -> usize {
        let (member, _) = self.shape.discriminator();
        place(hash(member.as_bytes()), self.word.as_bytes())
    }

    /// Whether `record` has this shape, given that the member of bit `member` is the string `word`, or anything if
    /// `word` is empty.
    #[inline]
    fn fits(&self, record: &Object<'_>, member: u32, word: &[u8]) -> bool {
        // Rows of other discriminators may share the place.
        let is_reported = self.member == member && same_word(self.word.as_bytes(), word);
        is_reported && self.shape.fits(record, usize::from(!word.is_empty()))
    }
}

/// The number of rows of all tables.
const ROWS: usize = rows_of_all::<0>().1;
/// The number of places in the index, a power of two.
const PLACES: usize = 512;
/// The multiplier that mixes a hash (FNV-1a's offset).
const MIXER: u64 = 0xcbf2_9ce4_8422_2325;
/// The maximum number of different discriminators: each has a bit.
const MEMBERS: usize = 31;
/// The bit of members that identify records of no known agent: responses of APIs and records of unknown agents.
const OTHERS: u32 = 1 << MEMBERS;

/// A member that is a discriminator.
#[derive(Clone, Copy)]
struct Member {
    name: Name,
    hash: u64,
}

impl Member {
    const fn new(name: &'static str) -> Self {
        Self {
            name: Name::new(name),
            hash: hash(name.as_bytes()),
        }
    }
}

/// Leads from a discriminator to the rows of the tables.
struct Index {
    /// The rows, grouped by place: within a place the surest first, otherwise in the order of the registry.
    rows: [ShapeRow; ROWS],
    /// The first row of each place.
    first: [u16; PLACES + 1],
    /// The shapes that are [`Sure::Certain`], grouped by agent. Each pointer costs time at every start.
    certain: [Option<&'static RecordShape>; ROWS],
    /// The index of each agent's first shape in `certain`.
    first_certain: [usize; Agent::ALL.len() + 1],
    /// The members that are discriminators.
    members: [Member; MEMBERS],
    /// The names of the discriminators with their bits, to look up in documents.
    names: Names,
    /// The bits of discriminators that count only as objects: many logs have a `msg` or an `error`.
    objects: u32,
    /// The bits of discriminators that count only as strings: many logs have a `status`.
    strings: u32,
}

static INDEX: Index = index();

/// Returns the first `N` rows of all tables, in the order of the registry, and how many there are.
const fn rows_of_all<const N: usize>() -> ([ShapeRow; N], usize) {
    let mut rows = [ShapeRow::new(Agent::ALL[0], &Agent::ALL[0].entry().shapes[0], ""); N];
    let (mut row, mut at) = (0, 0);
    while at < Agent::ALL.len() {
        let (agent, shapes) = (Agent::ALL[at], Agent::ALL[at].entry().shapes);
        let mut line = 0;
        while line < shapes.len() {
            let mut rest = Some(shapes[line].discriminator().1);
            while let Some(words) = rest {
                let (word, more) = cut(words, b'|');
                if row < N {
                    rows[row] = ShapeRow::new(agent, &shapes[line], word);
                }
                (row, rest) = (row + 1, more);
            }
            line += 1;
        }
        at += 1;
    }
    (rows, row)
}

#[expect(clippy::cast_possible_truncation, reason = "there are few lines")]
const fn index() -> Index {
    let (mut rows, _) = rows_of_all::<ROWS>();
    let none = Member {
        name: Name::new(""),
        hash: 0,
    };
    let mut index = Index {
        rows,
        first: [0; PLACES + 1],
        certain: [None; ROWS],
        first_certain: [0; Agent::ALL.len() + 1],
        members: [none; MEMBERS],
        names: Names::NONE,
        objects: !OTHERS,
        strings: !OTHERS,
    };
    // The discriminator of most records is compared first.
    index.members[0] = Member::new("type");
    let (mut row, mut certain) = (0, 0);
    while row < ROWS {
        let shape = rows[row].shape;
        let (member, words) = shape.discriminator();
        let mut bit = 0;
        while !is_same(index.members[bit].name.text, member) && index.members[bit].hash != 0 {
            bit += 1;
        }
        index.members[bit] = Member::new(member);
        rows[row].member = bit as u32;
        let bit = 1 << bit;
        index.names = index.names.with(member, bit);
        if !shape.has_object_as_discriminator() {
            index.objects &= !bit;
        }
        if !shape.has_string_as_discriminator() {
            index.strings &= !bit;
        }
        if matches!(rows[row].sure, Sure::Certain) && is_same(rows[row].word, cut(words, b'|').0) {
            index.certain[certain] = Some(shape);
            certain += 1;
        }
        index.first_certain[rows[row].agent.index() + 1] = certain;
        // Counts the rows of each place; the sums below turn the counts into positions.
        index.first[rows[row].place() + 1] += 1;
        row += 1;
    }
    let mut at = 0;
    while at < PLACES {
        index.first[at + 1] += index.first[at];
        at += 1;
    }
    index.with_rows(rows).with_others()
}

impl Index {
    /// Returns the index with these rows at the places that were counted, the surest first.
    const fn with_rows(self, rows: [ShapeRow; ROWS]) -> Self {
        let mut index = self;
        let mut row;
        let (mut free, mut sure) = (index.first, Sure::Certain as u8 + 1);
        while sure > 0 {
            (sure, row) = (sure - 1, 0);
            while row < ROWS {
                if rows[row].sure as u8 == sure {
                    let place = rows[row].place();
                    index.rows[free[place] as usize] = rows[row];
                    free[place] += 1;
                }
                row += 1;
            }
        }
        index
    }

    /// Returns the index with the names of members that identify records of no known agent.
    const fn with_others(self) -> Self {
        let mut index = self;
        let others: [NameList; 15] = [
            api::NAMES,
            unknown::DISCRIMINATORS,
            unknown::ALONGSIDE,
            unknown::UNTYPED_NAMES,
            unknown::CARRIED,
            // An envelope has at least one of these.
            usual::COUNTS,
            envelope::TURNS,
            envelope::DURATIONS,
            envelope::STOPS,
            envelope::LISTS,
            envelope::TURN_IDS,
            envelope::CLAUDE,
            envelope::INVOCATIONS,
            envelope::MODELS,
            envelope::RUN_IDS,
        ];
        let mut table = 0;
        while table < others.len() {
            let mut at = 0;
            while at < others[table].names.len() {
                index.names = index.names.with(others[table].names[at].text, OTHERS);
                at += 1;
            }
            table += 1;
        }
        index
    }
}

/// Returns the place of the rows whose discriminator has the hash `member` and is the string `word`.
const fn place(member: u64, word: &[u8]) -> usize {
    let hash = (member ^ hash(word).rotate_left(u64::BITS / 2)).wrapping_mul(MIXER);
    (hash >> (u64::BITS - PLACES.trailing_zeros())) as usize
}

/// Returns a hash of a word, from its length, its first and its last bytes. It is never 0.
const fn hash(word: &[u8]) -> u64 {
    let (first, last) = match (word.first_chunk(), word.last_chunk()) {
        (Some(first), Some(last)) => (u64::from_le_bytes(*first), u64::from_le_bytes(*last)),
        _ => {
            let (mut bytes, mut at) = (0, 0);
            while at < word.len() {
                bytes = bytes << 8 | word[at] as u64;
                at += 1;
            }
            (bytes, 0)
        }
    };
    (first ^ last.rotate_left(u64::BITS / 2) ^ word.len() as u64).wrapping_mul(MIXER) | 1
}

/// Whether a document may be a record of any agent: a quick check, which is reliable only if it says no. The document
/// need not be indexed then.
pub(crate) fn may_be_read(document: Value<'_>, layout: Option<MarkLayout<'_>>) -> bool {
    match document.kind() {
        Kind::Object => {
            document.may_have_in(&INDEX.names, (INDEX.objects, INDEX.strings), layout) != 0
                || unknown::may_be_step(document)
        }
        // The elements of an array have to be read to decide.
        Kind::Array => true,
        _ => false,
    }
}

/// Whether a record is certainly that agent's. This is true of most records of a stream, which then need not be
/// compared with the shapes of all agents.
pub(in crate::dialect) fn is_certainly(record: &Object<'_>, agent: Agent) -> bool {
    let [first, end] = [agent.index(), agent.index() + 1].map(|at| INDEX.first_certain[at]);
    let shapes = INDEX.certain.get(first..end).unwrap_or_default();
    let mut shapes = shapes.iter().flatten();
    shapes.any(|shape| record.may_have_all(shape.outline) && shape.fits(record, 0))
}

/// The agents that may have written a record.
#[derive(Debug, Clone, Copy, Default)]
pub(in crate::dialect) struct Claims {
    /// For each agent the row of its surest shape that the record has, plus one; 0 if none.
    rows: [u16; Agent::ALL.len()],
    /// The bits of the agents with a shape that is [`Sure::Certain`].
    certain: u32,
}

impl Claims {
    /// Returns the agents that may have written `record`.
    pub(in crate::dialect) fn of(record: &Object<'_>) -> Self {
        let mut claims = Self::default();
        let mut left = record.may_have(&INDEX.names) & !OTHERS;
        while left != 0 {
            let member = left.trailing_zeros();
            left &= left - 1;
            let Some(value) = record.get_named(INDEX.members[member as usize].name) else {
                continue;
            };
            if let Some(word) = value.word().filter(|word| !word.is_empty()) {
                claims.look(record, member, &word);
            }
            claims.look(record, member, b"");
        }
        claims
    }

    /// Checks the rows whose discriminator is the member of bit `member` and the string `word`, or anything if it is
    /// empty.
    fn look(&mut self, record: &Object<'_>, member: u32, word: &[u8]) {
        let place = place(INDEX.members[member as usize].hash, word);
        let (first, end) = (INDEX.first[place], INDEX.first[place + 1]);
        let rows = INDEX.rows.get(usize::from(first)..usize::from(end));
        for (row, number) in rows.unwrap_or_default().iter().zip(first + 1..) {
            if record.may_have_all(row.shape.outline)
                && self.sure(row.agent) < Some(row.sure)
                && row.fits(record, member, word)
            {
                self.rows[row.agent.index()] = number;
                self.certain |= u32::from(row.sure == Sure::Certain) << row.agent.index();
            }
        }
    }

    /// Returns how certain it is that the record is `agent`'s; `None` if it has none of the agent's shapes.
    pub(in crate::dialect) fn sure(&self, agent: Agent) -> Option<Sure> {
        sure_of(self.rows.get(agent.index()).copied().unwrap_or_default())
    }

    /// Returns the agents that may have written the record, how certain each is, and the row, in the registry's order.
    pub(in crate::dialect) fn all(&self) -> impl Iterator<Item = (Agent, Sure, u16)> {
        let one = |agent: Agent| (agent, self.rows[agent.index()]);
        let all = Agent::ALL.into_iter().map(one);
        all.filter_map(|(agent, row)| Some((agent, sure_of(row)?, row)))
    }

    /// Returns the bits of the agents that may have written the record; none if it is certainly one agent's.
    pub(in crate::dialect) fn possible(&self) -> u32 {
        let bits = self.all().map(|(agent, ..)| 1 << agent.index());
        match self.certain {
            0 => bits.sum(),
            _ => 0,
        }
    }

    /// Returns the first agent whose record it certainly is.
    pub(in crate::dialect) fn certain(&self) -> Option<Agent> {
        let first = self.certain.trailing_zeros() as usize;
        Agent::ALL.get(first).copied()
    }

    /// Returns the first agent that opens a session with the record, after the session of another agent has ended.
    pub(in crate::dialect) fn likely(&self) -> Option<Agent> {
        let mut all = self.all();
        let mut likely = || all.find(|(_, sure, _)| *sure >= Sure::Likely);
        self.certain().or_else(|| Some(likely()?.0))
    }
}

/// Returns how certain the row of that number (1-based) is; `None` for 0.
fn sure_of(number: u16) -> Option<Sure> {
    let row = usize::from(number).checked_sub(1)?;
    Some(INDEX.rows.get(row)?.sure)
}

#[cfg(test)]
mod tests {
    use super::{Claims, INDEX, PLACES, ROWS, RecordShape, Sure, may_be_read};
    use crate::dialect::Agent;
    use jsift_json::view::{Object, Value};

    fn object(json: &str) -> Object<'_> {
        Object::new(Value::new(json.as_bytes())).unwrap()
    }

    #[test]
    fn each_word_of_a_shape_has_to_hold() {
        let fits = |words, json: &str| RecordShape::new(Sure::Fits, words).fits(&object(json), 0);
        for (words, yes, no) in [
            ("a", r#"{"a":null}"#, r#"{"b":1}"#),
            ("!a", r#"{"a":null}"#, r#"{"a":0}"#),
            ("a=x", r#"{"a":"x"}"#, r#"{"a":"xy"}"#),
            ("a=x|y", r#"{"a":"y"}"#, r#"{"a":"x|y"}"#),
            ("a^=x", r#"{"a":"xy"}"#, r#"{"a":"yx"}"#),
            ("a^=x|y", r#"{"a":"yx"}"#, r#"{"a":"zx"}"#),
            ("a:string", r#"{"a":""}"#, r#"{"a":[]}"#),
            ("a:list", r#"{"a":[{}]}"#, r#"{"a":[1]}"#),
            ("a:Name", r#"{"a":"Error"}"#, r#"{"a":"error"}"#),
            ("a only:a,b", r#"{"a":1,"b":2}"#, r#"{"a":1,"c":2}"#),
            (
                "a.b.c:number",
                r#"{"a":{"b":{"c":1}}}"#,
                r#"{"a":{"b":{"d":1}}}"#,
            ),
            ("a b", r#"{"b":1,"a":1}"#, r#"{"b":1}"#),
        ] {
            assert!(fits(words, yes), "{words}: {yes}");
            assert!(!fits(words, no), "{words}: {no}");
        }
    }

    #[test]
    fn every_line_of_every_table_is_found_by_its_discriminator() {
        assert_eq!(usize::from(INDEX.first[PLACES]), ROWS);
        for (place, ends) in INDEX.first.windows(2).enumerate() {
            for row in &INDEX.rows[usize::from(ends[0])..usize::from(ends[1])] {
                assert_eq!(row.place(), place);
            }
        }
    }

    #[test]
    fn the_surest_shape_counts_whatever_its_place_in_the_table() {
        let sure = |json: &str, agent| Claims::of(&object(json)).sure(agent);
        let result = r#"{"type":"result","status":"success","stats":{"total_tokens":1}}"#;
        assert_eq!(sure(result, Agent::Gemini), Some(Sure::Certain));
        let result = r#"{"type":"result","status":"success"}"#;
        assert_eq!(sure(result, Agent::Gemini), Some(Sure::Doubtful));
        assert_eq!(sure(result, Agent::Kimi), None);
        // Escapes mean the same names and words.
        let result = "{\"t\\u0079pe\":\"resul\\u0074\",\"status\":\"success\"}";
        assert_eq!(sure(result, Agent::Gemini), Some(Sure::Doubtful));
        assert!(!may_be_read(Value::new(br#"{"a":1}"#), None));
    }
}
