# SPDX-License-Identifier: BSD-2-Clause
"""A case for each kind of packet: every form, and the numbers at which a field may break."""
from corpus import Case, Stream

USER, FAR, KERNEL = 0x401000, 0x7fff12345678, 0xffffffff81000000
CASES = []


def case(name, feature, section, what):
    def keep(fill):
        CASES.append((Case(name, feature, 'packets', section, what), fill))
        return fill
    return keep


def psb_plus(s, ip=USER, tsc=0x123456789a):
    s.put('PSB')
    s.put('TSC', tsc=tsc)
    s.put('CBR', ratio=26)
    s.put('MODE.Exec', mode=64)
    s.put('FUP', ip=ip, ipbytes=3)
    s.put('PSBEND')


def build(fill, rng):
    """Between two PSB+, so that whatever it is, it is followed by something else."""
    s = Stream()
    psb_plus(s)
    fill(s, rng)
    psb_plus(s)
    return s


def edges(bits):
    """0, all ones, and a one in each place."""
    return [0, (1 << bits) - 1] + [1 << bit for bit in range(bits)]


def word(rng, count):
    return ''.join(rng.choice('TN') for _ in range(count))


@case('pad', 'PAD', 'PAD Packet', 'one, some and many, between packets of all lengths')
def pad(s, _):
    for count in (1, 2, 3, 15, 64):
        for _ in range(count):
            s.put('PAD')
        s.put('MTC', ctc=count)
        s.put('TNT.8', bits='TNT')


@case('psb', 'PSB', 'Packet Stream Boundary (PSB) Packet', 'each PSB+ that may be, and two PSBs in a row')
def psb(s, _):
    s.put('PSB')
    s.put('PSBEND')
    psb_plus(s, KERNEL)
    s.put('PSB')
    s.put('PSB')
    s.put('TSC', tsc=1 << 55)
    s.put('TMA', ctc=0x1234, fc=7)
    s.put('PIP', cr3=0x1234000, nr=0)
    s.put('VMCS', base=0xabc000)
    s.put('CBR', ratio=1)
    s.put('MODE.TSX', intx=0, abort=0)
    s.put('MODE.Exec', mode=32)
    s.put('FUP', ip=USER, ipbytes=6)
    s.put('PSBEND')


@case('tnt-8', 'TNT', 'Taken/Not-taken (TNT) Packet', 'each pattern of one to six bits')
def tnt_8(s, _):
    for count in range(1, 7):
        for value in range(1 << count):
            s.put('TNT.8', bits=''.join('T' if value >> bit & 1 else 'N' for bit in range(count)))


@case('tnt-64', 'TNT', 'Taken/Not-taken (TNT) Packet', 'one to 47 bits: all taken, none, random')
def tnt_64(s, rng):
    for count in range(1, 48):
        for bits in ('T' * count, 'N' * count, word(rng, count)):
            s.put('TNT.64', bits=bits)


def addresses(name):
    def fill(s, rng):
        s.put(name, ipbytes=0)
        for ip, ipbytes in ((FAR, 6), (FAR ^ 0xf0f0, 1), (FAR ^ 0xf0f0f0f0, 2), (KERNEL, 3), (USER, 3),
                            (KERNEL, 6), (KERNEL & ~0xffffffffffff | 0x123456789abc, 4), (0, 3), (2 ** 64 - 1, 3)):
            s.put(name, ip=ip, ipbytes=ipbytes)
            s.put(name, ipbytes=0)
        for _ in range(20):
            s.put(name, ip=rng.getrandbits(64), ipbytes=6)
    return fill


for packet, title in (('TIP', 'Target IP (TIP) Packet'), ('TIP.PGE', 'Packet Generation Enable (TIP.PGE) Packet'),
                      ('TIP.PGD', 'Packet Generation Disable (TIP.PGD) Packet'), ('FUP', 'Flow Update (FUP) Packet')):
    case(packet.lower().replace('.', '-'), packet, title, 'each IPBytes')(addresses(packet))


@case('ip-compression', 'IP compression', 'IP Compression',
      'the last IP is that of any TIP or FUP, stays behind one without an IP, and is 0 after PSB and OVF')
