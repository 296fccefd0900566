//! The model file on its way in.

use csanmt::AlignedBytes;
use js_sys::Uint8Array;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::Failure;

/// Room for a model file in WebAssembly memory. Chunks are written straight to their final place
/// as they arrive, so no copy of the whole file ever exists on the JavaScript side.
#[wasm_bindgen]
#[derive(Debug)]
pub struct ModelBuffer {
    bytes: AlignedBytes,
    filled: usize,
}

#[wasm_bindgen]
impl ModelBuffer {
    /// Makes room for a file of `len` bytes.
    ///
    /// # Errors
    /// [`Failure::Memory`] when there is none.
    #[wasm_bindgen(constructor)]
    pub fn new(len: usize) -> Result<Self, Failure> {
        let bytes = AlignedBytes::try_new(len).ok_or(Failure::Memory { bytes: len })?;
        Ok(Self { bytes, filled: 0 })
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
        self.filled += len;
        Ok(())
    }

    /// Bytes written so far.
    #[must_use]
    #[wasm_bindgen(getter)]
    pub fn filled(&self) -> usize {
        self.filled
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
