//! A start-up check: every kernel of an instruction set against the scalar ones, bit for bit.
