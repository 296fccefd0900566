"""A thin server before CTranslate2, int8: FastAPI, and as many translators as cores.

usage: fastapi_server.py MODEL.safetensors CACHE_DIR PORT
"""
import os
import sys

import ctranslate2
import uvicorn
from fastapi import FastAPI
from pydantic import BaseModel

import ctranslate2_peer
import model_file
import source_text


class Request(BaseModel):
    q: str


def main(model, cache, port):
    built = os.path.join(cache, "model.bin")
    if not os.path.exists(built) or os.path.getmtime(built) < os.path.getmtime(model):
        ctranslate2_peer.build(model, cache)
    texts = source_text.Texts(model)
    beam = model_file.configuration(model)["beam_size"]
    translator = ctranslate2.Translator(
        cache, device="cpu", compute_type="int8",
        inter_threads=len(os.sched_getaffinity(0)), intra_threads=1)
    app = FastAPI()

    @app.get("/health")
    def health():
        return {"status": "ok"}

    # Not async: FastAPI runs it on its threads, and CTranslate2 lets go of the interpreter's lock.
    @app.post("/translate")
    def translate(request: Request):
        tokens = [str(i) for i in texts.encode(request.q)]
        (result,) = translator.translate_batch(
            [tokens], beam_size=beam, length_penalty=0.6, min_decoding_length=1, max_decoding_length=100)
        ids = (int(token) if token.isdigit() else texts.unknown for token in result.hypotheses[0])
        return {"translatedText": texts.decode(ids)}

    uvicorn.run(app, host="127.0.0.1", port=int(port), log_level="error", access_log=False)


if __name__ == "__main__":
    main(*sys.argv[1:])
