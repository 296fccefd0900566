//! Text to token ids and back: segmentation, BPE, Moses rules, sentence splitting.
