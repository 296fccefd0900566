//! The translator for JavaScript: a thin skin over `csanmt`.
//!
//! The order of calls is [`ModelBuffer`] (filled while the model file downloads), [`Engine`], then
//! for every text a [`Request`], and for it or its parts a [`Job`] that is stepped until it is
//! done. Stepping keeps the caller in charge: a worker looks at its message queue between two
//! steps, so a newer text or a cancellation is noticed within some hundredths of a second and one
//! decoder step.
//!
//! Every error that reaches JavaScript is an `Error` with a `code`, see [`Failure`].

mod detect;
mod document;
mod engine;
mod failure;
mod job;
mod model_buffer;
mod options;
mod request;
mod slice;
mod translation;
mod units;
mod utf16;

pub use detect::detect_languages;
pub use document::{read_document, write_document};
pub use engine::Engine;
pub use failure::Failure;
pub use job::Job;
pub use model_buffer::ModelBuffer;
pub use request::Request;
pub use units::{LongUnit, UnitsJob};

use csanmt::{Kernels, self_test};
use wasm_bindgen::prelude::wasm_bindgen;

/// Runs when the module is instantiated: a panic is written to the console with its place.
#[wasm_bindgen(start)]
pub fn report_panics() {
    console_error_panic_hook::set_once();
}

/// Whether every kernel of this build gives the bits of the scalar ones in this browser.
///
/// It calls nothing of JavaScript, hence can be asked of a module that has no bindings yet: that
/// is how the worker tries the build with relaxed SIMD, whose results are left to the browser.
#[must_use]
#[wasm_bindgen(js_name = kernelsAgree)]
pub fn kernels_agree() -> bool {
    Kernels::available()
        .into_iter()
        .all(|kernels| self_test::run(kernels).is_ok())
}

/// Compares every kernel of this build with the scalar ones, bit for bit, and returns the names of
/// the instruction sets that passed.
///
/// # Errors
/// [`Failure::Kernels`] names the kernel that differs.
#[wasm_bindgen(js_name = selfTest)]
pub fn test_kernels() -> Result<Vec<String>, Failure> {
    Kernels::available()
        .into_iter()
        .map(|kernels| {
            self_test::run(kernels)?;
            Ok(kernels.isa().to_string())
        })
        .collect()
}
