#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The trace unit by the book: what DESIGN.md says, tick by tick, with fractions.

usage: model.py [-c KEY=VALUE,...] EVENTS            prints the packets
       model.py [-c KEY=VALUE,...] EVENTS TRACE.pt   compares them, exit 1 if they differ
"""
import argparse
import sys

import events
import packets
import unit
from config import Config


def show(offset, name, raw):
    return '%x %s %s' % (offset, name, raw.hex())


def first_difference(expected, data):
    """None, or text that shows where the trace leaves the model."""
    if b''.join(p.raw for p in expected) == data:
        return None
    try:
        found = packets.split(data)
    except ValueError as why:
        return str(why)
    for i, (offset, name, raw) in enumerate(found):
        if i >= len(expected) or expected[i].raw != raw:
            break
    else:
        i = len(found)
    lines = ['  %s' % show(p.offset, p.name, p.raw) for p in expected[max(0, i - 4):i]]
    lines += ['- %s  @%d (model)' % (show(p.offset, p.name, p.raw), p.tsc)
              for p in expected[i:i + 8]]
    lines += ['+ %s (trace)' % show(*f) for f in found[i:i + 8]]
    return '\n'.join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('-c', default='', metavar='KEY=VALUE,...')
    parser.add_argument('events')
    parser.add_argument('trace', nargs='?')
    args = parser.parse_args()
    with open(args.events, encoding='utf-8') as file:
        expected = unit.run(Config(args.c), events.parse(file.read()))
    if not args.trace:
        for p in expected:
            print(show(p.offset, p.name, p.raw), '@%d' % p.tsc)
        return 0
    with open(args.trace, 'rb') as file:
        difference = first_difference(expected, file.read())
    if difference:
        print(difference)
    return 1 if difference else 0


if __name__ == '__main__':
    sys.exit(main())
