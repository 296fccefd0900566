//! The CSANMT network over token ids: encoder, semantic encoder, decoder, beam search.
