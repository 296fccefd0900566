"""Makes metrics.jsonl: small corpora with the scores that sacreBLEU 2.6.0 gives them.

Usage: python3 metrics_golden.py dev.tsv > metrics.jsonl   (pip install sacrebleu==2.6.0)

The first line says how the file was made. Each other line is
    {"name", "hypotheses", "references", "bleu", "chrf"}
or, for the tokenizer alone, {"name", "text", "tokens"}.
"""

import json
import random
import sys

import sacrebleu
from sacrebleu.metrics import BLEU, CHRF

SEED = 20

# What 13a treats specially, what it leaves alone, and what Python counts as white space.
ODD = [
    "1,000", "3.14", "1,000,000.50", "-5", "5-6", "2020-21", "well-known", "a.b.c", "U.S.", "e.g.,", "...", "?!",
    ".5", "5.", ",5", "5,", "5,a", "a,5", "1.,2", ".,.,", "--", "5--", "'", "don't", "'s", "\"", "``", "''",
    "&quot;", "&amp;", "&lt;", "&gt;", "&amp;lt;", "&amp;amp;", "&apos;", "&#39;", "&nbsp;", "&", "<skipped>",
    "<skip<skipped>ped>", "-\n", "\n", "a-\nb", "\r\n", "\t", "(x)", "[y]", "{z}", "a/b", "a\\b", "x_y", "~", "^", "`",
    "@", "#", "$5.00", "50%", "*", "+", "=", "|", "<b>", ";", ":", "10:30",
    "“quoted”", "‘single’", "—", "–", "…", "。", "，", "、", "！", "？", "《书》", "·", "¿", "€5,00", "£1.5", "№",
    "café", "cafe\u0301", "naïve", "汤姆", "日本語", "😀", "👩\u200d👩\u200d👧", "٣٫١٤", "٣.٤", "１，０００", "1．5", "５.６", "ſ", "İ", "ß",
    "\u00a0", "\u3000", "\u2009", "\u200b", "\ufeff", "\u0085", "\x1c", "\x1f", "\x0b", "\x0c", "\u2028", "\u180e", "\x00",
]
GLUE = ["", " ", "  ", ".", ",", "-", "\u00a0", "\u3000", "\x1d"]


def perturb(rng, line, words, rate):
    out = []
    for word in line.split(" "):
        roll = rng.random()
        if roll >= rate:
            out.append(word)
            continue
        kind = rng.randrange(9)
        if kind == 0:
            pass
        elif kind == 1:
            out.append(rng.choice(words))
        elif kind == 2:
            out += [word, word]
        elif kind == 3:
            out.append(word.upper() if rng.random() < 0.5 else word.lower())
        elif kind == 4:
            at = rng.randrange(len(word) + 1)
            out.append(word[:at] + rng.choice(ODD) + word[at:])
        elif kind == 5:
            out.append(word + rng.choice(GLUE) + rng.choice(ODD))
        elif kind == 6 and out:
            out.append(out.pop() + rng.choice(GLUE) + word)
        elif kind == 7 and out:
            out.insert(len(out) - 1, word)
        else:
            out.append(rng.choice(ODD))
    return rng.choice([" "] * 9 + ["\u00a0"]).join(out)


def soup(rng, words):
    return "".join(rng.choice(ODD if rng.random() < 0.6 else words) + rng.choice(GLUE) for _ in range(rng.randrange(12)))


