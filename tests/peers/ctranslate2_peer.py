"""CTranslate2, int8, with the encoder and decoder of a csanmt model file.

It has no place for the semantic branch, which is left out: CTranslate2 does less work. Tokens
are the ids as text, so that no side spends time on text.

usage: ctranslate2_peer.py MODEL.safetensors CACHE_DIR
"""
import os
import sys
import time

import numpy as np

import model_file
import protocol

END, UNKNOWN = "</s>", "<unk>"


def build(model, out):
    from ctranslate2.specs import common_spec, transformer_spec
    config, weights = model_file.read(model)
    layers = config["num_encoder_layers"], config["num_decoder_layers"]
    spec = transformer_spec.TransformerSpec.from_config(
        layers, config["num_heads"], pre_norm=config["pre_norm"], activation=common_spec.Activation.RELU)

    def linear(target, name):
        target.weight = np.ascontiguousarray(weights[name + "/matrix"].T)
        target.bias = weights[name + "/bias"]

    def norm(target, name):
        target.gamma = weights[name + "/layer_norm_scale"]
        target.beta = weights[name + "/layer_norm_offset"]

    def feed_forward(target, scope):
        linear(target.linear_0, scope + "/ffn_layer/input_layer/linear")
        linear(target.linear_1, scope + "/ffn_layer/output_layer/linear")

    source, target = model_file.source_table(weights), model_file.target_table(weights)
    output = model_file.output_table(weights)
    spec.encoder.embeddings[0].weight = source
    spec.decoder.embeddings.weight = target
    spec.decoder.projection.weight = output
    spec.decoder.projection.bias = np.zeros(len(output), np.float32)
    for stack in (spec.encoder, spec.decoder):
        stack.scale_embeddings = True
        stack.position_encodings.encodings = model_file.timing(512, config["hidden_size"])
    norm(spec.encoder.layer_norm, "encoder/layer_norm")
    norm(spec.decoder.layer_norm, "decoder/layer_norm")
    for i, layer in enumerate(spec.encoder.layer):
        scope = f"encoder/layer_{i}"
        norm(layer.self_attention.layer_norm, scope + "/layer_norm")
        linear(layer.self_attention.linear[0], scope + "/encoder_self_attention/qkv_transform")
        linear(layer.self_attention.linear[1], scope + "/encoder_self_attention/output_transform")
        norm(layer.ffn.layer_norm, scope + "/layer_norm_1")
        feed_forward(layer.ffn, scope)
    for i, layer in enumerate(spec.decoder.layer):
        scope = f"decoder/layer_{i}"
        norm(layer.self_attention.layer_norm, scope + "/layer_norm_1")
        linear(layer.self_attention.linear[0], scope + "/decoder_self_attention/qkv_transform")
        linear(layer.self_attention.linear[1], scope + "/decoder_self_attention/output_transform")
        norm(layer.attention.layer_norm, scope + "/layer_norm_2")
        linear(layer.attention.linear[0], scope + "/encdec_attention/q_transform")
        linear(layer.attention.linear[1], scope + "/encdec_attention/kv_transform")
        linear(layer.attention.linear[2], scope + "/encdec_attention/output_transform")
        norm(layer.ffn.layer_norm, scope + "/layer_norm_3")
        feed_forward(layer.ffn, scope)
    spec.register_source_vocabulary(vocabulary(len(source)))
    spec.register_target_vocabulary(vocabulary(len(target)))
    spec.config.add_source_eos = True
    spec.config.decoder_start_token = END
    spec.validate()
    spec.optimize(quantization="int8")
    os.makedirs(out, exist_ok=True)
    spec.save(out)


def vocabulary(size):
    return [END] + [str(i) for i in range(1, size - 1)] + [UNKNOWN]


def main(model, cache):
    import ctranslate2
    built = os.path.join(cache, "model.bin")
    if not os.path.exists(built) or os.path.getmtime(built) < os.path.getmtime(model):
        build(model, cache)
    begin = time.perf_counter()
    translator = ctranslate2.Translator(cache, device="cpu", compute_type="int8", inter_threads=1, intra_threads=1)
    load = time.perf_counter() - begin

    def translate(sentences, beam, batch, steps):
        tokens = [[str(i) for i in ids] for ids in sentences]
        results = translator.translate_batch(
            tokens, beam_size=beam, max_batch_size=batch, length_penalty=0.6,
            min_decoding_length=steps or 1, max_decoding_length=steps or 100)
        return sum(len(result.hypotheses[0]) for result in results)

    protocol.serve("CTranslate2", ctranslate2.__version__, translate, load)


if __name__ == "__main__":
    main(*sys.argv[1:])
