//! The model file on its way in.

use std::fmt::Write as _;

use csanmt::AlignedBytes;
use js_sys::Uint8Array;
use sha2::{Digest, Sha256};
use wasm_bindgen::prelude::wasm_bindgen;

use crate::Failure;

/// Room for a model file in WebAssembly memory. Chunks are written straight to their final place
/// as they arrive, so no copy of the whole file ever exists on the JavaScript side.
#[wasm_bindgen]
#[derive(Debug)]
pub struct ModelBuffer {
    bytes: AlignedBytes,
    filled: usize,
    hash: Option<Sha256>,
}

#[wasm_bindgen]
impl ModelBuffer {
    /// Makes room for a file of `len` bytes, and computes its hash with `hash`.
    ///
    /// # Errors
    /// [`Failure::Memory`] when there is none.
    #[wasm_bindgen(constructor)]
    pub fn new(len: usize, hash: bool) -> Result<Self, Failure> {
        let bytes = AlignedBytes::try_new(len).ok_or(Failure::Memory { bytes: len })?;
        Ok(Self {
            bytes,
            filled: 0,
            hash: hash.then(Sha256::new),
        })
    }

    /// Appends a chunk.
    ///
    /// # Errors
    /// [`Failure::TooLong`] when the chunk does not fit.
    pub fn write(&mut self, chunk: &Uint8Array) -> Result<(), Failure> {
        let expected = self.bytes.len();
        let len = chunk.length() as usize;
        let room = self
            .bytes
            .as_mut()
            .get_mut(self.filled..)
            .unwrap_or_default();
        let place = room.get_mut(..len).ok_or(Failure::TooLong { expected })?;
        chunk.copy_to(place);
        if let Some(hash) = &mut self.hash {
            hash.update(&*place);
        }
        self.filled += len;
        Ok(())
    }

    /// Bytes written so far.
    #[must_use]
    #[wasm_bindgen(getter)]
    pub fn filled(&self) -> usize {
        self.filled
    }

    /// SHA-256 of what has been written, in hex digits; empty when it is not computed.
    #[must_use]
    pub fn sha256(&self) -> String {
        let mut digits = String::new();
        if let Some(hash) = &self.hash {
            for byte in hash.clone().finalize() {
                // Writing to a string cannot fail.
                let _ = write!(digits, "{byte:02x}");
            }
        }
        digits
    }
}

impl ModelBuffer {
    /// The complete file.
    pub(crate) fn into_bytes(self) -> Result<AlignedBytes, Failure> {
        let (filled, expected) = (self.filled, self.bytes.len());
        if filled < expected {
            return Err(Failure::Incomplete { filled, expected });
        }
        Ok(self.bytes)
    }
}
