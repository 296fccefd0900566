"""The original model on a ModelScope directory: graph, checkpoint and text pipeline of the modelscope
wheel, run unchanged.

The wheel is unpacked, not installed: what its files import of modelscope (registries, base classes,
configuration reader, names) is replaced by stand-ins that compute nothing.

usage: original_pipeline.py MODEL_DIR MODELSCOPE_DIR JOB      answers with one line of JSON

    first   translates two tokens                       {"parameters"}
    speed   times translations of given lengths          {"speed": …, "cpu", "peak_memory"}
            standard input: {"lengths", "repeats", "batch", "batch_length", "rounds"}
    texts   translates texts                             [text]
            standard input: [text]
    logits  runs the decoder over given targets          {"logits": [[[…]]], "texts": [text]}
            and translates texts
            standard input: {"sources": [ids], "targets": [ids], "texts": [text]}
"""
import functools
import json
import os
import resource
import statistics
import sys
import time
import types

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")


class AnyName:
    TF_CHECKPOINT_FOLDER = "tf_ckpts"
    CONFIGURATION = "configuration.json"
    TRANSLATION = "translation"

    def __getattr__(self, name):
        return name


class Registry:
    def register_module(self, *_args, **_keywords):
        return lambda cls: cls


class Base:
    def __init__(self, model_dir=None, *_args, model=None, **_keywords):
        self.model_dir, self.model = model_dir, model


class Configuration:
    @staticmethod
    def from_file(path):
        with open(path, encoding="utf-8") as file:
            return json.load(file)


class Silence:
    def info(self, *_args):
        pass


STAND_INS = {
    "modelscope.metainfo": dict(Models=AnyName(), Pipelines=AnyName()),
    "modelscope.models.base": dict(Model=Base, Tensor=object),
    "modelscope.models.builder": dict(MODELS=Registry()),
    "modelscope.outputs": dict(OutputKeys=AnyName()),
    "modelscope.pipelines.base": dict(Pipeline=Base),
    "modelscope.pipelines.builder": dict(PIPELINES=Registry()),
    "modelscope.utils.config": dict(Config=Configuration),
    "modelscope.utils.constant": dict(ModelFile=AnyName(), Tasks=AnyName()),
    "modelscope.utils.logger": dict(get_logger=Silence),
}


def original(root, path):
    """A file of the wheel as a module."""
    for name, members in STAND_INS.items():
        parts = name.split(".")
        for end in range(1, len(parts) + 1):
            sys.modules.setdefault(".".join(parts[:end]), types.ModuleType(parts[end - 1]))
        vars(sys.modules[name]).update(members)
    module = types.ModuleType("original")
    # The original prints its configuration where answers go.
    module.print = lambda *_args, **_keywords: None
    with open(os.path.join(root, "modelscope", path), encoding="utf-8") as file:
        exec(compile(file.read(), path, "exec"), vars(module))
    return module


class Instead:
    """A module of which some members are others."""

    def __init__(self, real, **members):
        self.real = real
        vars(self).update(members)

    def __getattr__(self, name):
        return getattr(self.real, name)


def graph_source(root):
    return original(root, "models/nlp/csanmt/translation.py")


