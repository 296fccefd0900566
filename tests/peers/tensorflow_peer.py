"""The original TensorFlow graph, from the source file in the modelscope wheel, run unchanged in f32.

The wheel is unpacked, not installed: what the file imports of modelscope (registry, base class,
names) is replaced by stand-ins that compute nothing. The graph cannot be told a number of steps:
sentences end by themselves, as they do on our side for the same weights.

usage: tensorflow_peer.py MODEL.safetensors CACHE_DIR MODELSCOPE_DIR
"""
import os
import sys
import time
import types

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import numpy as np

import model_file
import protocol


class AnyName:
    def __getattr__(self, name):
        return name


class Registry:
    def register_module(self, *_args, **_keywords):
        return lambda cls: cls


class Base:
    def __init__(self, model_dir, *_args, **_keywords):
        self.model_dir = model_dir


def original(root):
    """The class of the original model."""
    stand_ins = {
        "modelscope.metainfo": dict(Models=AnyName()),
        "modelscope.models.base": dict(Model=Base, Tensor=object),
        "modelscope.models.builder": dict(MODELS=Registry()),
        "modelscope.utils.constant": dict(Tasks=AnyName()),
    }
    for name, members in stand_ins.items():
        parts = name.split(".")
        for end in range(1, len(parts) + 1):
            sys.modules.setdefault(".".join(parts[:end]), types.ModuleType(parts[end - 1]))
        vars(sys.modules[name]).update(members)
    path = os.path.join(root, "modelscope/models/nlp/csanmt/translation.py")
    module = types.ModuleType("original")
    # The original prints its configuration where answers go.
    module.print = lambda *_args, **_keywords: None
    with open(path, encoding="utf-8") as file:
        exec(compile(file.read(), path, "exec"), vars(module))
    return module.CsanmtForTranslation


def parameters(config, beam):
    """The configuration under the original's names."""
    mode = lambda on: "layer_norm" if on else "none"
    same = ("hidden_size", "filter_size", "num_heads", "num_encoder_layers", "num_decoder_layers",
            "num_semantic_encoder_layers", "shared_embedding_and_softmax_weights",
            "shared_source_target_embedding", "max_relative_dis", "src_vocab_size", "trg_vocab_size",
            "lp_rate", "max_decoded_trg_len")
    return dict({name: config[name] for name in same}, beam_size=beam,
                position_info_type=config["position"], initializer_scale=0.1,
                layer_preproc=mode(config["pre_norm"]), layer_postproc=mode(config["post_norm"]),
                attention_dropout=0.0, residual_dropout=0.0, relu_dropout=0.0)


def main(model, _cache, modelscope):
    begin = time.perf_counter()
    import tensorflow as tf
    tf1 = tf.compat.v1
    tf1.disable_eager_execution()
    tf1.logging.set_verbosity(tf1.logging.ERROR)
    config, weights = model_file.read(model)
    one = tf1.ConfigProto(intra_op_parallelism_threads=1, inter_op_parallelism_threads=1)
    session = tf1.Session(config=one)
    ids = tf1.placeholder(tf1.int64, [None, None])
    cls = original(modelscope)
    graphs = {}

    def graph(beam):
        if beam not in graphs:
            with tf1.variable_scope("", reuse=bool(graphs) or None):
                graphs[beam] = cls(model, **parameters(config, beam))(ids)["output_seqs"]
        return graphs[beam]

    graph(config["beam_size"])
    for variable in tf1.global_variables():
        name = variable.name.split(":")[0].removeprefix("NmtModel/")
        variable.load(weights[name], session)

    def translate(sentences, beam, batch, steps):
        if steps is not None:
            raise SystemExit("the original graph has no fixed number of steps")
        tokens = 0
        for first in range(0, len(sentences), batch):
            rows = sentences[first:first + batch]
            padded = np.zeros([len(rows), max(map(len, rows))], np.int64)
            for row, sentence in zip(padded, rows):
                row[:len(sentence)] = sentence
            best = session.run(graph(beam), {ids: padded})[:, 0]
            tokens += int((np.cumprod(best != 0, axis=1)).sum())
        return tokens

    protocol.serve("TensorFlow graph", tf.__version__, translate, time.perf_counter() - begin)


if __name__ == "__main__":
    main(*sys.argv[1:])
