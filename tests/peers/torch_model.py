"""CSANMT in plain PyTorch, as one would write it for translation.

What depends on the source only is computed once a sentence: encoder, keys and values of the
cross attention, and the terms of the semantic vector. A step gets the last tokens and the keys
and values of the steps before.
"""
import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

import model_file

POSITIONS = 1024


class Weights:
    """Layers made of named arrays."""

    def __init__(self, arrays):
        self.arrays = arrays

    def tensor(self, name):
        return torch.from_numpy(np.ascontiguousarray(self.arrays[name]))

    def linear(self, name):
        matrix = self.tensor(name + "/matrix").T.contiguous()
        layer = nn.Linear(matrix.shape[1], matrix.shape[0])
        layer.weight.data, layer.bias.data = matrix, self.tensor(name + "/bias")
        return layer

    def norm(self, name):
        scale = self.tensor(name + "/layer_norm_scale")
        layer = nn.LayerNorm(len(scale), eps=1e-6)
        layer.weight.data, layer.bias.data = scale, self.tensor(name + "/layer_norm_offset")
        return layer


class Relative(nn.Module):
    """Position terms of keys and values, [2M + 1, head size] each."""

    def __init__(self, weights, scope, distance):
        super().__init__()
        self.register_buffer("keys", weights.tensor(scope + "/rpr_k"))
        self.register_buffer("values", weights.tensor(scope + "/rpr_v"))
        self.distance = distance

    def forward(self, q, k):
        """[queries, keys, head size] for queries that end where the keys do."""
        # A running sum, since exporters take lengths for constants.
        j = torch.ones_like(k[0, 0, :, 0], dtype=torch.long).cumsum(0)
        i = j[k.shape[2] - q.shape[2]:]
        index = (i[:, None] - j[None]).clamp(-self.distance, self.distance) + self.distance
        return self.keys[index], self.values[index]


def attend(q, k, v, bias, relative=None):
    """q [B, heads, n, d], k and v [B, heads, m, d]; returns [B, n, heads * d]."""
    logits = q @ k.transpose(-1, -2)
    if relative is not None:
        keys, values = relative(q, k)
        logits = logits + torch.einsum("bhid,ijd->bhij", q, keys)
    if bias is not None:
        logits = logits + bias
    weights = torch.softmax(logits, -1)
    out = weights @ v
    if relative is not None:
        out = out + torch.einsum("bhij,ijd->bhid", weights, values)
    return out.transpose(1, 2).flatten(2)


class EncoderLayer(nn.Module):
    def __init__(self, weights, scope, config, relative):
        super().__init__()
        attention = scope + "/encoder_self_attention"
        self.heads = config["num_heads"]
        self.norm, self.norm_1 = weights.norm(scope + "/layer_norm"), weights.norm(scope + "/layer_norm_1")
        self.qkv = weights.linear(attention + "/qkv_transform")
        self.out = weights.linear(attention + "/output_transform")
        self.inner = weights.linear(scope + "/ffn_layer/input_layer/linear")
        self.outer = weights.linear(scope + "/ffn_layer/output_layer/linear")
        self.relative = Relative(weights, attention, config["max_relative_dis"]) if relative else None

    def forward(self, x, mask, bias):
        q, k, v = heads(self.qkv(self.norm(x)), 3, self.heads)
        x = x + self.out(attend(q * q.shape[-1] ** -0.5, k, v, bias, self.relative))
        x = x + self.outer(F.relu(self.inner(self.norm_1(x))))
        return x * mask


class DecoderLayer(nn.Module):
    def __init__(self, weights, scope, config):
        super().__init__()
        own, cross = scope + "/decoder_self_attention", scope + "/encdec_attention"
        augmentation = scope + "/embedding_augmentation_layer"
        self.heads = config["num_heads"]
        for i, name in enumerate(("norm", "norm_1", "norm_2", "norm_3")):
            setattr(self, name, weights.norm(scope + "/layer_norm" + (f"_{i}" if i else "")))
        self.augment_in = weights.linear(augmentation + "/input_layer/linear")
        self.augment_out = weights.linear(augmentation + "/output_layer/linear")
        self.qkv = weights.linear(own + "/qkv_transform")
        self.out = weights.linear(own + "/output_transform")
        self.cross_q = weights.linear(cross + "/q_transform")
        self.cross_kv = weights.linear(cross + "/kv_transform")
        self.cross_out = weights.linear(cross + "/output_transform")
        self.inner = weights.linear(scope + "/ffn_layer/input_layer/linear")
        self.outer = weights.linear(scope + "/ffn_layer/output_layer/linear")
        relative = config["position"] == "relative"
        self.relative = Relative(weights, own, config["max_relative_dis"]) if relative else None

    def augmentation(self, semantic):
        return self.augment_out(F.relu(self.augment_in(self.norm(semantic))))

    def forward(self, x, augmentation, keys, values, cross_k, cross_v, bias):
        x = x + augmentation
        q, k, v = heads(self.qkv(self.norm_1(x)), 3, self.heads)
        keys, values = torch.cat([keys, k], 2), torch.cat([values, v], 2)
        scale = q.shape[-1] ** -0.5
        x = x + self.out(attend(q * scale, keys, values, None, self.relative))
        (q,) = heads(self.cross_q(self.norm_2(x)), 1, self.heads)
        x = x + self.cross_out(attend(q * scale, cross_k, cross_v, bias))
        x = x + self.outer(F.relu(self.inner(self.norm_3(x))))
        return x, keys, values


