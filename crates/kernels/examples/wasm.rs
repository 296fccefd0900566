//! The self-test and a product to be timed, for a WebAssembly engine without any glue:
//!
//! ```text
//! cargo build --release -p csanmt-kernels --example wasm --target wasm32-unknown-unknown
//! node crates/kernels/examples/wasm.mjs target/wasm32-unknown-unknown/release/examples/wasm.wasm
//! ```
#![allow(unsafe_code)]

use std::cell::RefCell;

use csanmt_kernels::{
    Attention, AttentionScratch, Epilogue, Isa, Kernels, PackedWeights, QuantizedRows, Rows,
    self_test,
};

/// 0 if every available instruction set gives the results it gives everywhere, else 1 + the place of
/// the first that does not.
#[unsafe(no_mangle)]
pub extern "C" fn check() -> i32 {
    let failed = Kernels::available()
        .into_iter()
        .position(|kernels| self_test::run(kernels).is_err());
    failed.map_or(0, |place| place as i32 + 1)
}

/// The place of the detected instruction set in `Isa::ALL`.
#[unsafe(no_mangle)]
pub extern "C" fn detected() -> i32 {
    Isa::ALL
        .iter()
        .position(|&isa| isa == Kernels::detect().isa())
        .map_or(-1, |place| place as i32)
}

/// One product's operands.
#[derive(Default)]
struct Product {
    data: Vec<i8>,
    n: usize,
    k: usize,
    scale: Vec<f32>,
    colsum: Vec<i32>,
    a: QuantizedRows,
    out: Vec<f32>,
}

thread_local! {
    static PRODUCT: RefCell<Product> = RefCell::default();
}

fn numbers(count: usize) -> Vec<f32> {
    (0..count)
        .map(|i| (i * 7919 % 1000) as f32 / 500.0 - 1.0)
        .collect()
}

/// Makes the operands of a product for [`multiply`].
#[unsafe(no_mangle)]
pub extern "C" fn prepare(m: usize, k: usize, n: usize) {
    PRODUCT.with_borrow_mut(|product| {
        let data = (0..PackedWeights::packed_len(n, k))
            .map(|i| ((i * 7919 % 255) as u8 as i8).max(-127))
            .collect();
        let mut a = QuantizedRows::default();
        Kernels::detect().quantize_rows(&numbers(m * k), k, &mut a);
        let out = vec![0.0; m * n];
        *product = Product {
            data,
            n,
            k,
            scale: vec![0.01; n],
            colsum: vec![3; n],
            a,
            out,
        };
    });
}

/// Multiplies `times` times what [`prepare`] made.
#[unsafe(no_mangle)]
pub extern "C" fn multiply(times: u32) -> f32 {
    PRODUCT.with_borrow_mut(|product| {
        let Product {
            data,
            n,
            k,
            scale,
            colsum,
            a,
            out,
        } = product;
        for _ in 0..times {
            if let Ok(w) = PackedWeights::new(data, *n, *k, scale, colsum) {
                Kernels::detect().linear_i8(a, w, Epilogue::Store { bias: None }, out);
            }
        }
        out.iter().sum()
    })
}

/// `times` self-attentions of a sentence of `rows` rows, 8 heads of 64 columns.
#[unsafe(no_mangle)]
pub extern "C" fn attend(rows: usize, times: u32) -> f32 {
    let x = numbers(rows * 512);
    let rows_of = Rows::Range {
        start: 0,
        len: rows,
    };
    let attention = Attention {
        heads: 8,
        keys: &x,
        values: &x,
        stride: 512,
        head_stride: 64,
        rows: rows_of,
        valid: None,
        relative: None,
    };
    let (mut scratch, mut out) = (AttentionScratch::default(), vec![0.0; rows * 512]);
    for _ in 0..times {
        Kernels::detect().attend_rows(&x, 512, 512, 0, &attention, &mut scratch, &mut out);
    }
    out.iter().sum()
}
