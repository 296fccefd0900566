"""A translation server as articles deploy one: Flask before PyTorch with dynamic int8.

usage: flask_server.py MODEL.safetensors CACHE_DIR PORT
"""
import logging
import os
import sys

import torch
from flask import Flask, jsonify, request

import beam_search
import model_file
import source_text
import torch_model


def main(model, _cache, port):
    torch.set_num_threads(len(os.sched_getaffinity(0)))
    texts = source_text.Texts(model)
    config, weights = model_file.read(model)
    parts = torch_model.build(config, weights)
    encoder, step = (torch.ao.quantization.quantize_dynamic(part, {torch.nn.Linear}, torch.qint8) for part in parts)
    app = Flask(__name__)
    logging.getLogger("werkzeug").setLevel(logging.ERROR)

    @app.get("/health")
    def health():
        return jsonify(status="ok")

    @app.post("/translate")
    def translate():
        ids = torch.tensor([texts.encode(request.get_json()["q"])])
        with torch.inference_mode():
            (best,) = beam_search.search(config, encoder, step, ids, config["beam_size"], None)
        return jsonify(translatedText=texts.decode(best))

    app.run("127.0.0.1", int(port), threaded=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