def heads(x, parts, count):
    """[B, n, parts * heads * d] to `parts` tensors [B, heads, n, d]."""
    size = x.shape[-1] // parts // count
    rows, steps = x.shape[:2]
    return [part.reshape(rows, steps, count, size).transpose(1, 2) for part in x.chunk(parts, -1)]


class Encoder(nn.Module):
    """ids [B, T], padded with 0, to what a sentence needs for all its steps."""

    def __init__(self, config, weights, decoder_layers):
        super().__init__()
        hidden = config["hidden_size"]
        weights_of = Weights(weights)
        relative = config["position"] == "relative"
        self.scale, self.heads = hidden ** 0.5, config["num_heads"]
        self.register_buffer("table", torch.from_numpy(model_file.source_table(weights)))
        self.register_buffer("semantic_table", torch.from_numpy(model_file.semantic_table(weights)))
        self.register_buffer("input_bias", weights_of.tensor("encoder_input_bias"))
        timing = None if relative else torch.from_numpy(model_file.timing(POSITIONS, hidden))
        self.register_buffer("timing", timing)
        self.layers = nn.ModuleList(EncoderLayer(weights_of, f"encoder/layer_{i}", config, relative)
                                    for i in range(config["num_encoder_layers"]))
        self.norm = weights_of.norm("encoder/layer_norm")
        semantic = "mini_xlm_encoder"
        self.semantic_layers = nn.ModuleList(
            EncoderLayer(weights_of, f"{semantic}/layer_{i}", config, True)
            for i in range(config["num_semantic_encoder_layers"]))
        self.pool = weights_of.linear(semantic + "/pooling_layer/linear")
        self.semantic_norm = weights_of.norm(semantic + "/layer_norm")
        self.decoder_layers = decoder_layers

    def forward(self, ids):
        ids = F.pad(ids, (0, 1))
        mask = F.pad((ids[:, :-1] != 0).float(), (1, 0), value=1.0)
        bias = ((1 - mask) * -1e9)[:, None, None]
        mask = mask[..., None]
        x = F.embedding(ids, self.table) * self.scale
        if self.timing is not None:
            x = x + self.timing[:ids.shape[1]]
        x = x * mask + self.input_bias
        for layer in self.layers:
            x = layer(x, mask, bias)
        x = self.norm(x)
        s = F.embedding(ids, self.semantic_table) * self.scale * mask
        for layer in self.semantic_layers:
            s = layer(s, mask, bias)
        semantic = self.semantic_norm(self.pool(s.sum(1, keepdim=True) / mask.sum(1, keepdim=True)))
        augmentation = torch.stack([layer.augmentation(semantic) for layer in self.decoder_layers])
        cross = [heads(layer.cross_kv(x), 2, self.heads) for layer in self.decoder_layers]
        keys, values = (torch.stack([pair[i] for pair in cross]) for i in (0, 1))
        return bias, augmentation, keys, values


class Step(nn.Module):
    """One step: tokens [B] (the vocabulary's size for the first) to logits [B, V].

    augmentation [layers, B, 1, H], caches [layers, B, heads, steps, d].
    """

    def __init__(self, config, weights, layers):
        super().__init__()
        hidden = config["hidden_size"]
        table = torch.from_numpy(model_file.target_table(weights))
        self.scale = hidden ** 0.5
        self.register_buffer("table", torch.cat([table, torch.zeros(1, hidden)]))
        relative = config["position"] == "relative"
        timing = None if relative else torch.from_numpy(model_file.timing(POSITIONS, hidden))
        self.register_buffer("timing", timing)
        self.layers = layers
        self.norm = Weights(weights).norm("decoder/layer_norm")
        output = torch.from_numpy(model_file.output_table(weights))
        self.output = nn.Linear(hidden, len(output), bias=False)
        self.output.weight.data = output

    def forward(self, tokens, bias, augmentation, cross_k, cross_v, keys, values):
        x = F.embedding(tokens, self.table)[:, None] * self.scale
        if self.timing is not None:
            position = keys.shape[3]
            x = x + self.timing[position:position + 1]
        new_keys, new_values = [], []
        for i, layer in enumerate(self.layers):
            x, k, v = layer(x, augmentation[i], keys[i], values[i], cross_k[i], cross_v[i], bias)
            new_keys.append(k)
            new_values.append(v)
        return self.output(self.norm(x))[:, 0], torch.stack(new_keys), torch.stack(new_values)


def build(config, weights):
    """(encoder, step) in f32."""
    if not config["pre_norm"]:
        raise SystemExit("this peer has no post-norm layers")
    with torch.no_grad():
        scopes = (f"decoder/layer_{i}" for i in range(config["num_decoder_layers"]))
        layers = nn.ModuleList(DecoderLayer(Weights(weights), scope, config) for scope in scopes)
        return Encoder(config, weights, layers).eval(), Step(config, weights, layers).eval()
