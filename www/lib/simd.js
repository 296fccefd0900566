/**
 * The smallest module with a vector instruction: `(func (result v128) (i8x16.splat (i32.const 0)))`.
 */
const SIMD_MODULE = new Uint8Array([
  0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00, // magic, version
  0x01, 0x05, 0x01, 0x60, 0x00, 0x01, 0x7b, // type section: () -> v128
  0x03, 0x02, 0x01, 0x00, // function section: one function of type 0
  0x0a, 0x08, 0x01, 0x06, 0x00, 0x41, 0x00, 0xfd, 0x0f, 0x0b, // code section
]);

/**
 * Whether this browser can run the engine: it has WebAssembly with 128-bit SIMD.
 *
 * @returns {boolean}
 */
export function isSupported() {
  return typeof WebAssembly === "object" && WebAssembly.validate(SIMD_MODULE);
}