def corpora(rng, pairs):
    references = [r for _, r in pairs]
    sources = [s for s, _ in pairs]
    words = sorted({w for r in references for w in r.split()})

    yield "empty hypothesis", [""], ["Tom wanted revenge."]
    yield "empty reference", ["Tom wanted revenge."], [""]
    yield "both empty", [""], [""]
    yield "only white space", [" \t\u3000\x1c"], ["  \u00a0 "]
    yield "some lines empty", ["", "Tom wanted revenge.", "It is late."], ["It is late.", "", "It is late now."]
    yield "nothing in common", ["aaa bbb ccc ddd eee"], ["zzz yyy xxx www vvv"]
    yield "one word, equal", ["yes"], ["yes"]
    yield "three words, equal", ["yes it is"], ["yes it is"]
    yield "four words, equal", ["yes it is so"], ["yes it is so"]
    yield "one letter", ["a"], ["a"]
    yield "five letters against six", ["abcde"], ["abcdef"]
    yield "repeated words are clipped", ["the the the the the the the"], ["the cat is on the mat"]
    yield "case matters", ["THE CAT IS ON THE MAT"], ["the cat is on the mat"]
    yield "one match, the higher orders smoothed", ["the dog sat under a tree"], ["a cat is on my roof"]
    yield "long against short", ["the cat is on the mat and it is asleep there"], ["the cat"]
    yield "short against long", ["the cat is on the"], ["the cat is on the mat and it is asleep there"]
    yield "entities", ["&quot;A &amp; B&quot; &lt;c&gt; &amp;lt;"], ['"A & B" <c> <']
    yield "numbers", ["It cost $1,234.56, i.e. 5-6 times 3.14."], ["It cost $ 1,234.56 , i.e. 5 - 6 times 3.14 ."]
    yield "Unicode punctuation", ["“Yes,” he said — ‘no’…"], ["\"Yes,\" he said - 'no'..."]
    yield "no spaces", sources[:3], sources[:2] + sources[3:4]
    for i in range(10):
        chosen = rng.sample(references, rng.randint(1, 5))
        yield f"identical {i}", chosen, chosen
    for i in range(10):
        yield f"unrelated {i}", rng.sample(references, 4), rng.sample(references, 4)
    for i in range(140):
        chosen = rng.sample(references, rng.randint(1, 6))
        rate = rng.choice([0.05, 0.15, 0.3, 0.6])
        yield f"hypotheses perturbed {i}", [perturb(rng, r, words, rate) for r in chosen], chosen
    for i in range(60):
        chosen = rng.sample(references, rng.randint(1, 6))
        yield (
            f"both perturbed {i}",
            ["" if rng.random() < 0.1 else perturb(rng, r, words, 0.4) for r in chosen],
            ["" if rng.random() < 0.1 else perturb(rng, r, words, 0.2) for r in chosen],
        )
    for i in range(30):
        text = [soup(rng, words) for _ in range(rng.randint(1, 4))]
        yield f"odd characters {i}", [perturb(rng, t, words, 0.2) for t in text], text
    for i in range(20):
        chosen = rng.sample(pairs, 3)
        yield f"Chinese {i}", [perturb(rng, s, sources, 0.5) for s, _ in chosen], [s for s, _ in chosen]
    for i in range(10):
        chosen = rng.sample(references, 2)
        yield f"few words {i}", [" ".join(r.split()[: rng.randrange(5)]) for r in chosen], [" ".join(r.split()[:4]) for r in chosen]


def main():
    assert sacrebleu.__version__ == "2.6.0", sacrebleu.__version__
    rng = random.Random(SEED)
    with open(sys.argv[1], encoding="utf-8", newline="\n") as file:
        pairs = [line.rstrip("\n").split("\t") for line in file]

    def put(record):
        # ASCII only: white space and invisible characters stay visible in the file.
        print(json.dumps(record))

    put({
        "made_by": "crates/lab/tests/tools/metrics_golden.py from tests/golden/dev.tsv",
        "sacrebleu": sacrebleu.__version__,
        "bleu": "BLEU(): 13a, exp, case-sensitive",
        "chrf": "CHRF(): char order 6, word order 0, beta 2",
        "seed": SEED,
    })
    bleu, chrf = BLEU(), CHRF()
    for name, hypotheses, references in corpora(rng, pairs):
        put({
            "name": name,
            "hypotheses": hypotheses,
            "references": references,
            "bleu": bleu.corpus_score(hypotheses, [references]).score,
            "chrf": chrf.corpus_score(hypotheses, [references]).score,
        })
    words = [w for _, r in pairs for w in r.split()]
    for i in range(60):
        text = soup(rng, words)
        put({"name": f"tokens {i}", "text": text, "tokens": bleu._preprocess_segment(text).split()})


main()
