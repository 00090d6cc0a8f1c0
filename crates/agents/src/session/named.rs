//! A map that keeps its names in the order of insertion.

use std::collections::HashMap;

use jsift_json::text::Text;

/// How many names are kept apart: more than agents have tools or a run writes files.
pub const NAMES: usize = 10_000;
/// How many bytes all names together may have.
pub const NAMES_BYTES: usize = 1 << 20;
/// Up to this many names are searched one by one; most sessions have no more.
const FEW: usize = 8;
/// The name that all names over the limits share.
const OTHERS: &str = "\u{2026}";

/// Values by name, in the order of their first mention. Names over the limits share one value.
#[derive(Debug, Clone, Default)]
pub struct Named<T> {
    values: Vec<(Text<'static>, T)>,
    /// The total length of all names, in bytes.
    weight: usize,
    /// The places of all names, if there are more than [`FEW`].
    places: HashMap<Text<'static>, usize>,
}

impl<T: Default> Named<T> {
    /// Returns the value of a name, inserting a default value if there is none.
    pub fn entry(&mut self, name: &Text<'_>) -> &mut T {
        &mut self.named_entry(name).1
    }

    /// Returns the value of a name together with its key, inserting a default value if there is none. If there are too
    /// many names, the key is an ellipsis, which all further names share.
    pub fn named_entry(&mut self, name: &Text<'_>) -> &mut (Text<'static>, T) {
        let room = self.values.len() < NAMES && self.weight + name.len() <= NAMES_BYTES;
        let place = match self.place(name) {
            Some(place) => place,
            None if room => self.add(name.to_shared()),
            None => {
                let others = Text::from(OTHERS);
                self.place(&others).unwrap_or_else(|| self.add(others))
            }
        };
        &mut self.values[place]
    }

    fn add(&mut self, name: Text<'static>) -> usize {
        self.weight += name.len();
        self.values.push((name, T::default()));
        let indexed = self.places.len();
        if self.values.len() > FEW {
            let new = self.values.iter().enumerate().skip(indexed);
            self.places
                .extend(new.map(|(place, (name, _))| (name.clone(), place)));
        }
        self.values.len() - 1
    }
}

impl<T> Named<T> {
    fn place(&self, name: &Text<'_>) -> Option<usize> {
        if self.values.len() > FEW {
            return self.places.get(name.as_bytes()).copied();
        }
        let name = name.as_bytes();
        let is_named = |(other, _): &(Text<'_>, T)| other.as_bytes() == name;
        self.values.iter().position(is_named)
    }

    /// Returns the value of a name.
    pub fn get_mut(&mut self, name: &Text<'_>) -> Option<&mut T> {
        let place = self.place(name)?;
        self.values.get_mut(place).map(|(_, value)| value)
    }

    /// Returns names and values, in order.
    pub fn iter(&self) -> impl Iterator<Item = (&Text<'static>, &T)> {
        self.values.iter().map(|(name, value)| (name, value))
    }

    /// Returns the number of bytes that names and values take.
    #[must_use]
    pub const fn weight(&self) -> usize {
        2 * self.weight + self.values.len() * size_of::<(Text<'_>, T)>()
    }

    /// Returns the number of names.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.values.len()
    }

    /// Returns whether there are no names.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.values.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::{NAMES, NAMES_BYTES, Named, OTHERS};
    use jsift_json::text::Text;

    #[test]
    fn names_beyond_the_limits_share_a_value() {
        let mut named = Named::<u64>::default();
        for number in 0..2 * NAMES {
            *named.entry(&Text::from(number.to_string())) += 1;
        }
        assert_eq!(named.len(), NAMES + 1);
        let others = named.get_mut(&Text::from(OTHERS)).copied();
        assert_eq!(others, Some(NAMES as u64));
        assert_eq!(
            named.iter().map(|(_, count)| count).sum::<u64>(),
            2 * NAMES as u64
        );

        let mut named = Named::<u64>::default();
        for byte in ["a", "b", "c"] {
            *named.entry(&Text::from(byte.repeat(NAMES_BYTES / 2))) += 1;
        }
        assert_eq!(named.len(), 3);
        assert!(named.weight() < 3 * NAMES_BYTES);
    }
}
