//! HTTP face of the csanmt translator.
