//! WebAssembly face of the csanmt translator.
