"""ONNX Runtime with dynamic int8 quantisation: the encoder and the step of torch_model.py, exported.

usage: onnxruntime_peer.py MODEL.safetensors CACHE_DIR
"""
import os
import sys
import time

import onnxruntime
import torch

import beam_search
import model_file
import protocol

PARTS = ("encoder", "step")


def export(model, cache):
    """Writes encoder.onnx and step.onnx, int8."""
    from onnxruntime.quantization import QuantType, quantize_dynamic
    import torch_model
    os.makedirs(cache, exist_ok=True)
    config, weights = model_file.read(model)
    encoder, step = torch_model.build(config, weights)
    ids = torch.tensor([[5, 6, 7], [8, 9, 0]])
    with torch.no_grad():
        sources = encoder(ids)
    layers, _, heads, _, size = sources[2].shape
    past = torch.zeros(layers, 2, heads, 3, size)
    axes = dict(
        ids={0: "rows", 1: "length"}, bias={0: "rows", 3: "positions"}, augmentation={1: "rows"},
        cross_k={1: "rows", 3: "positions"}, cross_v={1: "rows", 3: "positions"}, tokens={0: "rows"},
        keys={1: "rows", 3: "steps"}, values={1: "rows", 3: "steps"}, logits={0: "rows"},
        new_keys={1: "rows", 3: "steps1"}, new_values={1: "rows", 3: "steps1"})
    source_names = ["bias", "augmentation", "cross_k", "cross_v"]
    for name, part, inputs, input_names, output_names in (
            ("encoder", encoder, (ids,), ["ids"], source_names),
            ("step", step, (torch.tensor([1, 2]), *sources, past, past),
             ["tokens", *source_names, "keys", "values"], ["logits", "new_keys", "new_values"])):
        path = os.path.join(cache, name + ".onnx")
        whole = os.path.join(cache, name + ".f32.onnx")
        torch.onnx.export(part, inputs, whole, input_names=input_names, output_names=output_names,
                          dynamic_axes={n: axes[n] for n in input_names + output_names},
                          opset_version=17, dynamo=False)
        quantize_dynamic(whole, path, weight_type=QuantType.QInt8)
        os.remove(whole)


def main(model, cache):
    paths = [os.path.join(cache, name + ".onnx") for name in PARTS]
    if not all(os.path.exists(p) and os.path.getmtime(p) >= os.path.getmtime(model) for p in paths):
        export(model, cache)
    begin = time.perf_counter()
    torch.set_num_threads(1)
    config = model_file.configuration(model)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    encoder, step = (onnxruntime.InferenceSession(p, options, ["CPUExecutionProvider"]) for p in paths)
    names = [[i.name for i in session.get_inputs()] for session in (encoder, step)]

    def call(session, names, inputs):
        outputs = session.run(None, {n: t.numpy() for n, t in zip(names, inputs)})
        return [torch.from_numpy(out) for out in outputs]

    def translate(*job):
        with torch.inference_mode():
            return beam_search.translate(
                config, lambda ids: call(encoder, names[0], [ids]),
                lambda *inputs: call(step, names[1], inputs), *job)

    protocol.serve("ONNX Runtime int8", onnxruntime.__version__, translate, time.perf_counter() - begin)


if __name__ == "__main__":
    main(*sys.argv[1:])
