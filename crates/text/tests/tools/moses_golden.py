#!/usr/bin/env python3
"""Random provoking texts through sacremoses 0.2.0 (CPython 3.11).

    moses_golden.py 2000 1 > ../golden/moses_random.jsonl       rows, seed

Each row: text; normalized; split = tokens of the normalized text with dashes split; plain = tokens
of the text itself; joined = detokenized `split`; rejoined = detokenized text.split().
"""
import json
import random
import sys

from sacremoses import MosesDetokenizer, MosesPunctNormalizer, MosesTokenizer
from sacremoses.corpus import NonbreakingPrefixes, Perluniprops

random.seed(int(sys.argv[2]))
LANGS = ['en', 'fr', 'es', 'zh', 'xx']    # xx: no rules of its own
TOOLS = {l: (MosesPunctNormalizer(l), MosesTokenizer(l), MosesDetokenizer(l)) for l in LANGS}
PREFIXES = [p for l in LANGS for p in NonbreakingPrefixes().words(l)]
PROPS = Perluniprops()
EVERY = [chr(i) for i in range(1, 0x30000) if not 0xD800 <= i < 0xE000]
CLASSES = [list(PROPS.chars(c)) for c in ('IsAlnum', 'IsAlpha', 'IsLower', 'IsN', 'IsSc', 'IsSo')]
PUNCTUATION = list('.,\'"`-!?:;()[]{}<>&|%$#@/\\*+=_~^¿¡') + [
    '„', '“', '”', '–', '—', '´', '‘', '’', '‚', '…', '«', '»', '\u00a0', 'º', "''", '``', '...', '..',
    '--', '$', '€', '£', '\u202f', '\u2009', '\u3000', '\t', '\r', '\n', '\x01', '\x1c', '\x7f', '\x85']
PIECES = [
    "can't", "l'homme", "d'", "'s", "s'", "o'clock", 'Mr.', 'U.S.', 'e.g.', 'No. 5', 'Art. 3', 'pp. 10',
    '3.14', '1,234', '1 000', '50 %', '50\u00a0%', 'nº\u00a03', '20\u00a0ºC', '5\u00a0cm', '1\u00a0234',
    'a-b', 'e-mail', '@-@', '&amp;', '&apos;', '&quot;', '&#124;', '&#91;', '&bar;', '&bra;', '&lt;', '&amp;lt;',
    'DOTMULTI', 'DOTDOTMULTI', 'http://a.com/b?c=1', 'x@y.org', 'été', 'ñandú', 'Ça', '我们', '学校', '。', '，',
    'ｆｕｌｌ', '한국', 'かな', '12', '٣', '½', 'नमस्ते', '10:30', "rock'n'roll", '"', "'", 'yes.', 'He', 'she',
    'X.', 'Prof.', 'etc.', '",', '."', '.".', '"<', ',"', '"...,', '. <', 'is', 'James', "James'", '“a', 'b”', '«', '»']
WORDS = 'the a to is I you we he house le la les est un une el los casa que y et de du ser cœur naïve'.split()


def piece():
    r = random.random()
    if r < .30:
        return random.choice(WORDS)
    if r < .55:
        return random.choice(PIECES)
    if r < .85:
        return random.choice(PUNCTUATION)
    if r < .90:
        return random.choice(PREFIXES).split()[0] + '.'
    if r < .96:
        return random.choice(random.choice(CLASSES))
    return random.choice(EVERY)


for i in range(int(sys.argv[1])):
    spaced = random.random()
    text = ''
    for _ in range(random.randint(1, 25)):
        text += piece()
        if random.random() < spaced:
            text += ' '
    lang = LANGS[i % len(LANGS)]
    normalizer, tokenizer, detokenizer = TOOLS[lang]
    normalized = normalizer.normalize(text)
    split = tokenizer.tokenize(normalized, return_str=True, aggressive_dash_splits=True)
    plain = tokenizer.tokenize(text, return_str=True)
    print(json.dumps({
        'lang': lang, 'text': text, 'normalized': normalized, 'split': split, 'plain': plain,
        'joined': detokenizer.detokenize(split.split()), 'rejoined': detokenizer.detokenize(text.split()),
    }, ensure_ascii=False))
