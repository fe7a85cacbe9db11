//! The C expressions that print formats use.

/// An expression over the fields of an event.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Expr {
    Int(i64),
    Text(Vec<u8>),
    /// The event's field with this index.
    Field(usize),
    /// A number truncated to this many bytes, signed or unsigned.
    Cast(u8, bool, Box<Self>),
    Not(Box<Self>),
    Invert(Box<Self>),
    Binary(Operator, Box<[Self; 2]>),
    /// Condition, then, else.
    Choice(Box<[Self; 3]>),
    /// `__print_symbolic`: the name of a number.
    Symbol(Box<Self>, Names),
    /// `__print_flags`: the names of a number's bits, and the separator.
    Flags(Box<Self>, Vec<u8>, Names),
}

/// Numbers and their names.
pub(crate) type Names = Vec<(i64, Vec<u8>)>;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Operator {
    Or,
    And,
    BitOr,
    BitXor,
    BitAnd,
    Equal,
    NotEqual,
    LessEqual,
    GreaterEqual,
    ShiftLeft,
    ShiftRight,
    Less,
    Greater,
    Plus,
    Minus,
    Times,
    Divide,
    Rest,
}

impl Expr {
    /// Calls `see` for each field that the expression uses.
    pub fn fields(&self, see: &mut impl FnMut(usize)) {
        match self {
            Self::Int(_) | Self::Text(_) => {}
            Self::Field(index) => see(*index),
            Self::Cast(_, _, inner)
            | Self::Not(inner)
            | Self::Invert(inner)
            | Self::Symbol(inner, _)
            | Self::Flags(inner, _, _) => inner.fields(see),
            Self::Binary(_, sides) => sides.iter().for_each(|side| side.fields(see)),
            Self::Choice(parts) => parts.iter().for_each(|part| part.fields(see)),
        }
    }

    /// The cost of evaluation: the number of parts and names.
    pub fn cost(&self) -> usize {
        1 + match self {
            Self::Int(_) | Self::Text(_) | Self::Field(_) => 0,
            Self::Cast(_, _, inner) | Self::Not(inner) | Self::Invert(inner) => inner.cost(),
            Self::Symbol(inner, names) | Self::Flags(inner, _, names) => inner.cost() + names.len(),
            Self::Binary(_, sides) => sides.iter().map(Self::cost).sum(),
            Self::Choice(parts) => parts.iter().map(Self::cost).sum(),
        }
    }

    /// The value of a constant expression.
    pub fn constant(&self) -> Option<i64> {
        match self {
            Self::Int(value) => Some(*value),
            _ => None,
        }
    }

    /// Combines two expressions. The result is computed immediately if both are numbers.
    pub fn binary(operator: Operator, left: Self, right: Self) -> Self {
        match (left.constant(), right.constant()) {
            (Some(left), Some(right)) => Self::Int(operator.apply(left, right)),
            _ => Self::Binary(operator, Box::new([left, right])),
        }
    }
}

impl Operator {
    /// Applies the operator to two numbers. Results that C leaves undefined are 0.
    pub fn apply(self, left: i64, right: i64) -> i64 {
        use Operator::*;
        match self {
            Or => (left != 0 || right != 0).into(),
            And => (left != 0 && right != 0).into(),
            BitOr => left | right,
            BitXor => left ^ right,
            BitAnd => left & right,
            Equal => (left == right).into(),
            NotEqual => (left != right).into(),
            LessEqual => (left <= right).into(),
            GreaterEqual => (left >= right).into(),
            Less => (left < right).into(),
            Greater => (left > right).into(),
            ShiftLeft => left.checked_shl(right as u32).unwrap_or(0),
            ShiftRight => (left as u64).checked_shr(right as u32).unwrap_or(0) as i64,
            Plus => left.wrapping_add(right),
            Minus => left.wrapping_sub(right),
            Times => left.wrapping_mul(right),
            Divide => left.checked_div(right).unwrap_or(0),
            Rest => left.checked_rem(right).unwrap_or(0),
        }
    }
}

/// Truncates a number to a type of this size in bytes.
pub(crate) fn cut(value: i64, size: u8, signed: bool) -> i64 {
    match (size, signed) {
        (1, true) => i64::from(value as i8),
        (1, false) => i64::from(value as u8),
        (2, true) => i64::from(value as i16),
        (2, false) => i64::from(value as u16),
        (4, true) => i64::from(value as i32),
        (4, false) => i64::from(value as u32),
        _ => value,
    }
}
