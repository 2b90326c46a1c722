//! The judgement: grids below each data layer, findings above.
