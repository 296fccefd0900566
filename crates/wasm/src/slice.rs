//! How long the engine works without a break.

use std::ops::ControlFlow;

use csanmt::Error;

use crate::Failure;

/// Between two looks at the clock is one decoder step, so that a slice is at most this and one
/// step longer.
const SLICE_MS: f64 = 30.0;

/// Calls `advance` with an observer that breaks off when the time is over; whether it came to its
/// end.
pub(crate) fn run(
    advance: impl FnOnce(&mut dyn FnMut() -> ControlFlow<()>) -> Result<(), Error>,
) -> Result<bool, Failure> {
    let end = js_sys::Date::now() + SLICE_MS;
    let mut observe = || match js_sys::Date::now() < end {
        true => ControlFlow::Continue(()),
        false => ControlFlow::Break(()),
    };
    match advance(&mut observe) {
        Ok(()) => Ok(true),
        Err(Error::Cancelled) => Ok(false),
        Err(error) => Err(error.into()),
    }
}
