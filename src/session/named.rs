//! A map that keeps the order in which its names came.

use std::collections::HashMap;

use crate::json::text::Text;

/// Values by name, in the order of their first mention.
#[derive(Debug, Clone)]
pub struct Named<T> {
    values: Vec<(Text<'static>, T)>,
    places: HashMap<Text<'static>, usize>,
}

impl<T> Default for Named<T> {
    fn default() -> Self {
        Self {
            values: Vec::new(),
            places: HashMap::new(),
        }
    }
}

impl<T: Default> Named<T> {
    /// The value of that name; a default one is put in if there is none.
    pub fn entry(&mut self, name: &Text<'_>) -> &mut T {
        let place = match self.places.get(name.as_bytes()) {
            Some(place) => *place,
            None => {
                let name = name.clone().into_owned();
                self.places.insert(name.clone(), self.values.len());
                self.values.push((name, T::default()));
                self.values.len() - 1
            }
        };
        &mut self.values[place].1
    }
}

impl<T> Named<T> {
    /// The value of that name.
    pub fn get_mut(&mut self, name: &Text<'_>) -> Option<&mut T> {
        let place = *self.places.get(name.as_bytes())?;
        self.values.get_mut(place).map(|(_, value)| value)
    }

    /// Names and values.
    pub fn iter(&self) -> impl Iterator<Item = (&Text<'static>, &T)> {
        self.values.iter().map(|(name, value)| (name, value))
    }

    /// The number of names.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether there is no name.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.values.is_empty()
    }
}
