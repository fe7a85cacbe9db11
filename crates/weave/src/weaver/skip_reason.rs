//! Why a method was not woven.

use std::fmt;

use crate::class::ClassError;

/// The reason why a method stays as it was.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum SkipReason {
    /// It has no code.
    Abstract,
    /// Its code is native.
    Native,
    /// A rule excludes it, or none includes it.
    Rule,
    /// It only returns.
    Empty,
    /// It only reads or writes one field.
    Accessor,
    /// It only calls one other method.
    SingleCall,
    /// It calls nothing.
    Leaf,
    /// It has fewer instructions than the minimum.
    Short,
    /// Its class is the one that woven code calls, which would recurse forever.
    CallTarget,
    /// It was woven before, with the same call.
    Woven,
    /// The woven code would have more than 65,535 bytes.
    TooLarge,
    /// The class has no room for more constants.
    PoolFull,
    /// A jump would not reach its target, and there is no place for a trampoline.
    JumpTooFar,
    /// It is a constructor, and it is unclear where it calls the superclass constructor.
    SuperCall,
    /// The method violates the specification.
    Broken(ClassError),
}

impl SkipReason {
    /// The name in reports.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Abstract => "abstract",
            Self::Native => "native",
            Self::Rule => "rule",
            Self::Empty => "empty",
            Self::Accessor => "accessor",
            Self::SingleCall => "single-call",
            Self::Leaf => "leaf",
            Self::Short => "short",
            Self::CallTarget => "call-target",
            Self::Woven => "woven",
            Self::TooLarge => "too-large",
            Self::PoolFull => "pool-full",
            Self::JumpTooFar => "jump-too-far",
            Self::SuperCall => "super-call",
            Self::Broken(_) => "broken",
        }
    }

    /// Whether this is a failure: the rules chose the method, but it could not be woven.
    pub fn is_failure(&self) -> bool {
        matches!(
            self,
            Self::TooLarge | Self::PoolFull | Self::JumpTooFar | Self::SuperCall | Self::Broken(_)
        )
    }
}

impl From<ClassError> for SkipReason {
    fn from(error: ClassError) -> Self {
        match error {
            ClassError::PoolFull => Self::PoolFull,
            error => Self::Broken(error),
        }
    }
}

impl fmt::Display for SkipReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Abstract => "it has no code",
            Self::Native => "its code is native",
            Self::Rule => "a rule excludes it",
            Self::Empty => "it does nothing",
            Self::Accessor => "it only reads or writes a field",
            Self::SingleCall => "it only calls one other method",
            Self::Leaf => "it calls nothing",
            Self::Short => "it has few instructions",
            Self::CallTarget => "woven code calls its class",
            Self::Woven => "it is already woven",
            Self::TooLarge => "it would have more than 65,535 bytes of code",
            Self::PoolFull => "its class has no room for more constants",
            Self::JumpTooFar => "a jump would not reach its target",
            Self::SuperCall => "it is unclear where it calls the superclass constructor",
            Self::Broken(error) => return error.fmt(f),
        })
    }
}
