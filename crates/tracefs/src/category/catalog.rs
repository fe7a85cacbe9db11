//! All categories that there are on a device.

use std::fs;
use std::path::Path;

use super::{Category, Event, Origin, Support, builtin, own, vendor};
use crate::error::CategoryError;
use crate::{Error, Properties, Tracefs};

/// All categories: Android's, the device maker's, the user's.
#[derive(Clone, Debug)]
pub struct Catalog {
    categories: Vec<Category>,
}

/// A line of the list of categories.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// The category's name.
    pub name: String,
    /// What people read behind it.
    pub title: String,
}

impl Catalog {
    /// Android's categories and no others.
    pub fn built_in() -> Self {
        Self {
            categories: builtin::categories(),
        }
    }

    /// Android's categories, and the maker's where this is a device that has some.
    ///
    /// # Errors
    /// If the maker's file is malformed.
    pub fn of_device() -> Result<Self, Error> {
        let mut catalog = Self::built_in();
        let path = Path::new(vendor::FILE);
        if let Ok(text) = fs::read_to_string(path) {
            catalog.add_vendor(&text).map_err(wrong(path))?;
        }
        Ok(catalog)
    }

    fn add_vendor(&mut self, text: &str) -> Result<(), String> {
        self.categories.extend(vendor::parse(text)?);
        Ok(())
    }

    /// Adds the `[[category]]` tables of a file.
    ///
    /// # Errors
    /// If the file cannot be read, a table is wrong, or its name is taken.
    pub fn add_file(&mut self, path: &Path) -> Result<(), Error> {
        let text = fs::read_to_string(path).map_err(|error| error.to_string());
        let added = text.and_then(|text| self.add_own(&text));
        added.map_err(wrong(path))
    }

    /// Adds the `[[category]]` tables of a text.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn add_own(&mut self, text: &str) -> Result<(), String> {
        for category in own::parse(text)? {
            let name = &category.name;
            if self.categories.iter().any(|known| known.name == *name) {
                return Err(format!(
                    "[[category]] \"{name}\": there is a category of this name"
                ));
            }
            self.categories.push(category);
        }
        Ok(())
    }

    /// Those of `names` that can be recorded here, and what is wrong with the others.
    pub fn choose(
        &self,
        names: &[String],
        tree: &dyn Tracefs,
        properties: &dyn Properties,
    ) -> (Vec<Category>, Vec<CategoryError>) {
        let (mut chosen, mut errors) = (Vec::new(), Vec::new());
        for name in names {
            match self.find(name, tree, properties) {
                Ok(found) => chosen.extend(found.into_iter().cloned()),
                Err(error) => errors.push(error),
            }
        }
        (chosen, errors)
    }

    /// A vendor may add to a category of Android's: then both are meant.
    fn find(
        &self,
        name: &str,
        tree: &dyn Tracefs,
        properties: &dyn Properties,
    ) -> Result<Vec<&Category>, CategoryError> {
        let of_name = || self.categories.iter().filter(|known| known.name == name);
        let first = of_name()
            .next()
            .ok_or_else(|| CategoryError::Unknown(name.to_owned()))?;
        match first.support(tree, properties) {
            Support::Yes => Ok(of_name().collect()),
            Support::NeedsRoot => Err(CategoryError::NeedsRoot(name.to_owned())),
            Support::No => Err(CategoryError::Unsupported(name.to_owned())),
        }
    }

    /// What can be recorded here, as `--list_categories` shows it.
    pub fn listed(&self, tree: &dyn Tracefs, properties: &dyn Properties) -> Vec<Listed> {
        let supported = |category: &&Category| category.support(tree, properties) == Support::Yes;
        let categories = self.categories.iter().filter(supported);
        let listed = |category: &Category| Listed {
            name: category.name.clone(),
            title: match category.origin {
                Origin::Vendor => "(VENDOR)".to_owned(),
                _ => category.title.clone(),
            },
        };
        categories.map(listed).collect()
    }

    /// All categories, in the order of the list.
    pub fn categories(&self) -> &[Category] {
        &self.categories
    }

    /// Every event that some category has.
    pub fn events(&self) -> impl Iterator<Item = &Event> {
        self.categories.iter().flat_map(|category| &category.events)
    }
}

fn wrong(path: &Path) -> impl FnOnce(String) -> Error {
    let path = path.to_path_buf();
    move |reason| Error::Categories { path, reason }
}
