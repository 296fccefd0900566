"""What every Python peer of `cargo xtask bench` does: read a job a line, run it, answer a line.

See crates/engine/examples/workload.rs for the protocol.
"""
import json
import sys
import time


def serve(name, version, translate, load_seconds, **more):
    """Answers jobs until standard input ends.

    translate(sentences, beam, batch, steps) translates lists of ids and returns the number of
    tokens in the best hypotheses; `steps` is None or the exact number of tokens of each.
    """
    answer(dict(name=name, version=version, load_seconds=load_seconds, **more))
    for line in sys.stdin:
        job = json.loads(line)
        begin, cpu = time.perf_counter(), time.process_time()
        tokens = translate(job["sentences"], job["beam"], job["batch"], job.get("steps"))
        seconds, cpu = time.perf_counter() - begin, time.process_time() - cpu
        answer(dict(seconds=seconds, cpu_seconds=cpu, tokens=tokens))


def answer(value):
    print(json.dumps(value), flush=True)
