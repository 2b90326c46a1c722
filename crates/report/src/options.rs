//! How the operator wants it shown.

/// How much is said.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verbosity {
    /// The verdict line only.
    Quiet,
    /// The stack, the findings, a few telling numbers.
    #[default]
    Normal,
    /// Every layer on every grid, every cost row.
    Verbose,
}

/// Choices that change the look and never the content of JSON.
#[derive(Copy, Clone, Debug)]
pub struct RenderOptions {
    /// Columns of the terminal; text never goes past them. At least [`RenderOptions::NARROWEST`].
    pub width: usize,
    /// Colour by ANSI escapes.
    pub color: bool,
    /// Only ASCII: no tree lines, marks or signs beyond it.
    pub ascii: bool,
    /// How much is said.
    pub verbosity: Verbosity,
    /// At most this many rows in the table of many targets.
    pub max_rows: usize,
}

impl RenderOptions {
    /// Below this width text is set as if the terminal had this many columns.
    pub const NARROWEST: usize = 40;

    /// Whether only the verdict is wanted.
    pub const fn quiet(&self) -> bool {
        matches!(self.verbosity, Verbosity::Quiet)
    }

    /// Whether everything is wanted.
    pub const fn verbose(&self) -> bool {
        matches!(self.verbosity, Verbosity::Verbose)
    }
}

impl Default for RenderOptions {
    fn default() -> Self {
        Self {
            width: 80,
            color: false,
            ascii: false,
            verbosity: Verbosity::Normal,
            max_rows: 25,
        }
    }
}
