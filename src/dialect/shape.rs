//! What the records of the agents look like: a table of shapes for each dialect, and whose a record may be by them.
//!
//! A [`RecordShape`] is written as what it needs, in words that are parted by blanks. The first one is the discriminator, by which
//! the shapes of a record are found at once, however many agents there are.
//!
//! | word | holds where |
//! |---|---|
//! | `name` | there is such a member, be it `null` |
//! | `!name` | there is none, or it is `null` |
//! | `name=word` | it is that string |
//! | `name^=begin` | it is a string that begins so |
//! | `name:string` | it is of that sort: `string`, `object`, `array`, `number`; `list` is an array of objects |
//! | `name:Name` | it is a string that begins with a capital |
//! | `only:a,b` | the record has no other members |
//!
//! A name may be a path, `message.usage.total_tokens`. Members that only date, name or number a record (time stamps, ids,
//! versions) stand in no shape that must be recognised, only in those that are [surer](Sure) for them.

use super::{Agent, api, stranger};
use crate::json::string::same_word;
use crate::json::tape::MarkLayout;
use crate::json::view::{Bits, Kind, Name, NamedText, Names, Object, Outline, Value};

/// How sure a record of a shape is its agent's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Sure {
    /// It is none, and those of the agent's shapes that come with it are none: what begins a request or a data set.
    Never,
    /// Only where somebody says that the agent wrote it (`--agent`).
    Believed,
    /// Only behind records that are known to be the agent's: what a record of an unknown type looks like.
    Fits,
    /// Others write such records, too: one that fits has to stand beside it.
    Doubtful,
    /// It opens a session. It may be another agent's that looks the same, which its marks tell then.
    Likely,
    /// It can be no other's: it opens a session even where another agent's goes on.
    Certain,
}

/// What one sort of records looks like.
#[derive(Debug)]
pub struct RecordShape {
    sure: Sure,
    needs: [Need; NEEDS],
    count: usize,
    /// The names that a record of it has: of most shapes a record is told by them to have none.
    outline: Outline,
}

/// How many words a shape has at most.
const NEEDS: usize = 6;
/// How long a path is at most.
const DEPTH: usize = 3;

/// One word of a shape.
#[derive(Debug, Clone, Copy)]
struct Need {
    path: [NamedText; DEPTH],
    depth: usize,
    test: Test,
}

