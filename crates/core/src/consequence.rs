//! What a move or a conversion means for boot and contents, beside the data that it moves.

use serde::Serialize;

/// How much a consequence matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Weight {
    /// Done with the move, or worth knowing.
    Told,
    /// Something must be done by hand afterwards, or boot fails.
    Warned,
    /// The move would break what is there: it is refused unless the operator accepts that.
    Refused,
}

/// What a move means for boot or contents.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Consequence {
    /// The partition that it is about, if it is about one.
    pub partition: Option<u32>,
    /// How much it matters.
    pub weight: Weight,
    /// What is so, in one sentence.
    pub what: String,
    /// What to do about it, if anything.
    pub advice: Option<String>,
}

impl Consequence {
    const fn new(weight: Weight, partition: Option<u32>, what: String) -> Self {
        Self {
            partition,
            weight,
            what,
            advice: None,
        }
    }

    /// Worth knowing.
    pub fn stated(partition: Option<u32>, what: impl Into<String>) -> Self {
        Self::new(Weight::Told, partition, what.into())
    }

    /// To be mended by hand.
    pub fn warned(partition: Option<u32>, what: impl Into<String>) -> Self {
        Self::new(Weight::Warned, partition, what.into())
    }

    /// Not to be done.
    pub fn refused(partition: Option<u32>, what: impl Into<String>) -> Self {
        Self::new(Weight::Refused, partition, what.into())
    }

    /// With what to do about it.
    #[must_use]
    pub fn advised(mut self, advice: impl Into<String>) -> Self {
        self.advice = Some(advice.into());
        self
    }
}
