# SPDX-License-Identifier: BSD-2-Clause
"""Sphinx directives that read the sources, so that a page can't disagree with them.

kernel-doc:: FILE [NAME...]   the kernel-doc comments of a C file, all or those named, by the kernel's script
c-enum:: FILE NAME            the values of an enum with their comments
c-flags:: FILE PREFIX         #defines with a prefix, and their comments
softpt-params::               keys, ranges and defaults (uapi/softpt/params.h)
softpt-packets::              the packet table (uapi/softpt/packets.h)
softpt-classes::              classes of events (uapi/softpt/classes.h)
softpt-claims::               claims of the counters' patent (selftests/host/unit/engine/claims-test.c)
"""
import glob
import os
import re
import subprocess

import sphinx
from docutils.parsers.rst import Directive
from sphinx.errors import ExtensionError
from docutils.statemachine import StringList
from sphinx.util.nodes import nested_parse_with_titles
from docutils import nodes

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..')


def source(path):
    with open(os.path.join(ROOT, path), encoding='utf-8') as file:
        return file.read()


def table(widths, header, rows):
    """A list-table; cells are RST."""
    yield from ('.. list-table::', '   :header-rows: 1',
                '   :widths: ' + ' '.join(str(w) for w in widths), '')
    for row in [header, *rows]:
        for i, cell in enumerate(row):
            yield '   %s - %s' % ('*' if not i else ' ', cell)
    yield ''


# ---- kernel-doc ----

SCRIPTS = ('/usr/lib/linux-kbuild-*/scripts/kernel-doc',
           '~/.cache/softpt/linux-*/usr/lib/linux-kbuild-*/scripts/kernel-doc')


def script():
    """The kernel's own: of a package, or what selftests/guest/vm/setup has fetched."""
    for pattern in SCRIPTS:
        for path in sorted(glob.glob(os.path.expanduser(pattern))):
            return path
    raise ExtensionError('kernel-doc is missing: apt-get install linux-kbuild-6.1')


def inline(text):
    """@param, -ERRNO, functions and FAMILIES_* as literals."""
    text = re.sub(r'\b([A-Z]\w*_)\*', r'``\1*``', text)
    text = re.sub(r'(?<!_)\*', r'\\*', text)
    text = re.sub(r'(?<![\w`])@(\w+)', r'``\1``', text)
    return re.sub(r'(?<![\w`])(-E[A-Z]{2,}|[a-z_]+\(\))(?![\w`])', r'``\1``', text)


class KernelDoc(Directive):
    required_arguments = 1
    optional_arguments = 1
    final_argument_whitespace = True
    has_content = False

    def lines(self):
        names = self.arguments[1].split() if len(self.arguments) > 1 else []
        wanted = [word for name in names for word in ('-function', name)]
        result = subprocess.run(
            ['perl', script(), '-rst', '-sphinx-version', sphinx.__version__, *wanted,
             os.path.join(ROOT, self.arguments[0])],
            capture_output=True, text=True, check=False)
        missing = [name for name in names if not re.search(r'\b%s\b' % name, result.stdout)]
        if result.returncode or not result.stdout.strip() or missing:
            raise self.error('%s documents no %s: %s' % (self.arguments[0], missing, result.stderr))
        # a function may have the name of a struct, which Sphinx takes for a mistake
        return result.stdout.expandtabs(8).replace('.. c:struct:: ', '.. describe:: struct ').splitlines()

    def run(self):
        path = self.arguments[0] if self.arguments else self.of
        self.state.document.settings.env.note_dependency(
            os.path.abspath(os.path.join(ROOT, path)))
        node = nodes.section()
        node.document = self.state.document
        nested_parse_with_titles(self.state, StringList(list(self.lines()), path), node)
        return node.children


# ---- tables of C sources ----

def joined(text):
    return text.replace('\\\n', ' ')


def rows_of(text, macro, call):
    """Argument lists of CALL(...) in the definition of MACRO."""
    body = re.search(r'#define %s\(\w+\)(.*)' % macro, joined(text)).group(1)
    calls = re.findall(r'\b%s\(((?:[^()"]|"[^"]*")*)\)' % call, body)
    for args in calls:
        yield [a.strip().strip('"') for a in re.findall(r'(?:"[^"]*"|[^,"])+', args)]