#[derive(Debug, Clone, Copy)]
enum Test {
    Present,
    Missing,
    Is(&'static str),
    Begins(&'static str),
    Kind(Kind),
    /// An array of objects.
    List,
    /// A string that begins with a capital.
    Name,
    /// The names of all members that the record may have.
    Only(&'static str, Outline),
}

impl RecordShape {
    /// The shape that these words describe. One that is not well-formed does not compile.
    pub(super) const fn new(sure: Sure, words: &'static str) -> Self {
        let none = Need::new("");
        let (mut needs, mut count, mut rest) = ([none; NEEDS], 0, Some(words));
        let mut outline = Outline::NONE;
        while let Some(words) = rest {
            let (word, behind) = cut(words, b' ');
            assert!(count < NEEDS, "a shape has too many words");
            let need = Need::new(word);
            if !matches!(need.test, Test::Missing | Test::Only(..)) {
                outline = outline.with(need.path[0]);
            }
            needs[count] = need;
            (count, rest) = (count + 1, behind);
        }
        Self {
            sure,
            needs,
            count,
            outline,
        }
    }

    /// Whether a record has it, of which it is known that it meets so many of the words.
    #[inline(never)]
    fn fits(&self, record: &Object<'_>, met: usize) -> bool {
        let needs = self.needs.get(met..self.count).unwrap_or_default();
        needs.iter().all(|need| need.is_met(record))
    }

    /// By what member its records are told, and by what it says; empty if by anything.
    const fn discriminator(&self) -> (&'static str, &'static str) {
        let Need { path, depth, test } = self.needs[0];
        match test {
            Test::Is(word) if depth == 1 => (path[0].text(), word),
            _ => (path[0].text(), ""),
        }
    }

    /// Whether the member by which its records are told has to be an object, and whether it has to be a string.
    const fn is_told_by(&self) -> (bool, bool) {
        let Need { depth, test, .. } = self.needs[0];
        let string = matches!(
            test,
            Test::Is(_) | Test::Begins(_) | Test::Name | Test::Kind(Kind::String)
        );
        let object = depth > 1 || matches!(test, Test::Kind(Kind::Object));
        (object, depth == 1 && string)
    }
}

/// Writes one line of a table.
macro_rules! lines {
    ($($name:ident $sure:ident;)*) => {$(
        #[doc = concat!("A shape whose records are [`Sure::", stringify!($sure), "`].")]
        pub(super) const fn $name(words: &'static str) -> RecordShape {
            RecordShape::new(Sure::$sure, words)
        }
    )*};
}
lines! {
    never Never;
    believed Believed;
    fits Fits;
    doubtful Doubtful;
    likely Likely;
    certain Certain;
}

impl Need {
    const fn new(word: &'static str) -> Self {
        let bytes = word.as_bytes();
        let (path, test) = match bytes {
            [b'!', ..] => (tail(word, 1), Test::Missing),
            [b'o', b'n', b'l', b'y', b':', ..] => ("", Test::only(tail(word, 5))),
            _ => match (cut(word, b'='), cut(word, b':')) {
                ((name, Some(said)), _) => match name.as_bytes() {
                    [.., b'^'] => (cut(name, b'^').0, Test::Begins(said)),
                    _ => (name, Test::Is(said)),
                },
                (_, (name, Some(sort))) => (name, Test::sort(sort)),
                _ => (word, Test::Present),
            },
        };
        let (mut names, mut depth, mut rest) = ([NamedText::new(""); DEPTH], 0, Some(path));
        while let Some(path) = rest {
            let (name, behind) = cut(path, b'.');
            names[depth] = NamedText::new(name);
            (depth, rest) = (depth + 1, behind);
        }
        Self {
            path: names,
            depth,
            test,
        }
    }

    fn is_met(&self, record: &Object<'_>) -> bool {
        if let Test::Only(names, outline) = self.test {
            return !record.has_beyond(outline) && has_only(record, names);
        }
        let [first, inner @ ..] = &self.path;
        let mut value = record.get_named(*first);
        for name in inner.iter().take(self.depth - 1) {
            value = value.and_then(|value| value.get(name.text()));
        }
        let Some(value) = value else {
            return matches!(self.test, Test::Missing);
        };
        match self.test {
            Test::Present | Test::Only(..) => true,
            Test::Missing => value.is_null(),
            Test::Is(word) => value.is_word(word),
            Test::Begins(begin) => value
                .word()
                .is_some_and(|word| word.starts_with(begin.as_bytes())),
            Test::Kind(kind) => value.kind() == kind,
            Test::List => {
                let first = value.elements().next();
                first.is_some_and(|first| first.kind() == Kind::Object)
            }
            Test::Name => {
                let word = value.word().unwrap_or_default();
                word.first().is_some_and(u8::is_ascii_uppercase)
            }
        }
    }
}

impl Test {
    const fn only(names: &'static str) -> Self {
        let (mut outline, mut rest) = (Outline::NONE, Some(names));
        while let Some(left) = rest {
            let (name, behind) = cut(left, b',');
            (outline, rest) = (outline.with(NamedText::new(name)), behind);
        }
        Self::Only(names, outline)
    }

    const fn sort(sort: &str) -> Self {
        match sort.as_bytes() {
            b"string" => Self::Kind(Kind::String),
            b"object" => Self::Kind(Kind::Object),
            b"array" => Self::Kind(Kind::Array),
            b"number" => Self::Kind(Kind::Number),
            b"list" => Self::List,
            b"Name" => Self::Name,
            _ => panic!("there is no such sort of values"),
        }
    }
}

/// Whether a record has no members but those.
#[inline(never)]
fn has_only(record: &Object<'_>, names: &str) -> bool {
    let known = |name: &str| names.split(',').any(|known| known == name);
    let mut members = record.members();
    members.all(|(key, _)| known(&key.text().to_string_lossy()))
}

/// What stands before a byte, and what stands behind it if it is there.
const fn cut(text: &'static str, byte: u8) -> (&'static str, Option<&'static str>) {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        if bytes[at] == byte {
            return (utf8(bytes.split_at(at).0), Some(tail(text, at + 1)));
        }
        at += 1;
    }
    (text, None)
}

/// What stands behind so many bytes.
const fn tail(text: &'static str, at: usize) -> &'static str {
    utf8(text.as_bytes().split_at(at).1)
}

const fn utf8(bytes: &[u8]) -> &str {
    match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(_) => panic!("shapes are written in ASCII"),
    }
}

/// A line of all tables together.
#[derive(Clone, Copy)]
struct ShapeRow {
    sure: Sure,
    agent: Agent,
    /// The bit of the member by which its records are told.
    member: u32,
    /// What that says; empty if anything.
    word: &'static str,
    shape: &'static RecordShape,
}

impl ShapeRow {
    const fn new(agent: Agent, shape: &'static RecordShape) -> Self {
        Self {
            sure: shape.sure,
            agent,
            member: 0,
            word: shape.discriminator().1,
            shape,
        }
    }

