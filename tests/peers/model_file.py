"""Reads a csanmt model file into f32 arrays under TensorFlow's names and shapes."""
import json

import numpy as np
from safetensors import safe_open


def configuration(path):
    with safe_open(path, framework="numpy") as file:
        return json.loads(file.metadata()["csanmt.config"])


def read(path):
    """(configuration, {name without NmtModel/: float32 array}) of an int8 or f32 file."""
    config = configuration(path)
    with safe_open(path, framework="numpy") as file:
        names = set(file.keys())
        companions = (".scale", ".colsum", ".peak", ".peak_place")
        weights = {}
        for name in sorted(names):
            if name.startswith("text/") or name == "padding" or name.endswith(companions):
                continue
            tensor = file.get_tensor(name)
            if tensor.dtype == np.int8:
                scale = file.get_tensor(name + ".scale")
                tensor = rows(tensor, scale) if tensor.ndim == 2 else packed(tensor, scale, inputs(name, config))
                if name.endswith("/matrix"):
                    tensor = np.ascontiguousarray(tensor.T)
                if name + ".peak" in names:
                    place = file.get_tensor(name + ".peak_place")
                    tensor[place[:, 1], place[:, 0]] = file.get_tensor(name + ".peak")
            weights[name] = tensor
    return config, weights


def rows(data, scale):
    return data.astype(np.float32) * scale[:, None]


def packed(data, scale, k):
    """[ceil(N/16), ceil(K/4), 16, 4] to [N, K]."""
    panels, groups, outputs, _ = data.shape
    table = data.transpose(0, 2, 1, 3).reshape(panels * outputs, groups * 4)
    return rows(table[:len(scale), :k], scale)


def inputs(name, config):
    wide = name.endswith("ffn_layer/output_layer/linear/matrix")
    return config["filter_size"] if wide else config["hidden_size"]


def source_table(weights):
    return weights.get("Source_Embedding/Weights", weights.get("Shared_Embedding/Weights"))


def target_table(weights):
    return weights.get("Target_Embedding/Weights", weights.get("Shared_Embedding/Weights"))


def semantic_table(weights):
    return weights.get("Source_Semantic_Embedding/Weights", weights.get("Shared_Semantic_Embedding/Weights"))


def output_table(weights):
    return weights.get("Softmax", target_table(weights))


def timing(positions, hidden):
    """The sinusoidal signal of absolute positions, [positions, hidden]."""
    half = hidden // 2
    steps = np.exp(np.arange(half) * -(np.log(1e4) / (half - 1)))
    angles = np.arange(positions)[:, None] * steps
    signal = np.concatenate([np.sin(angles), np.cos(angles)], 1)
    return np.pad(signal, [(0, 0), (0, hidden - 2 * half)]).astype(np.float32)
