"""PyTorch with dynamic int8 quantisation of all linear layers, as its own tutorials do it.

usage: torch_peer.py MODEL.safetensors CACHE_DIR
"""
import sys
import time

import torch

import beam_search
import model_file
import protocol
import torch_model


def main(model, _cache):
    begin = time.perf_counter()
    torch.set_num_threads(1)
    torch.set_num_interop_threads(1)
    config, weights = model_file.read(model)
    parts = torch_model.build(config, weights)
    encoder, step = (torch.ao.quantization.quantize_dynamic(part, {torch.nn.Linear}, torch.qint8) for part in parts)

    def translate(*job):
        with torch.inference_mode():
            return beam_search.translate(config, encoder, step, *job)

    engine = torch.backends.quantized.engine
    protocol.serve(f"PyTorch int8 ({engine})", torch.__version__, translate, time.perf_counter() - begin)


if __name__ == "__main__":
    main(*sys.argv[1:])
