"""The original TensorFlow graph, from the source file in the modelscope wheel, run unchanged in f32.

Weights come from a csanmt model file. The graph cannot be told a number of steps: sentences end by
themselves, as they do on our side for the same weights.

usage: tensorflow_peer.py MODEL.safetensors CACHE_DIR MODELSCOPE_DIR
"""
import os
import sys
import time

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import numpy as np

import model_file
import protocol
from original_pipeline import graph_source


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
    cls = graph_source(modelscope).CsanmtForTranslation
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
