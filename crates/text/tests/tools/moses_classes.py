#!/usr/bin/env python3
"""Writes the character classes of sacremoses 0.2.0 under CPython 3.11 (Unicode 14).

    moses_classes.py rust   > ../../src/moses/class_tables.rs   (then cargo fmt)
    moses_classes.py golden > ../golden/moses_classes.json
"""
import json
import re
import sys

from sacremoses.corpus import Perluniprops
from sacremoses.tokenize import MosesDetokenizer, MosesTokenizer
from sacremoses.util import is_cjk

EVERY = [chr(i) for i in range(0x110000) if not 0xD800 <= i < 0xE000]
SPACE = {c for c in EVERY if c.isspace()}
tokenizer, chinese = MosesTokenizer('en'), MosesTokenizer('zh')


def members(text):
    # White space never reaches a class test (the lists hold stray line feeds).
    return sorted(ord(c) for c in set(text) - SPACE)


SETS = {
    'alpha': members(MosesDetokenizer.IsAlpha),
    'marks': members(set(tokenizer.IsAlpha) - set(MosesDetokenizer.IsAlpha)),
    'alnum_rest': members(set(tokenizer.IsAlnum) - set(tokenizer.IsAlpha)),
    'number': members(tokenizer.IsN),
    'lower': members(tokenizer.IsLower),
    'currency': members(MosesDetokenizer.IsSc),
    'han': members(set(chinese.IsAlnum) - set(tokenizer.IsAlnum)),
    'digit': members(c for c in EVERY if re.match(r'\d', c)),
    'cjk': members(c for c in EVERY if is_cjk(c)),
}
assert set(tokenizer.IsAlpha) <= set(tokenizer.IsAlnum)
assert set(chinese.IsAlnum) - set(tokenizer.IsAlnum) == set(chinese.IsAlpha) - set(tokenizer.IsAlpha)
DOC = {
    'alpha': 'Letters (`IsAlpha`).',
    'marks': 'Viramas and nuktas, which the tokenizer counts as letters.',
    'alnum_rest': 'What `IsAlnum` has beyond letters and marks: decimal digits.',
    'number': 'Numbers of every kind (`IsN`).',
    'lower': 'Lower-case letters (`IsLower`).',
    'currency': 'Currency symbols (`IsSc`).',
    'han': 'Han characters (`Han`), letters for Chinese text only.',
    'digit': "Decimal digits as Python's `\\\\d` (Unicode 14).".replace('\\\\', '\\'),
    'cjk': 'What the detokenizer glues without a space (`is_cjk`).',
}


def ranges(points):
    out = []
    for p in points:
        if out and out[-1][1] == p:
            out[-1][1] = p + 1
        else:
            out.append([p, p + 1])
    return out


def rust():
    print('//! Character classes of sacremoses 0.2.0 as inversion lists: class members are')
    print('//! `list[0]..list[1]`, `list[2]..list[3]` and so on. Written by')
    print('//! `tests/tools/moses_classes.py`; the classes are frozen, unlike those of the')
    print('//! standard library, which move with every Unicode version.')
    print('use super::classes::Class;')
    for name, points in SETS.items():
        low = [v for r in ranges(p for p in points if p < 0x10000) for v in r]
        high = [v for r in ranges(p for p in points if p >= 0x10000) for v in r]
        assert all(v < 0x10000 for v in low)
        print('\n/// %s' % DOC[name])
        print('pub(super) static %s: Class = Class {' % name.upper())
        print('bmp: &[%s],' % ', '.join('0x%04x' % v for v in low))
        print('astral: &[%s],\n};' % ', '.join('0x%05x' % v for v in high))


if sys.argv[1] == 'rust':
    rust()
else:
    print('{')
    print(',\n'.join('"%s": %s' % (k, json.dumps(ranges(v), separators=(',', ':')))
                     for k, v in SETS.items()))
    print('}')
