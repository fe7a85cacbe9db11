//! The steps of a build.

use std::path::{Path, PathBuf};

use rayon::prelude::*;
use sha2::{Digest, Sha256};

use super::cache::{Cache, Key};
use super::error::BuildError;
use super::output::{Output, WovenClass, plain_options};
use super::report::{Failure, Report};
use super::source::{ClassFileUnit, Inputs};
use super::target::Target;
use crate::class::ClassError;
use crate::map::{Ids, MethodMap};
use crate::rules::{Choices, Rules};
use crate::weaver::{Call, Plan, SkipReason, weave_class};

/// Version of the weaver's output. Change it whenever woven bytes change, so that old cache entries are not used.
const WEAVER_VERSION: &[u8] = b"traceloom weave 1";

/// Maximum length of a section name, in `char`s of a Java string. `android.os.Trace` throws if it is longer.
const MAX_SECTION_NAME: usize = 127;

/// Options of a build.
#[derive(Clone, Debug)]
pub struct Build {
    /// The methods that woven code calls.
    pub call: Call,
    /// Pass class and method to `String` parameters if they are short enough, instead of the id.
    pub full_names: bool,
    /// Which methods to weave.
    pub rules: Rules,
    /// An earlier map, whose ids are kept.
    pub base: Option<MethodMap>,
    /// Number of threads; `None` for one per core.
    pub threads: Option<usize>,
    /// Path of the cache of woven classes.
    pub cache: Option<PathBuf>,
}

impl Build {
    /// The defaults: all methods, with the platform's own sections (`android.os.Trace`).
    pub fn new() -> Self {
        Self {
            call: Call::section(),
            full_names: false,
            rules: Rules::default(),
            base: None,
            threads: None,
            cache: None,
        }
    }

    /// Weaves `inputs` (folders, jars, aars, zips, class files) and writes `output`: an archive if its name ends like
    /// one, else a folder.
    ///
    /// # Errors
    /// If an input cannot be read or the output cannot be written. A class or method that cannot be woven is copied
    /// unchanged and listed in the report.
    pub fn run(
        &self,
        inputs: &[PathBuf],
        output: &Path,
    ) -> Result<(Report, MethodMap), BuildError> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(self.threads.unwrap_or(0));
        let pool = pool
            .build()
            .map_err(|error| BuildError::Threads(error.to_string()))?;
        let mut read = Inputs::default();
        let sources = inputs
            .iter()
            .map(|path| read.read(path))
            .collect::<Result<Vec<_>, _>>()?;
        let target = Target::choose(&sources, output)?;
        target.check(&sources)?;
        let classes = read.classes;
        let (plans, map) = self.plan(&classes, &pool)?;
        if !self.rules.include.is_empty() && !is_any_included(&plans) {
            return Err(BuildError::NothingIncluded);
        }
        let cache = self.cache.as_deref().map(Cache::open);
        let woven = pool.install(|| self.weave(&classes, &plans, cache.as_ref()));
        let mut report = report(&classes, &plans, &woven);
        let (results, cache) = into_cache(&classes, woven, cache)?;
        let mut out = Output {
            results: &results,
            cache,
            unsigned: Vec::new(),
            duplicates: Vec::new(),
        };
        out.write(&sources, &target)?;
        (report.unsigned, report.duplicates) = (out.unsigned, out.duplicates);
        Ok((report, map))
    }

    /// Decides what to do with every method.
    fn plan(
        &self,
        classes: &[ClassFileUnit],
        pool: &rayon::ThreadPool,
    ) -> Result<(Vec<ClassPlan>, MethodMap), BuildError> {
        let choose = |class: &ClassFileUnit| self.rules.choose(&class.bytes, &self.call);
        let choices: Vec<_> = pool.install(|| classes.par_iter().map(choose).collect());
        let mut ids = Ids::new(self.base.as_ref(), self.call.to_text());
        let plans = choices.into_iter().map(|choices| match choices {
            Ok(choices) => self.plan_class(choices, &mut ids).map(Ok),
            Err(error) => Ok(Err(error)),
        });
        let plans = plans.collect::<Result<_, _>>()?;
        Ok((plans, ids.into_map()))
    }

    fn plan_class(&self, choices: Choices, ids: &mut Ids) -> Result<Planned, BuildError> {
        let mut plans = Vec::with_capacity(choices.methods.len());
        for method in &choices.methods {
            if method.skipped.is_some() {
                plans.push(Plan::Leave);
                continue;
            }
            let id = ids.id(
                method.access,
                &choices.class,
                &method.name,
                &method.descriptor,
            );
            let id = id.ok_or(BuildError::NoIds)?;
            let text = self.text(id, &choices.class, &method.name);
            plans.push(Plan::Weave { id, text });
        }
        Ok(Planned { choices, plans })
    }

    fn text(&self, id: u32, class: &str, name: &str) -> String {
        let full_name = self.full_names.then(|| format!("{class}.{name}"));
        let fits = |name: &String| name.encode_utf16().count() <= MAX_SECTION_NAME;
        full_name.filter(fits).unwrap_or_else(|| id.to_string())
    }

    fn weave(
        &self,
        classes: &[ClassFileUnit],
        plans: &[ClassPlan],
        cache: Option<&Cache>,
    ) -> Vec<Woven> {
        let pairs = classes.par_iter().zip(plans);
        let weave = |(class, plan): (&ClassFileUnit, &ClassPlan)| match plan {
            Ok(plan) => self.weave_one(class, plan, cache),
            Err(_) => Woven::default(),
        };
        pairs.map(weave).collect()
    }

    fn weave_one(&self, class: &ClassFileUnit, plan: &Planned, cache: Option<&Cache>) -> Woven {
        let key = cache.map(|_| self.key(class, &plan.plans));
        if let (Some(cache), Some(key)) = (cache, key)
            && cache.has(&key)
        {
            return Woven {
                key: Some(key),
                ..Woven::default()
            };
        }
        match weave_class(&class.bytes, &self.call, |number| {
            plan.plans[number].clone()
        }) {
            // Do not cache a class with failures, so that the next build reports them again.
            Ok(woven) => Woven {
                key: key.filter(|_| woven.bytes.is_some() && woven.skipped.is_empty()),
                bytes: woven.bytes,
                skipped: woven.skipped,
            },
            // Cannot happen: the class was read before, for the plan.
            Err(_) => Woven::default(),
        }
    }

    fn key(&self, class: &ClassFileUnit, plans: &[Plan]) -> Key {
        let mut hash = Sha256::new();
        hash.update(WEAVER_VERSION);
        hash.update(format!("{:?} {plans:?}", self.call));
        class.hash_into(&mut hash);
        hash.finalize().into()
    }
}

