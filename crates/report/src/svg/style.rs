//! Colours and hatching. Blue and vermilion of Okabe and Ito can be distinguished with any colour
//! vision.

use super::pen::Pen;

/// Style sheet of the pictures; all classes begin with `ia`.
pub const STYLE: &str = include_str!("style.css");

/// Hatching for blocks that are touched in part. `prefix` keeps ids apart in a page.
pub fn patterns(pen: &mut Pen, prefix: &str) {
    pen.open("defs", &[]);
    pen.open(
        "pattern",
        &[
            ("id", &format!("{prefix}-hatch")),
            ("width", "7"),
            ("height", "7"),
            ("patternUnits", "userSpaceOnUse"),
            ("patternTransform", "rotate(45)"),
        ],
    );
    pen.line((0.0, 0.0), (0.0, 7.0), "ia-hatch");
    pen.close("pattern");
    pen.close("defs");
}
