#!/usr/bin/env python3
"""Learned and random code files through subword-nmt 0.3.8.

    bpe_golden.py 40 1 > ../golden/bpe.jsonl         code files, seed

Each row: codes (the whole file), lines of [line, process_line(line).strip().split()].
"""
import io
import json
import random
import sys

from subword_nmt.apply_bpe import BPE
from subword_nmt.learn_bpe import learn_bpe

random.seed(int(sys.argv[2]))
ALPHABETS = ['ab', 'abc', 'abcde', '我们学校今天', 'aé我😀', 'x@w</>']
SEPARATORS = [' '] * 8 + ['  ', '\t', '\u3000', ' \r\n ', '\u00a0', '\n', ' </w> ', ' @@ ']


def word(alphabet):
    return ''.join(random.choice(alphabet) for _ in range(random.randint(1, 12)))


def learned(alphabet):
    text = io.StringIO('\n'.join(' '.join(word(alphabet) for _ in range(8)) for _ in range(40)))
    out = io.StringIO()
    learn_bpe(text, out, random.randint(5, 60), min_frequency=2)
    codes = out.getvalue()
    if random.random() < .4:    # the same merges as a version 0.1 file
        lines = [l.replace('</w>', ' </w>') if l.count(' ') == 1 and l.endswith('</w>') else l
                 for l in codes.split('\n')[1:]]
        codes = '\n'.join(l for l in lines if l.count(' ') == 1)
        codes += ''.join('\n%s </w>' % c for c in alphabet if c not in '</>')
    return codes


def invented(alphabet):
    """Rules in any order, with several ways to the same symbol and duplicates."""
    new = random.random() < .6
    symbols = list(alphabet) + ([c + '</w>' for c in alphabet] if new else ['</w>'])
    lines = []
    for _ in range(random.randint(3, 40)):
        left = random.choice([s for s in symbols if not s.endswith('</w>')] or ['a'])
        right = random.choice(symbols)
        lines.append('%s %s' % (left, right))
        if len(left + right) < 14:
            symbols.append(left + right)
    random.shuffle(lines)
    lines += random.sample(lines, len(lines) // 4)
    head = random.choice(['#version: 0.2\n', '#version: 0.2.0\n']) if new else random.choice(['', '#version: 0.1\n'])
    return head + random.choice(['\n', '\n', '\r\n']).join(lines) + random.choice(['', '\n', '\n\n'])


for i in range(int(sys.argv[1])):
    alphabet = random.choice(ALPHABETS)
    codes = (learned if i % 2 else invented)(alphabet)
    # As open(path) reads it, with universal newlines.
    bpe = BPE(io.StringIO(codes.replace('\r\n', '\n')))
    lines = []
    for _ in range(30):
        line = ''.join(word(alphabet + ('z' if random.random() < .3 else '')) + random.choice(SEPARATORS)
                       for _ in range(random.randint(1, 6)))
        line = random.choice(['', ' ', '\r\n']) + line
        lines.append([line, bpe.process_line(line).strip().split()])
    print(json.dumps({'codes': codes, 'lines': lines}, ensure_ascii=False))