def ip_compression(s, rng):
    for _ in range(60):
        name = rng.choice(('TIP', 'TIP.PGE', 'TIP.PGD', 'FUP'))
        ipbytes = rng.choice((0, 1, 1, 2, 2, 4))
        kept = {0: 0, 1: 16, 2: 32, 4: 48}[ipbytes]
        s.put(name, ip=s.last_ip >> kept << kept | rng.getrandbits(kept) if kept else None, ipbytes=ipbytes)
        if not rng.randrange(8):
            s.put('TIP', ip=rng.choice((USER, FAR, KERNEL)), ipbytes=rng.choice((3, 6)))
    s.put('OVF')
    s.put('FUP', ip=0x1234, ipbytes=1)
    s.put('TIP', ip=KERNEL, ipbytes=6)
    s.put('PSB')
    s.put('PSBEND')
    s.put('TIP', ip=0x89abcdef, ipbytes=2)


@case('pip', 'PIP', 'Paging Information (PIP) Packet', 'CR3 of every width; NR set')
def pip(s, _):
    for value in edges(47):
        s.put('PIP', cr3=value << 5, nr=0)
    s.put('PIP', cr3=0x1234000, nr=1)


@case('mode-exec', 'MODE', 'MODE Packets', '16, 32 and 64 bits')
def mode_exec(s, _):
    for mode in (16, 32, 64, 32, 16):
        s.put('MODE.Exec', mode=mode)
        s.put('TIP', ip=USER, ipbytes=6)


@case('mode-exec-if', 'MODE: interrupt flag', 'MODE Packets', 'bit 2, which event trace adds')
def mode_exec_if(s, _):
    for bits in (5, 1, 4, 0, 6, 2):
        s.put('MODE.Exec', bits=bits)


@case('mode-tsx', 'MODE', 'MODE Packets', 'begin, commit, abort')
def mode_tsx(s, _):
    for intx, abort in ((1, 0), (0, 0), (1, 0), (0, 1)):
        s.put('MODE.TSX', intx=intx, abort=abort)
        s.put('FUP', ip=USER, ipbytes=3)


@case('tracestop', 'TraceStop', 'TraceStop Packet', 'alone, and behind a TIP.PGD')
def tracestop(s, _):
    s.put('TraceStop')
    s.put('TIP.PGE', ip=USER, ipbytes=3)
    s.put('TIP.PGD', ipbytes=0)
    s.put('TraceStop')


@case('cbr', 'CBR', 'Core:Bus Ratio (CBR) Packet', 'each ratio but 0')
def cbr(s, _):
    for ratio in range(1, 256):
        s.put('CBR', ratio=ratio)


@case('tsc', 'TSC', 'Timestamp Counter (TSC) Packet', '56 bits')
def tsc(s, _):
    for value in edges(56)[1:]:
        s.put('TSC', tsc=value)


@case('mtc', 'MTC', 'Mini Time Counter (MTC) Packet', 'each payload, and the wrap')
def mtc(s, _):
    for value in range(258):
        s.put('MTC', ctc=value & 0xff)


@case('tma', 'TMA', 'TSC/MTC Alignment (TMA) Packet', 'CTC of 16 bits, fast counter of 9')
def tma(s, _):
    for value in edges(16):
        s.put('TMA', ctc=value, fc=0)
    for value in edges(9):
        s.put('TMA', ctc=0x5aa5, fc=value)


@case('cyc', 'CYC', 'Cycle Count (CYC) Packet', 'one to nine bytes: the least and the most that each holds')
def cyc(s, _):
    s.put('CYC', cycles=0)
    for count in range(1, 9):
        top = 1 << 7 * count - 2
        for value in (top - 1, top, top + 0x55):
            s.put('CYC', cycles=value)
            s.put('TNT.8', bits='N')
    s.put('CYC', cycles=(1 << 61) - 1)


@case('vmcs', 'VMCS', 'VMCS Packet', 'a base of every width')
def vmcs(s, _):
    for value in edges(40):
        s.put('VMCS', base=value << 12)


@case('ovf', 'OVF', 'Overflow (OVF) Packet', 'with a FUP, with a TIP.PGE, two in a row')
def ovf(s, _):
    s.put('OVF')
    s.put('FUP', ip=USER, ipbytes=3)
    s.put('TNT.8', bits='T')
    s.put('OVF')
    s.put('OVF')
    s.put('TIP.PGE', ip=KERNEL, ipbytes=3)


