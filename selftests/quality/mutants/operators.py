# SPDX-License-Identifier: BSD-2-Clause
"""Mechanical changes of C: what stands at a place of a line, and what may stand there instead."""
import collections
import glob
import os
import re

SWAPS = {
    'relational': {'<': '<=', '<=': '<', '>': '>=', '>=': '>', '==': '!=', '!=': '=='},
    'logical': {'&&': '||', '||': '&&'},
    'arithmetic': {'+': '-', '-': '+', '*': '/', '/': '*', '%': '/'},
    'shift': {'<<': '>>', '>>': '<<'},
    'bitwise': {'&': '|', '|': '&'},
}
BINARY = re.compile(r'(?<= )(<<|>>|<=|>=|==|!=|&&|\|\||[<>+*/%&|-])(?= )')
NUMBER = re.compile(r'(?<![\w.])(0x[0-9a-f]+|\d+)(?=(?:u|ull|U|ULL)?\b(?!\w))')
CONDITION = re.compile(r'\b(?:if|while) \((.*)\)(?= \{$|$)')
STATEMENT = re.compile(r'^\t+(?!return\b|goto\b|break\b|continue\b|else\b)'
                       r'([\w>.\[\]()*-]+(?: [-+|&^]?= .*|\+\+|--|\(.*\));)$')
COMMENT = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S)


class Mutant(collections.namedtuple('Mutant', 'file line column operator old new')):
    """@old stands at a line and column of a file, both from 1 on."""

    __slots__ = ()

    def key(self):
        """As strings: a row of a CSV file."""
        return tuple(map(str, self))

    def __str__(self):
        return '%s:%d:%d: %s: "%s" -> "%s"' % self

    def apply(self, source):
        lines = source.split('\n')
        text, at = lines[self.line - 1], self.column - 1
        assert text[at:].startswith(self.old), self
        lines[self.line - 1] = text[:at] + self.new + text[at + len(self.old):]
        return '\n'.join(lines)


def write(path, source):
    with open(path, 'w', encoding='utf-8') as file:
        file.write(source)


def blank(match):
    return re.sub(r'[^\n]', '_', match.group(0)) if match.group(0)[0] in '"\'' else \
        re.sub(r'[^\n]', ' ', match.group(0))


def of_line(text):
    """(column, operator, old, new) of each change; @text has neither comments nor strings."""
    for match in BINARY.finditer(text):
        for operator, swap in SWAPS.items():
            if match.group(1) in swap:
                yield match.start(1), operator, match.group(1), swap[match.group(1)]
    for match in NUMBER.finditer(text):
        value = int(match.group(1), 0)
        yield match.start(1), 'constant', match.group(1), str(value + 1)
        if value:
            yield match.start(1), 'constant', match.group(1), str(value - 1)
    for match in CONDITION.finditer(text):
        yield match.start(1), 'negate', match.group(1), '!(%s)' % match.group(1)
    for match in STATEMENT.finditer(text):
        yield match.start(1), 'delete', match.group(1), ';'


def of_file(tree, name):
    """All that are inside of functions and tables: lines that begin with a tab."""
    with open(os.path.join(tree, name), encoding='utf-8') as file:
        source = file.read()
    lines = source.split('\n')
    for number, text in enumerate(COMMENT.sub(blank, source).split('\n'), 1):
        if not text.startswith('\t') or lines[number - 2].endswith('\\'):
            continue
        for column, operator, old, new in of_line(text.rstrip()):
            # A string inside of it was blanked: the old text is the line's own
            old = lines[number - 1][column:column + len(old)]
            if operator == 'negate':
                new = '!(%s)' % old
            yield Mutant(name, number, column + 1, operator, old, new)


def find(tree, patterns):
    names = sorted(os.path.relpath(path, tree) for pattern in patterns
                   for path in glob.glob(os.path.join(tree, pattern), recursive=True))
    return [mutant for name in names for mutant in of_file(tree, name)]
