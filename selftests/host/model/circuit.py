# SPDX-License-Identifier: BSD-2-Clause
"""Every gap of 0..LONGEST ticks at every payload, in one event file.

Payloads are the nodes of a graph, gaps its edges: from the NTP in the period of payload p a
gap of g leads to the NTP in the period of p + g + 1. An Eulerian circuit of it meets every
pair (p, g) once, with no tick wasted on the way.
"""
import packets

NTP = b'\x2d\x00\x10'                   # TIP 0x401000, two bytes


def circuit(first, longest):
    """The gaps of an Eulerian circuit from a payload (Hierholzer)."""
    left = {p: list(range(longest + 1)) for p in range(256)}
    stack, out = [(first, None)], []
    while stack:
        node, gap = stack[-1]
        if left[node]:
            step = left[node].pop()
            stack.append(((node + step + 1) % 256, step))
        else:
            stack.pop()
            out.append(gap)
    if len(out) != 256 * (longest + 1) + 1:
        raise ValueError('the circuit misses a gap')
    return out[-2::-1]


def events(period, gaps):
    """An NTP behind the first tick, then one behind each gap."""
    now = 256 * period + 1
    lines = ['%d enable 0x401000' % now, '%d ijmp 0x401000 0x401000' % now]
    for gap in gaps:
        now += (gap + 1) * period
        lines.append('%d ijmp 0x401000 0x401000' % now)
    return '\n'.join(lines) + '\n'


def expected(suppressor, gaps, period):
    """The bytes behind the enable: MTCs that the suppressor lets through, and TIPs. The end has a
    closing anchor where the last MTC before the last TIP was the last that was allowed."""
    out, payload, ticks, unsure = [NTP], 0, 256, False
    suppressor.ntp()
    for gap in gaps:
        for _ in range(gap + 1):
            payload = (payload + 1) & 0xff
            if suppressor.tick(payload):
                out.append(bytes((0x59, payload)))
        unsure = suppressor.exhausted
        ticks += gap + 1
        out.append(NTP)
        suppressor.ntp()
    if unsure:
        out += [b'\x19' + packets.le(ticks * period + 1, 7), packets.tma(ticks & 0xffff, 1)]
    return b''.join(out)
