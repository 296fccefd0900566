"""The search of the original over any encoder and step, as torch_model.py defines them."""
import torch


def translate(config, encode, step, sentences, beam, batch, steps):
    """Tokens in the best hypotheses of all sentences."""
    tokens = 0
    for first in range(0, len(sentences), batch):
        rows = [torch.tensor(ids) for ids in sentences[first:first + batch]]
        ids = torch.nn.utils.rnn.pad_sequence(rows, batch_first=True)
        tokens += sum(len(best) for best in search(config, encode, step, ids, beam, steps))
    return tokens


def search(config, encode, step, ids, beam, steps):
    """The best hypothesis of each row. The score of t tokens is log p / ((5 + t) / 6)^alpha."""
    alpha, limit = config["lp_rate"], steps or config["max_decoded_trg_len"]
    count, vocabulary = len(ids), config["trg_vocab_size"]
    bias, augmentation, cross_k, cross_v = encode(ids)
    bias = bias.repeat_interleave(beam, 0)
    augmentation, cross_k, cross_v = (t.repeat_interleave(beam, 1) for t in (augmentation, cross_k, cross_v))
    layers, _, heads, _, size = cross_k.shape
    keys = values = torch.zeros(layers, count * beam, heads, 0, size)
    last = torch.full([count * beam], vocabulary)
    logp = torch.full([count, beam], -1e30)
    logp[:, 0] = 0
    alive = torch.zeros(count, beam, 0, dtype=torch.long)
    finished = [[] for _ in range(count)]
    bound = ((5 + limit) / 6) ** alpha
    start = torch.arange(count)[:, None] * beam
    for t in range(limit):
        logits, keys, values = step(last, bias, augmentation, cross_k, cross_v, keys, values)
        scores = torch.log_softmax(logits, -1).view(count, beam, vocabulary)
        if steps:
            scores[..., 0] = -1e30
        penalty = ((6 + t) / 6) ** alpha
        scores = ((logp[..., None] + scores) / penalty).flatten(1)
        best, index = scores.topk(2 * beam)
        parent, token = index // vocabulary, index % vocabulary
        ends = token == 0
        if ends.any():
            for row, place in ends.nonzero().tolist():
                hypothesis = alive[row, parent[row, place]].tolist()
                finished[row].append((best[row, place].item(), hypothesis))
                finished[row] = sorted(finished[row], key=lambda pair: -pair[0])[:beam]
        kept, place = best.masked_fill(ends, -2e30).topk(beam)
        parent, token = parent.gather(1, place), token.gather(1, place)
        logp = kept * penalty
        alive = torch.cat([alive.gather(1, parent[..., None].expand(-1, -1, t)), token[..., None]], 2)
        order = (start + parent).flatten()
        last = token.flatten()
        if beam > 1:
            keys, values = keys.index_select(1, order), values.index_select(1, order)
        reach = (logp[:, 0] / bound).tolist()
        if all(found and found[-1][0] > r for found, r in zip(finished, reach)):
            break
    return [found[0][1] if found else hypothesis.tolist()
            for found, hypothesis in zip(finished, alive[:, 0])]