class Original:
    def __init__(self, model_dir, root):
        import tensorflow
        self.tf = tensorflow.compat.v1
        self.tf.logging.set_verbosity(self.tf.logging.ERROR)
        self.source = graph_source(root)
        config = Configuration.from_file(os.path.join(model_dir, "configuration.json"))
        self.parameters = {key: value for key, value in config["model"].items() if key != "type"}
        self.model = self.source.CsanmtForTranslation(model_dir, **self.parameters)
        pipeline = original(root, "pipelines/nlp/translation_pipeline.py")
        one_thread = functools.partial(self.tf.ConfigProto, intra_op_parallelism_threads=1,
                                       inter_op_parallelism_threads=1)
        pipeline.tf = Instead(self.tf, ConfigProto=one_thread)
        self.pipeline = pipeline.TranslationPipeline(model=self.model)
        self.session = self.pipeline._session

    def texts(self, texts):
        return [self.pipeline.postprocess(self.pipeline.forward(self.pipeline.preprocess(text)))["translation"]
                for text in texts]

    def count(self):
        return sum(int(variable.shape.num_elements()) for variable in self.tf.global_variables())

    def fixed(self, tokens):
        """A function that translates rows of ids into exactly so many tokens.

        The loop ends at max_decoded_trg_len; that it may end before, once a finished hypothesis
        cannot be beaten any more, is the only use of logical_not in the source.
        """
        real = self.source.tf
        self.source.tf = Instead(real, logical_not=real.ones_like)
        model = self.source.CsanmtForTranslation("", **dict(self.parameters, max_decoded_trg_len=tokens))
        with self.session.graph.as_default(), self.tf.variable_scope("", reuse=True):
            ids = self.tf.placeholder(self.tf.int64, [None, None])
            best = model(ids)["output_seqs"]
        self.source.tf = real

        def translate(rows):
            found = self.session.run(best, {ids: rows})
            if found.shape[2] != tokens:
                raise SystemExit(f"{found.shape[2]} tokens instead of {tokens}")

        return translate

    def made_up(self, sentences, tokens):
        """The sentences that the other models get."""
        vocabulary = min(max(self.parameters["src_vocab_size"] - 1, 1), 3000)
        return [[1 + (i * 7919 + j * 104729) % vocabulary for j in range(tokens)] for i in range(sentences)]

    def speed(self, job):
        begin, before = time.perf_counter(), time.process_time()
        works = [(self.fixed(tokens), self.made_up(1, tokens)) for tokens in job["lengths"]]
        works.append((self.fixed(job["batch_length"]), self.made_up(job["batch"], job["batch_length"])))
        times = [[] for _ in works]
        for round_ in range(job["rounds"] + 1):
            for (translate, rows), repeats, found in zip(works, job["repeats"], times):
                start = time.process_time()
                for _ in range(repeats):
                    translate(rows)
                # The first round warms up.
                if round_:
                    found.append((time.process_time() - start) / repeats)
        *single, batch = (statistics.median(found) for found in times)
        passed = time.perf_counter() - begin
        return dict(speed=dict(latency_ms=[1e3 * seconds for seconds in single],
                               sentences_per_second=job["batch"] / batch),
                    cpu=(time.process_time() - before) / passed,
                    peak_memory=resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024)

    def logits(self, source, target):
        """[len(target) + 1, vocabulary]: row t is the distribution after target[:t]."""
        tf, model, parameters = self.tf, self.model, self.parameters
        hidden, layers = parameters["hidden_size"], parameters["num_decoder_layers"]
        if not hasattr(self, "forced"):
            with self.session.graph.as_default(), tf.variable_scope("NmtModel", reuse=True):
                ids = tf.placeholder(tf.int64, [None, None])
                trg = tf.placeholder(tf.int32, [None, None])
                encoded, bias = model.encoding_graph(ids, parameters)
                name = None if parameters["shared_source_target_embedding"] else "source"
                semantic = model.semantic_encoding_graph(ids, parameters, name=name)
                empty = [tf.zeros([tf.shape(ids)[0], 0, hidden]) for _ in range(2 * layers)]
                # The original's own way to run over a given beginning; it shifts the target.
                probabilities, _, _, _ = model.inference_func(
                    encoded, semantic, bias, trg, empty[:layers], empty[layers:],
                    params=parameters, is_prefix=True)
                self.forced = ids, trg, probabilities.op.inputs[0]
        ids, trg, logits = self.forced
        return self.session.run(logits, {ids: [source], trg: [target + [0]]})[0]


def main(model_dir, root, job):
    # Programs underneath may print too; the answer goes to the real output.
    answers, sys.stdout = sys.stdout, sys.stderr
    model = Original(model_dir, root)
    if job == "first":
        model.fixed(2)(model.made_up(1, 2))
        answer = dict(parameters=model.count())
    elif job == "speed":
        answer = model.speed(json.load(sys.stdin))
    elif job == "texts":
        answer = model.texts(json.load(sys.stdin))
    elif job == "logits":
        asked = json.load(sys.stdin)
        pairs = zip(asked["sources"], asked["targets"])
        answer = dict(logits=[model.logits(*pair).tolist() for pair in pairs],
                      texts=model.texts(asked["texts"]))
    else:
        raise SystemExit(__doc__)
    print(json.dumps(answer), file=answers, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
