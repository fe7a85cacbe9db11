//! Why a method was not woven.

use std::fmt;

use crate::class::ClassError;

/// The reason why a method stays as it was.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum LeftOut {
    /// It has no code.
    Abstract,
    /// Its code is in another language.
    Native,
    /// A rule excludes it, or none includes it.
    Rule,
    /// It does nothing but return.
    Empty,
    /// It reads or writes one field and does nothing else.
    Accessor,
    /// It calls one other method and does nothing else.
    SingleCall,
    /// It calls nothing.
    Leaf,
    /// It has fewer instructions than were asked for.
    Short,
    /// The class is the one that woven code calls, which would call itself without end.
    CallTarget,
    /// With the calls it would have more than 65,535 bytes of code.
    TooLarge,
    /// The class has no room for more constants.
    PoolFull,
    /// A jump would have to reach further than it can, and there is no place to help it.
    JumpTooFar,
    /// Where the constructor calls that of its superclass is not clear.
    SuperCall,
    /// The method is not as the specification says.
    Broken(ClassError),
}

impl LeftOut {
    /// The name in reports, a word or two.
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
            Self::TooLarge => "too-large",
            Self::PoolFull => "pool-full",
            Self::JumpTooFar => "jump-too-far",
            Self::SuperCall => "super-call",
            Self::Broken(_) => "broken",
        }
    }

    /// Whether somebody should look at it: the method was wanted, and could not be woven.
    pub fn is_failure(&self) -> bool {
        matches!(
            self,
            Self::TooLarge | Self::PoolFull | Self::JumpTooFar | Self::SuperCall | Self::Broken(_)
        )
    }
}

impl From<ClassError> for LeftOut {
    fn from(error: ClassError) -> Self {
        match error {
            ClassError::PoolFull => Self::PoolFull,
            error => Self::Broken(error),
        }
    }
}

impl fmt::Display for LeftOut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Abstract => "it has no code",
            Self::Native => "its code is native",
            Self::Rule => "a rule leaves it out",
            Self::Empty => "it does nothing",
            Self::Accessor => "it only reads or writes a field",
            Self::SingleCall => "it only calls one other method",
            Self::Leaf => "it calls nothing",
            Self::Short => "it has few instructions",
            Self::CallTarget => "it is what woven code calls",
            Self::TooLarge => "it would have more than 65,535 bytes of code",
            Self::PoolFull => "its class has no room for more constants",
            Self::JumpTooFar => "a jump would not reach its target",
            Self::SuperCall => "where it calls its superclass's constructor is not clear",
            Self::Broken(error) => return error.fmt(f),
        })
    }
}
