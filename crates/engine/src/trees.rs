//! Cached call trees of the most recently used scopes, and their profiles.

use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use traceloom_analyze::{
    CallTree, FunctionId, GroupBy, Measure, Origin, Profile, ProfileOptions, WholeTree,
};

use traceloom_analyze::timeline::Timeline;
use traceloom_trace::Trace;

use crate::scope::Scope;

/// The maximum number of trees in the cache.
const MOST_TREES: usize = 8;

/// The maximum number of nodes of all cached trees, 32 to 56 bytes each. The most recent tree is
/// cached whatever its size.
const MOST_NODES: usize = 4 << 20;

/// The first NameId for functions that a transform made.
const FIRST_MADE: u32 = 0xf000_0000;

/// The trees of some scopes, most recently used first, and the tree of everything, from which they are narrowed.
#[derive(Debug, Default)]
pub(crate) struct Trees {
    whole: Mutex<Arc<OnceLock<WholeTree>>>,
    cached: Mutex<Vec<(Scope, Arc<OnceLock<ScopeTree>>)>>,
}

/// A scope's tree.
pub(crate) struct ScopeTree {
    pub tree: Arc<CallTree>,
    profiles: Mutex<Vec<Arc<Ranking>>>,
}

/// A profile of a tree, and the names of its rows.
pub(crate) struct Ranking {
    pub profile: Profile,
    /// The NameId of each row; `u32::MAX` for rows without one, which are classes, packages and
    /// threads.
    pub names: Vec<u32>,
}

impl std::fmt::Debug for ScopeTree {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "ScopeTree of {} nodes", self.tree.nodes.len())
    }
}

/// Locks `mutex`. The data behind these locks is always complete, so a poisoned lock can still be
/// used.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Trees {
    /// The tree of a scope, computed at its first question. Other threads that need it wait until it is
    /// computed.
    pub fn tree_for_scope(
        &self,
        trace: &Trace,
        timeline: &Timeline,
        scope: &Scope,
    ) -> Arc<OnceLock<ScopeTree>> {
        let cell = {
            let mut cached = lock(&self.cached);
            let cell = match cached.iter().position(|(cached, _)| cached == scope) {
                Some(at) => cached.remove(at).1,
                None => Arc::default(),
            };
            cached.insert(0, (scope.clone(), Arc::clone(&cell)));
            cell
        };
        cell.get_or_init(|| ScopeTree::new(self.tree(trace, timeline, scope)));
        self.forget_old();
        cell
    }

    /// The tree of a scope, with its transforms.
    fn tree(&self, trace: &Trace, timeline: &Timeline, scope: &Scope) -> Arc<CallTree> {
        let untransformed = Scope {
            transforms: Vec::new(),
            ..scope.clone()
        };
        let tree = self.narrowed(trace, timeline, &untransformed);
        let transforms = scope.transforms.iter();
        transforms.fold(tree, |tree, transform| {
            Arc::new(tree.transformed(transform))
        })
    }

    /// Narrows the tree of everything, which is computed at the first question, to a scope without transforms.
    fn narrowed(&self, trace: &Trace, timeline: &Timeline, scope: &Scope) -> Arc<CallTree> {
        let whole = Arc::clone(&lock(&self.whole));
        let whole = whole.get_or_init(|| WholeTree::new(trace));
        if *scope == Scope::default() {
            return Arc::clone(&whole.tree);
        }
        let tracks = scope.tracks(trace);
        Arc::new(whole.narrowed(trace, timeline, scope.range, tracks.as_deref()))
    }

    /// Drops the tree of the least recently used scope. If only the most recent scope is left,
    /// drops the tree of everything. Returns false if there is nothing else to drop.
    pub fn forget_oldest(&self) -> bool {
        let mut cached = lock(&self.cached);
        if cached.len() > 1 {
            return cached.pop().is_some();
        }
        if std::mem::take(&mut *lock(&self.whole)).get().is_some() {
            return true;
        }
        false
    }

    fn forget_old(&self) {
        let mut nodes = 0;
        let mut place = 0;
        lock(&self.cached).retain(|(_, cell)| {
            nodes += cell.get().map_or(0, |made| made.tree.nodes.len());
            place += 1;
            place == 1 || (place <= MOST_TREES && nodes <= MOST_NODES)
        });
    }
}

impl ScopeTree {
    fn new(tree: Arc<CallTree>) -> Self {
        Self {
            tree,
            profiles: Mutex::default(),
        }
    }

    /// The profile grouped by `by` and ranked by `clock`.
    pub fn ranking(&self, timeline: &Timeline, by: GroupBy, clock: Measure) -> Arc<Ranking> {
        let mut profiles = lock(&self.profiles);
        let is_wanted = |one: &&Arc<Ranking>| one.profile.by == by && one.profile.clock() == clock;
        if let Some(found) = profiles.iter().find(is_wanted) {
            return Arc::clone(found);
        }
        let made = Arc::new(Ranking::new(timeline, &self.tree, by, clock));
        profiles.push(Arc::clone(&made));
        made
    }
}

impl Ranking {
    fn new(timeline: &Timeline, tree: &CallTree, by: GroupBy, clock: Measure) -> Self {
        let profile = Profile::new(tree, &ProfileOptions { by, clock });
        let mut names = vec![u32::MAX; profile.rows.len()];
        if by == GroupBy::Method {
            for (function, origin) in tree.origins.iter().enumerate() {
                let function = FunctionId(function as u32);
                if let Some(row) = profile.row_of_function(function) {
                    names[row] = name_of(timeline, *origin);
                }
            }
            // Functions that a transform made are in no table.
            for function in tree.origins.len()..tree.functions.len() {
                let function = FunctionId(function as u32);
                if let Some(row) = profile.row_of_function(function) {
                    names[row] = FIRST_MADE + function.0;
                }
            }
        }
        Self { profile, names }
    }
}

/// The NameId of a function.
fn name_of(timeline: &Timeline, origin: Origin) -> u32 {
    let names = &timeline.names;
    match origin {
        Origin::Name(name) => names.of_text(name).0,
        Origin::Method(method) => names.of_method(method).0,
    }
}
