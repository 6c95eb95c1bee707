# SPDX-License-Identifier: BSD-2-Clause
"""The files of a corpus: README.md says what is in them. Written by make-corpus, read by score."""
import collections
import os

import layout

Case = collections.namedtuple('Case', 'name feature checks section what')
Packet = collections.namedtuple('Packet', 'offset name fields')
# Of a damaged stream: packets at @since..@sync-1 are not judged; bytes at @begin..@end-1 are not those that were sent.
Damage = collections.namedtuple('Damage', 'since sync begin end how')
MANIFEST = 'MANIFEST.tsv'
BAD = 'bad'     # in place of a name: no packet begins here


def say(value):
    """A field as text."""
    return value if isinstance(value, str) else '%d' % value if value < 10 else '%#x' % value


def value_of(text):
    try:
        return int(text, 0)
    except ValueError:
        return text


def packet_line(packet):
    words = ['%016x' % packet.offset, packet.name]
    return ' '.join(words + ['%s=%s' % (key, say(value)) for key, value in packet.fields.items()])


def packet_of(line):
    """ValueError: it is no line of a packet."""
    offset, name, *fields = line.split()
    return Packet(int(offset, 16), name,
                  {key: value_of(value) for key, _, value in (field.partition('=') for field in fields)})


class Stream:
    """Packets, one behind the other, as bytes and as what must be found in them."""

    def __init__(self):
        self.data, self.packets = b'', []
        self.last_ip = self.block = 0

    def put(self, name, **fields):
        """@ip of a TIP, TIP.PGE, TIP.PGD or FUP is the whole address; what is sent of it depends on @ipbytes."""
        if name == 'BIP':
            fields['bytes'] = self.block
        elif name == 'MODE.Exec' and 'bits' not in fields:
            fields['bits'] = layout.EXEC[fields['mode']]
        ip = fields.pop('ip', None) if name in layout.IP_OPCODE else None
        if ip is not None:
            fields['sent'] = layout.low(ip, fields['ipbytes'])
        self.add(name, layout.write(name, fields))
        if ip is not None and self.last_ip != ip:
            raise ValueError('%s: %#x does not fit behind the address before' % (name, ip))

    def add(self, name, raw):
        """A packet whose bytes are known."""
        fields = layout.read(name, raw)
        if name in ('PSB', 'OVF'):
            self.last_ip = 0
        if 'sent' in fields:
            self.last_ip = layout.whole(self.last_ip, fields['sent'], fields['ipbytes'])
            fields = {'ip': self.last_ip, **fields}
        if name == 'BBP':
            self.block = fields['bytes']
        elif name in ('PTW', 'BIP'):
            del fields['bytes']     # the offset of the next packet tells
        self.packets.append(Packet(len(self.data), name, fields))
        self.data += raw

    def refuse(self, raw):
        """Bytes that are no packet."""
        self.packets.append(Packet(len(self.data), BAD, {}))
        self.data += raw


class Folder:
    """A corpus that is written."""

    def __init__(self, path):
        self.path, self.cases = path, []

    def file(self, name, data):
        with open(os.path.join(self.path, name), 'wb') as file:
            file.write(data if isinstance(data, bytes) else data.encode())

    def case(self, case, stream, **others):
        """@others: suffix and what is in the file: lines, or bytes"""
        self.cases.append(case)
        self.file(case.name + '.pt', stream.data)
        self.lines(case, 'packets', map(packet_line, stream.packets))
        for suffix, content in others.items():
            if isinstance(content, bytes):
                self.file('%s.%s' % (case.name, suffix), content)
            else:
                self.lines(case, suffix, content)

    def lines(self, case, suffix, lines):
        self.file('%s.%s' % (case.name, suffix), ''.join(line + '\n' for line in lines))

    def manifest(self):
        rows = ['\t'.join(Case._fields)] + ['\t'.join(case) for case in self.cases]
        self.file(MANIFEST, '# SPDX-License-Identifier: CC0-1.0\n' + '\n'.join(rows) + '\n')


# ---- reading ----

def lines_of(folder, case, suffix):
    with open(os.path.join(folder, '%s.%s' % (case.name, suffix)), encoding='utf-8') as file:
        return file.read().splitlines()


def cases(folder):
    """OSError, ValueError: it is no corpus."""
    with open(os.path.join(folder, MANIFEST), encoding='utf-8') as file:
        rows = [line.split('\t') for line in file.read().splitlines() if not line.startswith('#')]
    if not rows or tuple(rows[0]) != Case._fields or {len(row) for row in rows} != {len(Case._fields)}:
        raise ValueError('%s/%s: not the columns %s: make corpus writes it' % (folder, MANIFEST, ' '.join(Case._fields)))
    return [Case(*row) for row in rows[1:]]


def packets(folder, case):
    return [packet_of(line) for line in lines_of(folder, case, 'packets')]


def damage(folder, case):
    """None: the stream is as it was sent."""
    if not os.path.exists(os.path.join(folder, case.name + '.damage')):
        return None
    words = lines_of(folder, case, 'damage')[0].split(None, 4)
    if len(words) != len(Damage._fields):
        raise ValueError('not %s' % ' '.join(Damage._fields))
    return Damage(*(int(text, 16) for text in words[:4]), words[4])


def settings(folder, case):
    """What a decoder is told: NAME.conf, or nothing."""
    if not os.path.exists(os.path.join(folder, case.name + '.conf')):
        return {}
    return dict(line.split() for line in lines_of(folder, case, 'conf'))
