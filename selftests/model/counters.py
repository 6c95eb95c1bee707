# SPDX-License-Identifier: BSD-2-Clause
"""What counters count, the long way: every counter looks at every event of the text.

Nothing is shared with the engine: the area of a class, what a name means and what
u, k and t0u let through are written down here once more.
"""

FIELDS = 'counter,class,submask,quals,value,overflows'
BITS = 40
# Sub-areas of each area, and its counters
AREAS = ((3, 4), (6, 4), (7, 4), (8, 6))
# A few names, of what the events' numbers are
NAMES = {'instructions': 0, 'branches': 2, 'mem': 3, 'dcache': 4, 'page-walks': 7, 'ext8': 8,
         'stalls': 10, 'page-faults': 17, 'ext47': 47, 'trace': 63}
SUBS = {2: ('taken', 'not-taken', 'predicted', 'mispredicted'), 3: ('read', 'write'),
        4: ('read-hit', 'read-miss', 'write-hit', 'write-miss'),
        10: ('fetch', 'execute', 'memory', 'retire')}


def sub_area(number):
    return number % sum(areas for areas, _ in AREAS)


def counters_of(number):
    """The counters of the area that a class belongs to."""
    areas = counters = 0
    for wide, many in AREAS:
        areas, counters = areas + wide, counters + many
        if sub_area(number) < areas:
            return range(counters - many, counters)
    raise ValueError(number)


def lets(word):
    """What a qualifier lets through: (thread, CPL); "" everything."""
    levels = {'u': (1, 2, 3), 'k': (0,)}.get(word[-1:], (0, 1, 2, 3))
    threads = [int(word[1:].rstrip('uk'))] if word[:1] == 't' else range(32)
    return {(t, c) for t in threads for c in levels}


class Counter:
    """One counter, from the text K=CLASS[/SUBMASK][:QUAL...]."""

    def __init__(self, text):
        head, _, self.quals = text.partition(':')
        head, slash, mask = head.partition('/')
        number, _, name = head.partition('=')
        self.number = int(number)
        self.event_class = NAMES[name] if name in NAMES else int(name, 0)
        self.mask = sum({self.bit(word) for word in mask.split('+')}) if slash else 0xffff
        self.total = 0
        self.pairs = set().union(*map(lets, self.quals.replace(' ', ':').split(':')))

    def bit(self, word):
        names = SUBS.get(self.event_class, ())
        return 1 << names.index(word) if word in names else int(word, 0)

    def canonical(self):
        """Each privilege level as one word, else thread by thread; "" for all of both."""
        whole = [level for level, cpl in (('u', 1), ('k', 0))
                 if all((t, cpl) in self.pairs for t in range(32))]
        if len(whole) == 2:
            return ''
        return ' '.join(whole + ['t%d%s' % (t, level) for t in range(32)
                                 for level, cpl in (('u', 1), ('k', 0))
                                 if (t, cpl) in self.pairs and level not in whole])

    def row(self):
        return '%d,%d,%#x,%s,%d,%d' % (self.number, self.event_class, self.mask,
                                       self.canonical(), self.total % 2 ** BITS,
                                       self.total // 2 ** BITS)


def count(text, specs):
    """The CSV for an event text and the arguments of --counter."""
    counters = [Counter(spec) for spec in specs]
    thread, cpl = 0, 3
    for line in text.splitlines():
        words = line.split('#')[0].split()[1:]
        if not words:
            continue
        if words[0] == 'thread':
            thread = int(words[1], 0)
        elif words[0] == 'cpl':
            cpl = int(words[1], 0)
        elif words[0] in ('far', 'intr'):
            cpl = int(words[3], 0)
        elif words[0] == 'pmu':
            number, mask, amount = (int(word, 0) for word in words[1:4])
            for counter in counters:
                if number == counter.event_class and mask & counter.mask and \
                        (thread, cpl) in counter.pairs:
                    counter.total += amount
    rows = [c.row() for c in sorted(counters, key=lambda c: c.number)]
    return '\n'.join([FIELDS] + rows) + '\n'
