# SPDX-License-Identifier: BSD-2-Clause
"""A reader of Perfetto's traces that knows nothing of their writer, only of the .proto files."""

# number: (name, kind); kind: a message, or int, or str
NOTE = {10: ('name', str), 3: ('uint', int), 6: ('text', str), 7: ('pointer', int)}
EVENT = {4: ('notes', NOTE), 9: ('type', int), 11: ('track', int), 23: ('name', str),
         30: ('value', int)}
TRACK = {1: ('uuid', int), 2: ('name', str), 5: ('parent', int),
         3: ('process', {1: ('pid', int), 6: ('name', str)}),
         4: ('thread', {1: ('pid', int), 2: ('tid', int), 5: ('name', str)}),
         8: ('counter', {3: ('unit', int)})}
PACKET = {8: ('timestamp', int), 10: ('sequence', int), 11: ('event', EVENT), 13: ('flags', int),
          60: ('track', TRACK)}
TRACE = {1: ('packet', PACKET)}
BEGIN, END, INSTANT, COUNTER = 1, 2, 3, 4


class Bad(Exception):
    """No trace of Perfetto's."""


def varint(data, at):
    value = shift = 0
    while True:
        value |= (data[at] & 0x7f) << shift
        at += 1
        if not data[at - 1] & 0x80:
            return value, at
        shift += 7


def message(data, fields):
    """Return: a list of (name, value), in order."""
    found, at = [], 0
    while at < len(data):
        key, at = varint(data, at)
        if key >> 3 not in fields:
            raise Bad('field %d is unknown' % (key >> 3))
        name, kind = fields[key >> 3]
        value, at = varint(data, at)
        if key & 7 != (0 if kind is int else 2):
            raise Bad('%s has wire type %d' % (name, key & 7))
        if kind is not int:
            if at + value > len(data):
                raise Bad('%s goes beyond the end' % name)
            value, at = data[at:at + value], at + value
            value = value.decode() if kind is str else message(value, kind)
        found.append((name, value))
    return found


class Track:
    def __init__(self, about):
        self.about = about
        self.slices = []        # [begin, end, depth, name, notes]
        self.instants = []      # (time, name, notes)
        self.values = []        # (time, value)
        self.open = []
        self.last = 0

    def take(self, time, event):
        kind, name = event['type'], event.get('name')
        if time < self.last:
            raise Bad('%s: %d after %d' % (self.about, time, self.last))
        self.last = time
        if kind == BEGIN:
            self.open.append([time, None, len(self.open), name, event['notes']])
            self.slices.append(self.open[-1])
        elif kind == END:
            if not self.open:
                raise Bad('%s: the end of no slice' % self.about)
            self.open[-1][1] = time
            self.open.pop()[4].update(event['notes'])
        elif kind == INSTANT:
            self.instants.append((time, name, event['notes']))
        elif kind == COUNTER and 'counter' in self.about:
            self.values.append((time, event['value']))
        else:
            raise Bad('%s: event of type %d' % (self.about, kind))


def notes(event):
    found = {}
    for name, value in event:
        if name == 'notes':
            about = dict(value)
            found[about.pop('name')] = about.popitem()[1]
    return found


def unnamed(about):
    """A track may get another name, and stays what it is."""
    return {key: {k: v for k, v in value.items() if k != 'name'} if isinstance(value, dict)
            else value for key, value in about.items()}


def read(path):
    """Return: the tracks, in order."""
    with open(path, 'rb') as file:
        trace = message(file.read(), TRACE)
    tracks = {}
    for number, (_, fields) in enumerate(trace):
        packet = dict(fields)
        if packet['sequence'] != 1 or packet.get('flags') != (None if number else 1):
            raise Bad('packet %d: sequence %s' % (number, packet))
        if 'track' in packet:
            about = {name: dict(value) if isinstance(value, list) else value
                     for name, value in packet['track']}
            known = tracks.setdefault(about['uuid'], Track(about))
            if unnamed(known.about) != unnamed(about):
                raise Bad('%s and %s are one track' % (known.about, about))
            known.about = about
        else:
            event = dict(packet['event'])
            event['notes'] = notes(packet['event'])
            tracks[event['track']].take(packet['timestamp'], event)
    for track in tracks.values():
        if track.open:
            raise Bad('%s: %d slices have no end' % (track.about, len(track.open)))
    return list(tracks.values())
