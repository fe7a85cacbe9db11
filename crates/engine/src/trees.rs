//! Call trees of the scopes asked for lately, and their profiles.

use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

#[cfg(target_family = "wasm")]
use traceloom_analyze::TreeOptions;
#[cfg(not(target_family = "wasm"))]
use traceloom_analyze::WholeTree;
use traceloom_analyze::{CallTree, FunctionId, GroupBy, Measure, Origin, Profile, ProfileOptions};

use crate::engine::Engine;
use crate::scope::Scope;

/// Trees that are kept at most.
const KEPT: usize = 8;

/// Nodes of all trees that are kept at most (the newest is kept whatever it holds): 32 to 56 bytes each.
const KEPT_NODES: usize = 4 << 20;

/// The trees of some scopes, newest first, and the tree of everything, which they are made from.
#[derive(Debug, Default)]
pub(crate) struct Trees {
    #[cfg(not(target_family = "wasm"))]
    whole: Mutex<Arc<OnceLock<WholeTree>>>,
    kept: Mutex<Vec<(Scope, Arc<OnceLock<ScopeTree>>)>>,
}

/// A scope's tree.
pub(crate) struct ScopeTree {
    pub tree: Arc<CallTree>,
    profiles: Mutex<Vec<Arc<Ranking>>>,
}

/// A profile of a tree, and the names of its rows.
pub(crate) struct Ranking {
    pub profile: Profile,
    /// The NameId of each row; `u32::MAX` for classes, packages and threads.
    pub names: Vec<u32>,
}

impl std::fmt::Debug for ScopeTree {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "ScopeTree of {} nodes", self.tree.nodes.len())
    }
}

/// What a lock guards here is whole at any time, so one that a panic left behind is as good.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Trees {
    /// The tree of a scope; made at the first question. Others that ask for it meanwhile wait.
    pub fn of(&self, engine: &Engine, scope: &Scope) -> Arc<OnceLock<ScopeTree>> {
        let cell = {
            let mut kept = lock(&self.kept);
            let cell = match kept.iter().position(|(known, _)| known == scope) {
                Some(at) => kept.remove(at).1,
                None => Arc::default(),
            };
            kept.insert(0, (scope.clone(), Arc::clone(&cell)));
            cell
        };
        cell.get_or_init(|| ScopeTree::new(self.tree(engine, scope)));
        self.forget_old();
        cell
    }

    /// A report's traces are small enough to be counted anew, and its engine is lighter so.
    #[cfg(target_family = "wasm")]
    fn tree(&self, engine: &Engine, scope: &Scope) -> Arc<CallTree> {
        let options = TreeOptions {
            range: scope.range,
            all_tracks: false,
        };
        let tracks = scope.tracks(&engine.trace);
        Arc::new(CallTree::of_tracks(
            &engine.trace,
            &options,
            tracks.as_deref(),
        ))
    }

    #[cfg(not(target_family = "wasm"))]
    fn tree(&self, engine: &Engine, scope: &Scope) -> Arc<CallTree> {
        let trace = &engine.trace;
        let whole = Arc::clone(&lock(&self.whole));
        let whole = whole.get_or_init(|| WholeTree::new(trace));
        if *scope == Scope::default() {
            return Arc::clone(&whole.tree);
        }
        let tracks = scope.tracks(trace);
        Arc::new(whole.narrowed(trace, engine.timeline(), scope.range, tracks.as_deref()))
    }

    /// Forgets the scope that was asked for longest ago; of the newest, whose next question is on
    /// its way, what it was made from. False if there is nothing else.
    pub fn forget_oldest(&self) -> bool {
        let mut kept = lock(&self.kept);
        if kept.len() > 1 {
            return kept.pop().is_some();
        }
        #[cfg(not(target_family = "wasm"))]
        if std::mem::take(&mut *lock(&self.whole)).get().is_some() {
            return true;
        }
        false
    }

    fn forget_old(&self) {
        let mut nodes = 0;
        let mut place = 0;
        lock(&self.kept).retain(|(_, cell)| {
            nodes += cell.get().map_or(0, |made| made.tree.nodes.len());
            place += 1;
            place == 1 || (place <= KEPT && nodes <= KEPT_NODES)
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

    /// The profile by `by`, ranked by `clock`.
    pub fn ranking(&self, engine: &Engine, by: GroupBy, clock: Measure) -> Arc<Ranking> {
        let mut known = lock(&self.profiles);
        let is_wanted = |one: &&Arc<Ranking>| one.profile.by == by && one.profile.clock() == clock;
        if let Some(found) = known.iter().find(is_wanted) {
            return Arc::clone(found);
        }
        let made = Arc::new(Ranking::new(engine, &self.tree, by, clock));
        known.push(Arc::clone(&made));
        made
    }
}

impl Ranking {
    fn new(engine: &Engine, tree: &CallTree, by: GroupBy, clock: Measure) -> Self {
        let profile = Profile::new(tree, &ProfileOptions { by, clock });
        let mut names = vec![u32::MAX; profile.rows.len()];
        if by == GroupBy::Method {
            for (function, origin) in tree.origins.iter().enumerate() {
                let function = FunctionId(function as u32);
                if let Some(row) = profile.row_of_function(function) {
                    names[row] = name_of(engine, *origin);
                }
            }
        }
        Self { profile, names }
    }
}

/// The NameId of a function.
fn name_of(engine: &Engine, origin: Origin) -> u32 {
    let names = &engine.timeline().names;
    match origin {
        Origin::Name(name) => names.of_text(name).0,
        Origin::Method(method) => names.of_method(method).0,
    }
}
