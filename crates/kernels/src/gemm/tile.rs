//! From a tile's run-time shape to code with fixed numbers of rows and panels.

/// `tile_shapes!(rows, panels, function, (arguments), [R x P, ...])` calls `function::<R, P>` for
/// the listed shapes.
macro_rules! tile_shapes {
    ($rows:expr, $panels:expr, $function:ident, $arguments:tt, [$($r:literal x $p:literal),* $(,)?]) => {
        match ($rows, $panels) {
            $(($r, $p) => $function::<$r, $p> $arguments,)*
            (rows, panels) => unreachable!("tile of {rows} rows and {panels} panels"),
        }
    };
}
pub(crate) use tile_shapes;
