# SPDX-License-Identifier: BSD-2-Clause
"""What each event asks for: packets by the SDM's table of sequences (36-50).

A handler returns (items, effect). Items are ('bit', taken) or (packet name, argument);
the effect changes the state once the items are known. ('exec', None) is a
MODE.Exec where one is due.
"""
import packets


def nothing():
    pass


def branch_items(u, packet, ip, target):
    """A transfer while PacketEn stays set."""
    if not u.packet_en or not u.cfg.branch:
        return []
    items = [('FUP', ip)] if packet == 'intr' else []
    return items + [('exec', None), ('TIP', target)]


def jcc(u, ev):
    ip, taken = ev.num(0), ev.args[1] == 'taken'
    items = [('bit', taken)] if u.packet_en and u.cfg.branch else []
    return items, lambda: u.go(ip)


def jmp(u, ev):
    return [], lambda: u.go(ev.num(1))


def call(u, ev):
    ip, target, size = ev.num(0), ev.num(1), ev.num(2, 5)

    def effect():
        if u.packet_en and target != ip + size:
            u.push(ip + size)
        u.go(target)
    return [], effect


def ijmp(u, ev):
    return branch_items(u, 'tip', ev.num(0), ev.num(1)), lambda: u.go(ev.num(1))


def icall(u, ev):
    ip, target, size = ev.num(0), ev.num(1), ev.num(2, 2)

    def effect():
        if u.packet_en:
            u.push(ip + size)
        u.go(target)
    return branch_items(u, 'tip', ip, target), effect


def ret(u, ev):
    target = ev.num(1)

    def effect():
        if u.rets and u.packet_en:
            u.rets.pop()
        u.go(target)
    return [('ret', target)] if u.packet_en and u.cfg.branch else [], effect


def transfer(u, kind, ip, target, cpl):
    """far and intr: the CPL may change, and PacketEn with it."""
    before, after = u.packet_en, u.would_trace(cpl, u.cr3)

    def effect():
        u.cpl = cpl
        u.go(target)
    if not u.cfg.branch or not (before or after):
        return [], effect
    fup = [('FUP', ip)] if kind == 'intr' and before else []
    if before and after:
        return fup + [('exec', None), ('TIP', target)], effect
    if before:
        return fup + [('TIP.PGD', None)], effect
    return u.pge(target), effect


def far(u, ev):
    return transfer(u, 'far', ev.num(0), ev.num(1), ev.num(2))


def intr(u, ev):
    return transfer(u, 'intr', ev.num(0), ev.num(1), ev.num(2))


def context(u, cpl, cr3, ip, pip):
    """A change of CPL or CR3 that is no branch."""
    before, after = u.packet_en, u.would_trace(cpl, cr3)

    def effect():
        u.cpl, u.cr3 = cpl, cr3
        if ip is not None:
            u.go(ip)
    items = []
    if pip and u.cfg.os and u.trigger_en and u.context(cpl, cr3):
        items.append(('PIP', cr3))
    if u.cfg.branch and before and not after:
        items.append(('TIP.PGD', None))
    if u.cfg.branch and after and not before:
        items += u.pge(u.ip if ip is None else ip)
    return items, effect


def cr3(u, ev):
    return context(u, u.cpl, ev.num(0), ev.num(1), True)


def cpl(u, ev):
    return context(u, ev.num(0), u.cr3, ev.num(1), False)


def mode(u, ev):
    def effect():
        u.mode = ev.num(0)
    return [], effect


def ptw(u, ev):
    value, ip = ev.num(0), ev.num(1)
    if ip is None:
        fup, effect = [], nothing
    else:
        fup, effect = [('FUP', ip)], lambda: u.go(ip)
    if not u.packet_en or not u.cfg.ptw:
        return [], effect
    return [('PTW', packets.ptw(value, bool(fup)))] + fup, effect


def power(name, value):
    """A power event packet of fixed size."""
    def handler(u, ev):
        on = u.trigger_en and u.cfg.pwr
        return [(name, packets.fixed(name, value(ev)))] if on else [], nothing
    return handler


def raw_packet(name, build):
    def handler(u, ev):
        return [(name, build(ev))] if u.packet_en else [], nothing
    return handler


def tsx(u, ev):
    bits = {'BEGIN': 1, 'COMMIT': 0, 'ABORT': 2}[ev.args[0]]
    on = u.packet_en and u.cfg.branch
    raw = bytes([0x99, 0x20 | bits])
    return [('MODE.TSX', raw), ('FUP', u.ip)] if on else [], nothing


def vmcs(u, ev):
    """TriggerEn and ContextEn (SDM, table 36-34)."""
    on = u.trigger_en and u.context(u.cpl, u.cr3)
    base = ev.num(0) >> 12 & (1 << 40) - 1
    return [('VMCS', packets.fixed('VMCS', base))] if on else [], nothing


def silent(_u, _ev):
    return [], nothing


HANDLERS = {
    'jcc': jcc, 'jmp': jmp, 'call': call, 'ijmp': ijmp, 'icall': icall,
    'ret': ret, 'far': far, 'intr': intr, 'cr3': cr3, 'cpl': cpl, 'mode': mode,
    'ptw': ptw, 'tsx': tsx, 'idle': silent, 'retire': silent, 'pmu': silent,
    'thread': silent,
    'mwait': power('MWAIT', lambda e: e.num(0) | e.num(1) << 32),
    'pwre': power('PWRE', lambda e: e.num(0) << 12 | e.num(1) << 8),
    'pwrx': power('PWRX', lambda e: e.num(0) << 4 | e.num(1) | e.num(2) << 8),
    'trig': raw_packet('TRIG', lambda e: bytes([0xd9, 0, e.num(0)])),
    'cfe': raw_packet('CFE', lambda e: packets.fixed(
        'CFE', e.num(0) | e.num(1) << 8)),
    'evd': raw_packet('EVD', lambda e: packets.fixed(
        'EVD', e.num(0) | e.num(1) << 8)),
    'vmcs': vmcs,
}
