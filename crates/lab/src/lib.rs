//! Conversion, compression and evaluation of CSANMT models.