class Enum(KernelDoc):
    required_arguments = 2
    optional_arguments = 0

    def lines(self):
        path, name = self.arguments[0], self.arguments[1]
        body = re.search(r'enum %s \{(.*?)\n\};' % name, source(path), re.S).group(1)
        rows = re.findall(r'\b([A-Z]\w+)\s*=\s*(\w+),(?:\s*/\*\s*(.*?)\s*\*/)?', body)
        yield from table((34, 10, 56), ('name', 'value', 'what'),
                         [('``%s``' % n, v, inline(w)) for n, v, w in rows])


class Flags(KernelDoc):
    required_arguments = 2
    optional_arguments = 0

    def lines(self):
        rows = re.findall(r'^#define (%s\w+)\s+(\w+)(?:\s*/\*\s*(.*?)\s*\*/)?$' %
                          self.arguments[1], source(self.arguments[0]), re.M)
        yield from table((34, 12, 54), ('name', 'value', 'what'),
                         [('``%s``' % n, v, inline(w)) for n, v, w in rows
                          if not n.endswith('_ALL')])


class Params(KernelDoc):
    required_arguments = 0
    optional_arguments = 0
    of = 'uapi/softpt/params.h'

    def lines(self):
        text = source(self.of)
        rows = [(k, '0, 1', d, w) for k, _, d, w in rows_of(text, 'SOFTPT_PARAM_FLAGS', 'FLAG')]
        rows += [(k, '%s..%s' % (lo, hi), d, w)
                 for k, _, lo, hi, d, w in rows_of(text, 'SOFTPT_PARAM_NUMS', 'NUM')]
        rows += list(rows_of(text, 'SOFTPT_PARAM_TEXTS', 'TEXT'))
        rows += [(k, '%s..%s' % (lo, hi), d, w) for k, _, lo, hi, d, w in rows_of(
            source('userspace/include/softpt/port.h'), 'SOFTPT_PARAM_PORT', 'NUM')]
        yield from table((14, 24, 14, 48), ('key', 'values', 'default', 'what'),
                         [('``%s``' % k, inline(v), d, inline(w)) for k, v, d, w in rows])


class Packets(KernelDoc):
    required_arguments = 0
    optional_arguments = 0
    of = 'uapi/softpt/packets.h'

    def lines(self):
        rows = []
        for _, name, opc, ext, size, flags in rows_of(source(self.of), 'SOFTPT_PACKETS', 'X'):
            byte2 = '' if 'NONE' in ext else ext[2:]
            rows.append((name, '``%s%s``' % (opc[2:], ' ' + byte2 if byte2 else ''),
                         'varies' if size == '0' else size,
                         'yes' if 'CYC' in flags else '', '' if 'TIMING' in flags else 'yes'))
        yield from table((24, 22, 18, 18, 18),
                         ('packet', 'first bytes', 'bytes in all', 'CYC-eligible', 'NTP'), rows)


class Classes(KernelDoc):
    required_arguments = 0
    optional_arguments = 0
    of = 'uapi/softpt/classes.h'

    def lines(self):
        text = joined(source(self.of))
        subs = re.findall(r'SUB\((\w+), \w+, (\d+), "([\w-]+)", "([^"]*)"\)', text)
        rows = []
        for key, number, name, unit, what in re.findall(
                r'ROW\((\w+), (\d+), "([\w-]+)", ([A-Z]+),\s*"([^"]*)"\)', text):
            rows.append((number, '``%s``' % name,
                         inline(('clocks while ' if unit == 'CLOCKS' else '') + what)))
            rows += [('', '0x%x ``%s``' % (1 << int(bit), sub), inline(about))
                     for of, bit, sub, about in subs if of == key]
        yield from table((10, 34, 56), ('class', 'name, or bit and subclass', 'what'), rows)


class Claims(KernelDoc):
    required_arguments = 0
    optional_arguments = 0
    of = 'selftests/host/unit/engine/claims-test.c'

    def lines(self):
        rows = re.findall(r'\{ (\d+), "([^"]*)",\s*(\w+) \}', source(self.of))
        yield from table((10, 60, 30), ('claim', 'what it says', 'its test in claims-test.c'),
                         [(claim, inline(what), '``%s()``' % test) for claim, what, test in rows])


def setup(app):
    for name, directive in (('kernel-doc', KernelDoc), ('c-enum', Enum), ('c-flags', Flags),
                            ('softpt-params', Params), ('softpt-packets', Packets),
                            ('softpt-classes', Classes), ('softpt-claims', Claims)):
        app.add_directive(name, directive)
    return {'parallel_read_safe': True}
