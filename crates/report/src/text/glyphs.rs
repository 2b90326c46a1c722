//! Signs and tree lines, in Unicode and in ASCII.

use crate::view::Standing;

/// One set of signs.
pub struct Glyphs {
    /// Before a layer that others follow at the same height, and before the last one.
    pub tee: &'static str,
    pub corner: &'static str,
    /// Below those, before the layer's own lines.
    pub bar: &'static str,
    pub gap: &'static str,
    /// Marks of [`Standing`].
    on: &'static str,
    crosses: &'static str,
    off: &'static str,
    unknown: &'static str,
    moot: &'static str,
    /// Before a grid that a layer brings.
    pub grid: &'static str,
    /// Between facts of one line.
    pub dot: &'static str,
    /// For what was cut out.
    pub ellipsis: &'static str,
    /// For a rule across the page.
    pub rule: &'static str,
}

static UNICODE: Glyphs = Glyphs {
    tee: "├─ ",
    corner: "└─ ",
    bar: "│  ",
    gap: "   ",
    on: "✓",
    crosses: "!",
    off: "✗",
    unknown: "?",
    moot: "·",
    grid: "▦",
    dot: " · ",
    ellipsis: "…",
    rule: "─",
};

static ASCII: Glyphs = Glyphs {
    tee: "|- ",
    corner: "`- ",
    bar: "|  ",
    gap: "   ",
    on: "+",
    crosses: "!",
    off: "X",
    unknown: "?",
    moot: ".",
    grid: "#",
    dot: " - ",
    ellipsis: "...",
    rule: "-",
};

impl Glyphs {
    pub const fn of(ascii: bool) -> &'static Self {
        if ascii { &ASCII } else { &UNICODE }
    }

    pub const fn mark(&self, standing: Standing) -> &'static str {
        match standing {
            Standing::On => self.on,
            Standing::Crosses => self.crosses,
            Standing::Off => self.off,
            Standing::Unknown => self.unknown,
            Standing::Slight | Standing::Moot => self.moot,
        }
    }
}