    /// Where it is looked for.
    const fn place(&self) -> usize {
        let (member, word) = self.shape.discriminator();
        place(hash(member.as_bytes()), word.as_bytes())
    }

    /// Whether a record has it of which the member of that bit says `word`, or anything if that is empty.
    #[inline]
    fn fits(&self, record: &Object<'_>, member: u32, word: &[u8]) -> bool {
        // Others may have the same place.
        let is_told = self.member == member && same_word(self.word.as_bytes(), word);
        is_told && self.shape.fits(record, usize::from(!word.is_empty()))
    }
}

/// How many lines there are.
const ROWS: usize = {
    let (mut rows, mut at) = (0, 0);
    while at < Agent::ALL.len() {
        rows += Agent::ALL[at].entry().shapes.len();
        at += 1;
    }
    rows
};
/// In how many places lines are looked for, a power of two.
const PLACES: usize = 512;
/// A number that mixes (FNV-1a's offset).
const MIXER: u64 = 0xcbf2_9ce4_8422_2325;
/// How many members tell records at most: each has a bit.
const MEMBERS: usize = 31;
/// The bit of members that tell what is no agent's: responses of APIs, records of strangers.
const OTHERS: u32 = 1 << MEMBERS;

/// A member that tells records.
#[derive(Clone, Copy)]
struct Member {
    name: NamedText,
    hash: u64,
}

impl Member {
    const fn new(name: &'static str) -> Self {
        Self {
            name: NamedText::new(name),
            hash: hash(name.as_bytes()),
        }
    }
}

/// Leads from a discriminator to the lines of the tables.
struct Index {
    /// Those of one place stand together, the surest first, else in the order of the registry.
    rows: [ShapeRow; ROWS],
    /// The first line of each place.
    first: [u16; PLACES + 1],
    /// The shapes that are certain, those of one agent together.
    certain: [&'static RecordShape; ROWS],
    /// The first of them of each agent.
    first_certain: [usize; Agent::ALL.len() + 1],
    /// The members that tell records.
    members: [Member; MEMBERS],
    /// The same with their bits, for documents and for objects.
    names: Names,
    bits: Bits,
    /// The bits of members that tell only where they are objects: many logs have a `msg` or an `error`.
    objects: u32,
    /// The same where they are strings: many logs have a `status`.
    strings: u32,
}

static INDEX: Index = index();

/// The lines of all tables, in the order of the registry.
const fn lines_of_all() -> [ShapeRow; ROWS] {
    let mut rows = [ShapeRow::new(Agent::ALL[0], &Agent::ALL[0].entry().shapes[0]); ROWS];
    let (mut row, mut at) = (0, 0);
    while at < Agent::ALL.len() {
        let (agent, shapes) = (Agent::ALL[at], Agent::ALL[at].entry().shapes);
        let mut line = 0;
        while line < shapes.len() {
            rows[row] = ShapeRow::new(agent, &shapes[line]);
            (row, line) = (row + 1, line + 1);
        }
        at += 1;
    }
    rows
}

#[expect(clippy::cast_possible_truncation, reason = "there are few lines")]
const fn index() -> Index {
    let mut rows = lines_of_all();
    let none = Member {
        name: NamedText::new(""),
        hash: 0,
    };
    let mut index = Index {
        rows,
        first: [0; PLACES + 1],
        certain: [rows[0].shape; ROWS],
        first_certain: [0; Agent::ALL.len() + 1],
        members: [none; MEMBERS],
        names: Names::NONE,
        bits: Bits::NONE,
        objects: u32::MAX,
        strings: u32::MAX,
    };
    // The member that tells most records is looked at first.
    index.members[0] = Member::new("type");
    let (mut row, mut certain) = (0, 0);
    while row < ROWS {
        let shape = rows[row].shape;
        let (member, _) = shape.discriminator();
        let mut bit = 0;
        while !is_same(index.members[bit].name.text(), member) && index.members[bit].hash != 0 {
            bit += 1;
        }
        index.members[bit] = Member::new(member);
        rows[row].member = bit as u32;
        let bit = 1 << bit;
        index.names = index.names.with(Name::new(member), bit);
        index.bits = index.bits.with(Name::new(member), bit);
        let (object, string) = shape.is_told_by();
        if !object {
            index.objects &= !bit;
        }
        if !string {
            index.strings &= !bit;
        }
        if matches!(rows[row].sure, Sure::Certain) {
            index.certain[certain] = shape;
            certain += 1;
        }
        index.first_certain[rows[row].agent as usize + 1] = certain;
        // How many there are before the next place.
        index.first[rows[row].place() + 1] += 1;
        row += 1;
    }
    let mut at = 0;
    while at < PLACES {
        index.first[at + 1] += index.first[at];
        at += 1;
    }
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
    let others = [api::NAMES, stranger::NAMES];
    let mut at = 0;
    while at < others[0].len() + others[1].len() {
        let name = match at < others[0].len() {
            true => others[0][at],
            false => others[1][at - others[0].len()],
        };
        index.names = index.names.with(name, OTHERS);
        index.bits = index.bits.with(name, OTHERS);
        at += 1;
    }
    index.objects &= !OTHERS;
    index.strings &= !OTHERS;
    index
}

const fn is_same(one: &str, other: &str) -> bool {
    let (one, other) = (one.as_bytes(), other.as_bytes());
    let mut at = 0;
    while at < one.len() && at < other.len() && one[at] == other[at] {
        at += 1;
    }
    at == one.len() && at == other.len()
}

/// Where the lines are looked for whose discriminator says that.
const fn place(member: u64, word: &[u8]) -> usize {
    let hash = (member ^ hash(word).rotate_left(u64::BITS / 2)).wrapping_mul(MIXER);
    (hash >> (u64::BITS - PLACES.trailing_zeros())) as usize
}

/// A number for a word, by its length and its first and last bytes. It is never 0.
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

/// Whether a document may be anybody's: a quick look, which is right where it says no. What holds a document that is none
/// saves the index of it.
pub(crate) fn may_be_read(document: Value<'_>, layout: Option<MarkLayout<'_>>) -> bool {
    match document.kind() {
        Kind::Object => {
            document.may_have_in(&INDEX.names, (INDEX.objects, INDEX.strings), layout) != 0
        }
        // Its elements tell.
        Kind::Array => true,
        _ => false,
    }
}

/// Whether a record certainly is that agent's: most of those of a stream are, which need not be held against the shapes of
/// all agents.
pub(super) fn is_certainly(record: &Object<'_>, agent: Agent) -> bool {
    let [first, end] = [agent as usize, agent as usize + 1].map(|at| INDEX.first_certain[at]);
    let shapes = INDEX.certain.get(first..end).unwrap_or_default();
    let mut likely = shapes
        .iter()
        .filter(|shape| record.may_have_all(shape.outline));
    likely.any(|shape| shape.fits(record, 0))
}

/// Who may have written a record.
#[derive(Debug, Clone, Copy)]
pub(super) struct Claims {
    /// For each agent the line of its surest shape that the record has, plus one; 0 if none.
    rows: [u16; Agent::ALL.len()],
    /// The bits of the agents that it certainly is of.
    certain: u32,
    /// Nobody may have written it, as its names tell.
    nobodys: bool,
}

impl Claims {
    /// Who may have written that record.
    pub(super) fn of(record: &Object<'_>) -> Self {
        let bits = record.may_have(&INDEX.bits);
        let mut claims = Self {
            rows: [0; Agent::ALL.len()],
            certain: 0,
            nobodys: bits == 0,
        };
        let mut left = bits & !OTHERS;
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

    /// Looks at the lines of the discriminator that says `word`, or anything if that is empty.
    fn look(&mut self, record: &Object<'_>, member: u32, word: &[u8]) {
        let place = place(INDEX.members[member as usize].hash, word);
        let (first, end) = (INDEX.first[place], INDEX.first[place + 1]);
        let rows = INDEX.rows.get(usize::from(first)..usize::from(end));
        for (row, number) in rows.unwrap_or_default().iter().zip(first + 1..) {
            if record.may_have_all(row.shape.outline)
                && self.sure(row.agent) < Some(row.sure)
                && row.fits(record, member, word)
            {
                self.rows[row.agent as usize] = number;
                self.certain |= u32::from(row.sure == Sure::Certain) << row.agent as u32;
            }
        }
    }

    /// How sure it is that agent's.
    pub(super) fn sure(&self, agent: Agent) -> Option<Sure> {
        sure_of(self.rows[agent as usize])
    }

    /// The agents that claim it, with how sure and by which line, in the registry's order.
    pub(super) fn all(&self) -> impl Iterator<Item = (Agent, Sure, u16)> {
        let one = |agent: Agent| (agent, self.rows[agent as usize]);
        let all = Agent::ALL.into_iter().map(one);
        all.filter_map(|(agent, row)| Some((agent, sure_of(row)?, row)))
    }

    /// The first agent that it certainly is of.
    pub(super) fn certain(&self) -> Option<Agent> {
        Agent::ALL
            .get(self.certain.trailing_zeros() as usize)
            .copied()
    }

    /// The first agent that opens a session with it, where another's has ended.
    pub(super) fn likely(&self) -> Option<Agent> {
        let mut all = self.all();
        let mut likely = || all.find(|(_, sure, _)| *sure >= Sure::Likely);
        self.certain().or_else(|| Some(likely()?.0))
    }

    /// Leaves an agent out of account.
    pub(super) const fn drop(&mut self, agent: Agent) {
        self.rows[agent as usize] = 0;
        self.certain &= !(1 << agent as u32);
    }

    /// Whether it may be a response of an API, or a stranger's.
    pub(super) const fn may_be_others(&self) -> bool {
        !self.nobodys
    }
}

/// How sure the line of that number is.
fn sure_of(number: u16) -> Option<Sure> {
    let row = usize::from(number).checked_sub(1)?;
    Some(INDEX.rows.get(row)?.sure)
}

#[cfg(test)]
mod tests {
    use super::{Claims, INDEX, PLACES, ROWS, RecordShape, Sure, may_be_read};
    use crate::dialect::Agent;
    use crate::json::view::{Object, Value};

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
            ("a^=x", r#"{"a":"xy"}"#, r#"{"a":"yx"}"#),
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
        // Escapes stand for the same names and words.
        let result = "{\"t\\u0079pe\":\"resul\\u0074\",\"status\":\"success\"}";
        assert_eq!(sure(result, Agent::Gemini), Some(Sure::Doubtful));
        assert!(!may_be_read(Value::new(br#"{"a":1}"#), None));
    }
}
