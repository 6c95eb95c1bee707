# SPDX-License-Identifier: BSD-2-Clause
"""A reader of Arrow's streams, by the rules of the format alone: messages in Flatbuffers, batches of columns

https://arrow.apache.org/docs/format/Columnar.html, Schema.fbs, Message.fbs
"""
import struct

from tap import Failure, same

INT, UTF8, BOOL = 2, 5, 6
SCHEMA, BATCH = 1, 3
NUMBERS = {'b': 1, 'B': 1, '?': 1, 'h': 2, 'H': 2, 'i': 4, 'I': 4, 'q': 8, 'Q': 8}


class Flat:
    """A buffer of Flatbuffers: numbers lie at multiples of their size, and offsets lead forward, to what is within."""

    def __init__(self, data):
        self.data = data

    def number(self, form, at):
        size = NUMBERS[form]
        if at % size or at < 0 or at + size > len(self.data):
            raise Failure('a number of %d bytes at %d of %d' % (size, at, len(self.data)))
        return struct.unpack_from('<' + form, self.data, at)[0]

    def follow(self, at):
        offset = self.number('I', at)
        if not offset:
            raise Failure('an offset at %d leads nowhere' % at)
        return at + offset

    def root(self):
        return self.follow(0)

    def place(self, table, field):
        """Where a field is, None: it is not there"""
        fields = table - self.number('i', table)
        length, size = self.number('H', fields), self.number('H', fields + 2)
        if table + size > len(self.data):
            raise Failure('a table at %d of %d bytes' % (table, size))
        entry = 4 + 2 * field
        offset = self.number('H', fields + entry) if entry < length else 0
        if offset >= size:
            raise Failure('field %d is not in its table' % field)
        return table + offset if offset else None

    def field(self, table, field, form, default=0):
        at = self.place(table, field)
        return default if at is None else self.number(form, at)

    def table(self, table, field):
        return self.follow(self.place(table, field))

    def vector(self, table, field, size):
        """Where its elements are"""
        at = self.table(table, field)
        n = self.number('I', at)
        if at + 4 + n * size > len(self.data):
            raise Failure('a vector at %d of %d elements' % (at, n))
        return [at + 4 + size * i for i in range(n)]

    def string(self, table, field):
        at = self.table(table, field)
        n = self.number('I', at)
        same('the end of a string', self.data[at + 4 + n], 0)
        return self.data[at + 4:at + 4 + n].decode()


class Column:
    def __init__(self, flat, field):
        self.name = flat.string(field, 0)
        self.null = flat.field(field, 1, '?')
        self.kind = flat.field(field, 2, 'B')
        kind = flat.table(field, 3)
        same('dictionary of ' + self.name, flat.place(field, 4), None)
        same('children of ' + self.name, flat.vector(field, 5, 4), [])
        self.form = None
        if self.kind == INT:
            same('bits of ' + self.name, flat.field(kind, 0, 'i'), 64)
            self.form = 'q' if flat.field(kind, 1, '?') else 'Q'
        elif self.kind not in (UTF8, BOOL):
            raise Failure('%s: type %d' % (self.name, self.kind))

    def values(self, rows, nulls, buffers):
        valid = buffers.pop(0)
        if nulls or valid:
            same('%s: bytes of bits' % self.name, (self.null, len(valid)), (True, (rows + 7) // 8))
        there = [not valid or bit(valid, i) for i in range(rows)]
        same('%s: nulls' % self.name, rows - sum(there), nulls)
        return [value if known else None for value, known in zip(self.all(rows, buffers), there)]

    def all(self, rows, buffers):
        if self.kind == INT:
            return struct.unpack('<%d%s' % (rows, self.form), buffers.pop(0))
        if self.kind == BOOL:
            bits = buffers.pop(0)
            same('%s: bytes of bits' % self.name, len(bits), (rows + 7) // 8)
            return [bit(bits, i) for i in range(rows)]
        ends = struct.unpack('<%di' % (rows + 1), buffers.pop(0))
        text = buffers.pop(0)
        same('%s: the ends of texts' % self.name, (ends[0], ends[-1], list(ends)), (0, len(text), sorted(ends)))
        return [text[a:b].decode() for a, b in zip(ends, ends[1:])]


def bit(bits, i):
    return bits[i // 8] >> i % 8 & 1 == 1


class Stream:
    """@columns, @batches: how many rows each has, @rows"""

    def __init__(self, data):
        self.data, self.at = data, 0
        self.batches, self.rows = [], []
        flat, header, body = self.message(SCHEMA)
        same('bytes behind the schema', body, b'')
        same('big endian', flat.field(header, 0, 'h'), 0)
        self.columns = [Column(flat, flat.follow(at)) for at in flat.vector(header, 1, 4)]
        while self.more():
            self.batch(*self.message(BATCH))
        same('bytes behind the end', len(self.data) - self.at, 0)

    def take(self, n):
        if n < 0 or n > len(self.data) - self.at:
            raise Failure('the stream ends within %d bytes' % n)
        self.at += n
        return self.data[self.at - n:self.at]

    def more(self):
        """Another message: the end of a stream is one of no bytes."""
        if self.data[self.at:self.at + 8] != b'\xff\xff\xff\xff\0\0\0\0':
            return True
        self.take(8)
        return False

    def message(self, kind):
        go_on, size = struct.unpack('<Ii', self.take(8))
        same('before a message', (go_on, size % 8), (0xffffffff, 0))
        flat = Flat(self.take(size))
        root = flat.root()
        same('version', flat.field(root, 0, 'h'), 4)
        same('kind', flat.field(root, 1, 'B'), kind)
        return flat, flat.table(root, 2), self.take(flat.field(root, 3, 'q'))

    def batch(self, flat, header, body):
        rows = flat.field(header, 0, 'q')
        nodes = [(flat.number('q', at), flat.number('q', at + 8)) for at in flat.vector(header, 1, 16)]
        buffers, end = [], 0
        for at in flat.vector(header, 2, 16):
            offset, size = flat.number('q', at), flat.number('q', at + 8)
            if offset % 8 or offset < end or offset + size > len(body):
                raise Failure('a buffer of %d bytes at %d of %d' % (size, offset, len(body)))
            end = offset + size
            buffers.append(body[offset:end])
        same('bytes of a batch', len(body), end + -end % 8)
        same('rows of each column', {n for n, _ in nodes}, {rows})
        same('columns', len(nodes), len(self.columns))
        values = [c.values(rows, nulls, buffers) for c, (_, nulls) in zip(self.columns, nodes)]
        same('buffers that are left', buffers, [])
        self.rows += zip(*values)
        self.batches.append(rows)
