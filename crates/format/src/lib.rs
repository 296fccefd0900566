//! The csanmt model file: configuration, tensors, vocabularies; zero-copy reader and streaming writer.