@case('mnt', 'MNT', 'Maintenance (MNT) Packet', 'payloads that look like other packets')
def mnt(s, _):
    for value in (0, 2 ** 64 - 1, 0x8202820282028202, 0x0282028202820282, 0x5919020d11011d99):
        s.put('MNT', payload=value)


@case('ptw', 'PTW', 'PTWRITE (PTW) Packet', 'four and eight bytes, with and without a FUP')
def ptw(s, _):
    for size in (4, 8):
        for value in (0, 1, (1 << 8 * size) - 1, 0x02820282, 1 << 8 * size - 1):
            s.put('PTW', payload=value, bytes=size, ip=0)
            s.put('PTW', payload=value, bytes=size, ip=1)
            s.put('FUP', ip=USER, ipbytes=3)


@case('exstop', 'Power events', 'Execution Stop (EXSTOP) Packet', 'with and without a FUP')
def exstop(s, _):
    s.put('EXSTOP', ip=0)
    s.put('EXSTOP', ip=1)
    s.put('FUP', ip=KERNEL, ipbytes=3)


@case('mwait', 'Power events', 'MWAIT Packet', 'hints and extensions')
def mwait(s, _):
    for hints in (0, 1, 0x20, 0xff):
        for ext in (0, 1, 3):
            s.put('MWAIT', hints=hints, ext=ext)


@case('pwre', 'Power events', 'Power Entry (PWRE) Packet', 'each state, asked for by software')
def pwre(s, _):
    for state in range(16):
        s.put('PWRE', state=state, substate=15 - state, hw=0)


@case('pwre-hw', 'Power events: by hardware', 'Power Entry (PWRE) Packet', 'each state, asked for by hardware: bit 7 of the payload')
def pwre_hw(s, _):
    for state in range(16):
        s.put('PWRE', state=state, substate=state, hw=1)


@case('pwrx', 'Power events', 'Power Exit (PWRX) Packet', 'each state; woken by an interrupt, a store, hardware')
def pwrx(s, _):
    for state in range(16):
        for reason in (1, 4, 8):
            s.put('PWRX', last=state, deepest=15 - state, reason=reason)


@case('pwrx-reason', 'Power events: each reason', 'Power Exit (PWRX) Packet', 'each of the four bits of the reason')
def pwrx_reason(s, _):
    for reason in edges(4):
        s.put('PWRX', last=1, deepest=6, reason=reason)


@case('block-8', 'Blocks', 'Block Begin (BBP), Block Item (BIP), Block End (BEP) Packets',
      'items of eight bytes, and clocks between them')
def block_8(s, rng):
    block(s, rng, 8)


@case('block-4', 'Blocks', 'Block Begin (BBP), Block Item (BIP), Block End (BEP) Packets',
      'items of four bytes, and clocks between them')
def block_4(s, rng):
    block(s, rng, 4)


def block(s, rng, size):
    for kind in (1, 4, 5, 0x10):
        s.put('BBP', type=kind, bytes=size)
        for number in range(0, 32, 5):
            s.put('BIP', id=number, value=rng.getrandbits(8 * size))
            s.put('MTC', ctc=number)
        s.put('BEP', ip=kind & 1)
        if kind & 1:
            s.put('FUP', ip=USER, ipbytes=3)
        s.put('TNT.8', bits='N')
        s.put('TNT.8', bits='NTN')


@case('cfe', 'Event trace', 'Control Flow Event (CFE) Packet', 'each type, with and without a FUP')
def cfe(s, _):
    for kind in range(1, 13):
        s.put('CFE', type=kind, vector=kind * 21, ip=kind & 1)
        if kind & 1:
            s.put('FUP', ip=USER, ipbytes=3)


@case('evd', 'Event trace', 'Event Data (EVD) Packet', 'each type')
def evd(s, _):
    for kind, value in ((0, FAR), (1, 2 ** 64 - 1), (2, 0), (3, 0x8202820282028202)):
        s.put('EVD', type=kind, payload=value)


@case('trig', 'Trigger tracing', 'Trigger (TRIG) Packet', 'bits, more than one, a FUP, a count')
def trig(s, _):
    for trbv in (1, 0x80, 0xff):
        for ip in (0, 1):
            for mult in (0, 1):
                s.put('TRIG', trbv=trbv, ip=ip, mult=mult)
                s.put('TRIG', trbv=trbv, ip=ip, mult=mult, icnt=0x8000 + trbv)
                if ip:
                    s.put('FUP', ip=USER, ipbytes=3)