impl Default for Build {
    fn default() -> Self {
        Self::new()
    }
}

/// Whether the rules allow any method, even if it cannot be woven.
fn is_any_included(plans: &[ClassPlan]) -> bool {
    let methods = plans
        .iter()
        .flatten()
        .flat_map(|plan| &plan.choices.methods);
    let mut reasons = methods.map(|method| method.skipped.as_ref());
    reasons.any(|why| {
        !matches!(
            why,
            Some(SkipReason::Rule | SkipReason::Abstract | SkipReason::Native)
        )
    })
}

type ClassPlan = Result<Planned, ClassError>;

/// A class, the choice of its methods, and the plan for each of them.
#[derive(Debug)]
struct Planned {
    choices: Choices,
    plans: Vec<Plan>,
}

/// The result for a class. If it has a key but no bytes, the class is in the cache.
#[derive(Debug, Default)]
struct Woven {
    key: Option<Key>,
    bytes: Option<Vec<u8>>,
    skipped: Vec<(usize, SkipReason)>,
}

impl Woven {
    fn is_cached(&self) -> bool {
        self.key.is_some() && self.bytes.is_none()
    }

    fn is_woven(&self) -> bool {
        self.key.is_some() || self.bytes.is_some()
    }
}

fn report(classes: &[ClassFileUnit], plans: &[ClassPlan], woven: &[Woven]) -> Report {
    let mut report = Report {
        classes: classes.len(),
        ..Report::default()
    };
    for ((class, plan), woven) in classes.iter().zip(plans).zip(woven) {
        let before = class.bytes.len() as u64;
        if !woven.is_cached() {
            report.bytes_before += before;
            report.bytes_after += woven
                .bytes
                .as_ref()
                .map_or(before, |bytes| bytes.len() as u64);
        }
        report.woven_classes += usize::from(woven.is_woven());
        report.cached_classes += usize::from(woven.is_cached());
        match plan {
            Ok(plan) => count_methods(&mut report, class, plan, woven),
            Err(error) => report
                .unreadable
                .push((class.place.clone(), error.to_string())),
        }
    }
    report
}

fn count_methods(report: &mut Report, class: &ClassFileUnit, plan: &Planned, woven: &Woven) {
    let methods = &plan.choices.methods;
    report.methods += methods.len();
    report.woven_methods += methods.len() - woven.skipped.len();
    for why in methods.iter().filter_map(|method| method.skipped.as_ref()) {
        report.count(why);
        report.woven_methods -= 1;
    }
    for (number, why) in &woven.skipped {
        report.count(why);
        if why.is_failure() {
            let method = &methods[*number];
            let (name, descriptor) = (&method.name, &method.descriptor);
            report.failures.push(Failure {
                method: format!("{}.{name}{descriptor}", plan.choices.class),
                place: class.place.clone(),
                why: why.clone(),
            });
        }
    }
}

/// Adds the woven classes to the cache, if there is one.
fn into_cache(
    classes: &[ClassFileUnit],
    woven: Vec<Woven>,
    cache: Option<Cache>,
) -> Result<(Vec<WovenClass>, Option<zip::ZipArchive<std::fs::File>>), BuildError> {
    let Some(cache) = cache else {
        let results = woven.into_iter().map(|woven| match woven.bytes {
            Some(bytes) => WovenClass::Bytes(bytes),
            None => WovenClass::Same,
        });
        return Ok((results.collect(), None));
    };
    let pairs = classes.iter().zip(&woven);
    let wanted = pairs.filter_map(|(class, woven)| {
        let options = class.options.unwrap_or_else(plain_options);
        Some((woven.key?, woven.bytes.as_deref(), options))
    });
    let (zip, numbers) = cache.renew(wanted)?;
    let results = woven
        .into_iter()
        .map(|woven| match (woven.key, woven.bytes) {
            (Some(key), _) => WovenClass::Cached(numbers[&key]),
            (None, Some(bytes)) => WovenClass::Bytes(bytes),
            (None, None) => WovenClass::Same,
        });
    Ok((results.collect(), Some(zip)))
}
