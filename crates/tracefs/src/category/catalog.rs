//! All categories of a device.

use std::fs;
use std::path::Path;

use super::definition::{Category, Event, Origin, Support};
use super::{builtin, user, vendor};
use crate::error::CategoryError;
use crate::{Error, Properties, Tracefs};

/// All categories: Android's, the device vendor's and the user's.
#[derive(Clone, Debug)]
pub struct Catalog {
    categories: Vec<Category>,
}

/// An entry of the list of categories.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// The category's name.
    pub name: String,
    /// Its description.
    pub title: String,
}

impl Catalog {
    /// Android's categories.
    pub fn built_in() -> Self {
        Self {
            categories: builtin::categories(),
        }
    }

    /// Android's categories and those of this device's vendor.
    ///
    /// # Errors
    /// [`Error::Categories`] if the vendor's file is malformed.
    pub fn for_device() -> Result<Self, Error> {
        let mut catalog = Self::built_in();
        let path = Path::new(vendor::FILE);
        if let Ok(text) = fs::read_to_string(path) {
            let added = vendor::parse(&text).map_err(invalid_file(path))?;
            catalog.categories.extend(added);
        }
        Ok(catalog)
    }

    /// Adds the `[[category]]` tables of a file.
    ///
    /// # Errors
    /// [`Error::Categories`] if the file cannot be read, a table is invalid, or a name is taken.
    pub fn add_file(&mut self, path: &Path) -> Result<(), Error> {
        let text = fs::read_to_string(path).map_err(|error| error.to_string());
        let added = text.and_then(|text| self.add_toml(&text));
        added.map_err(invalid_file(path))
    }

    /// Adds the `[[category]]` tables of a text.
    ///
    /// # Errors
    /// The reason, if a table is invalid or a name is taken.
    pub fn add_toml(&mut self, text: &str) -> Result<(), String> {
        for category in user::parse(text)? {
            let name = &category.name;
            if self.categories.iter().any(|other| other.name == *name) {
                return Err(format!(
                    "[[category]] \"{name}\": this name is already taken"
                ));
            }
            self.categories.push(category);
        }
        Ok(())
    }

    /// The categories in `names` that can be recorded here, and errors for the others.
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

    /// The categories of a name: a vendor may extend one of Android's.
    fn find(
        &self,
        name: &str,
        tree: &dyn Tracefs,
        properties: &dyn Properties,
    ) -> Result<Vec<&Category>, CategoryError> {
        let with_name = || {
            let categories = self.categories.iter();
            categories.filter(|category| category.name == name)
        };
        let first = with_name()
            .next()
            .ok_or_else(|| CategoryError::Unknown(name.to_owned()))?;
        match first.support(tree, properties) {
            Support::Yes => Ok(with_name().collect()),
            Support::NeedsRoot => Err(CategoryError::NeedsRoot(name.to_owned())),
            Support::No => Err(CategoryError::Unsupported(name.to_owned())),
        }
    }

    /// The categories that can be recorded here, for `--list_categories`.
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

    /// All categories, in the order of `--list_categories`.
    pub fn categories(&self) -> &[Category] {
        &self.categories
    }

    /// The events of all categories.
    pub fn events(&self) -> impl Iterator<Item = &Event> {
        self.categories.iter().flat_map(|category| &category.events)
    }
}

fn invalid_file(path: &Path) -> impl FnOnce(String) -> Error {
    let path = path.to_path_buf();
    move |reason| Error::Categories { path, reason }
}
