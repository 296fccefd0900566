"""Text to ids and back, with the Python packages that the original uses."""
import io
import zlib

import jieba
from safetensors import safe_open
from subword_nmt.apply_bpe import BPE

import model_file


class Texts:
    """The vocabularies and merge rules of a model file."""

    def __init__(self, path):
        config = model_file.configuration(path)
        with safe_open(path, framework="numpy") as file:
            def read(name):
                stored = file.get_tensor(name).tobytes()
                try:
                    stored = zlib.decompress(stored)
                except zlib.error:
                    pass
                return stored.decode("utf-8")

            source, target = read("text/src_vocab"), read("text/trg_vocab")
            self.bpe = BPE(io.StringIO(read("text/src_bpe")))
        self.unknown = config["src_vocab_size"] - 1
        self.ids = {token.strip(): i for i, token in enumerate(source.split("\n"))}
        self.tokens = [token.strip() for token in target.split("\n")]
        jieba.initialize()

    def encode(self, text):
        words = " ".join(jieba.cut(text))
        return [self.ids.get(token, self.unknown) for token in self.bpe.process_line(words).split()]

    def decode(self, ids):
        tokens = (self.tokens[i] if i < len(self.tokens) else "<unk>" for i in ids)
        return " ".join(tokens).replace("@@ ", "")
