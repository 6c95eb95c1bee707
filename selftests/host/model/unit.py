# SPDX-License-Identifier: BSD-2-Clause
"""A whole trace unit, tick by tick. Address ranges are not modelled."""
import flow
import packets
from clock import Cycles, Ticks
from stream import Stream
from suppressor import Suppressor

EXEC = {16: 0, 64: 1, 32: 2}            # MODE.Exec: CS.L bit 0, CS.D bit 1
IFLAG = 4                               # and the interrupt flag
TOGETHER = 16   # bytes behind an EVD or a CFE in which no PSB+ begins
RET_DEPTH = 64
# which argument is the IP of the one instruction that the event is of
IP_ARGUMENT = {'disable': 0, 'jcc': 0, 'jmp': 0, 'call': 0, 'ijmp': 0, 'icall': 0,
               'ret': 0, 'far': 0, 'intr': 0, 'ptw': 1}


class Unit:
    """State is public: flow.py's handlers read it and change it."""

    def __init__(self, cfg):
        if cfg.ranges:
            raise ValueError('the model knows no address ranges')
        self.cfg = cfg
        self.ticks, self.cycles = Ticks(cfg), Cycles(cfg)
        self.sup = Suppressor(cfg)
        self.stream = Stream(cfg, self.ticks, self.cycles, self.sup)
        self.trigger_en = self.enabled_before = False
        self.cpl, self.cr3, self.mode = 3, 0, 64
        self.exec_sent = None
        self.ip = self.last_ip = 0
        self.rets = []
        self.now = 0
        self.lost_until = self.asleep_until = None
        self.psb_at = self.psb_after = 0
        self.mwait = False      # an MWAIT waits for its FUP

    # ---- context ----

    def context(self, cpl, cr3):
        level = self.cfg.os if cpl == 0 else self.cfg.user
        return bool(level) and self.cfg.cr3 in (None, cr3)

    def would_trace(self, cpl, cr3):
        return self.trigger_en and self.context(cpl, cr3)

    @property
    def packet_en(self):
        return self.would_trace(self.cpl, self.cr3)

    @property
    def tracing(self):
        """TriggerEn, and no packets are being lost."""
        return self.trigger_en and self.lost_until is None

    def go(self, ip):
        self.ip = ip

    def push(self, ip):
        self.rets = (self.rets + [ip])[-RET_DEPTH:]

    def pge(self, ip):
        anchor = [('anchor', None)] if self.cfg.pge_tsc else []
        return anchor + [('exec', None), ('TIP.PGE', ip)]

    # ---- packets ----

    def put(self, name, arg):
        if name == 'exec':
            if self.exec_sent != self.mode:
                self.exec_sent = self.mode
                iflag = IFLAG if self.cfg.iflag else 0
                self.put('MODE.Exec', bytes([0x99, EXEC[self.mode] | iflag]))
        elif name == 'anchor':
            self.stream.tsc(self.now)
        elif name in packets.IP_OPCODE:
            raw = packets.ip_packet(name, arg, self.last_ip)
            self.last_ip = self.last_ip if arg is None else arg
            self.stream.put(name, raw, self.now)
        elif name == 'MWAIT':
            self.mwait = True
            self.stream.put(name, arg, self.now)
        elif name == 'PIP':
            self.stream.put(name, packets.fixed('PIP', arg >> 5 << 1), self.now)
        elif name == 'CBR':
            self.stream.put(name, packets.fixed('CBR', self.cycles.ratio), self.now)
        else:
            self.stream.put(name, arg, self.now)

    def emit(self, items):
        """The packets of one event behind one CYC."""
        if items and items[0][0] == 'ret':
            items = self.compress(items[0][1])
        for name, arg in items:
            if name == 'bit':
                self.stream.bit(arg, self.now)
                return
        if not items:
            return
        self.stream.tell(self.now)
        self.stream.flush(self.now)
        names = {name for name, _ in items}
        if names & packets.CYC_ELIGIBLE or 'anchor' in names:
            self.stream.cyc(self.now)
        for name, arg in items:
            self.put(name, arg)
        if items[-1][0] in ('CFE', 'EVD'):
            self.psb_after = self.stream.bytes + TOGETHER

    def compress(self, target):
        """A RET to where the matching call returns is a taken bit."""
        if self.cfg.retc and self.rets and self.rets[-1] == target:
            return [('bit', True)]
        return [('exec', None), ('TIP', target)]

    def psb_plus(self, ip):
        self.stream.flush(self.now)
        self.stream.tell(self.now)
        self.stream.cyc(self.now)
        self.psb_at = self.stream.bytes + (2048 << self.cfg.psb_freq)
        self.last_ip, self.rets, self.exec_sent = 0, [], None
        self.put('PSB', packets.PSB)
        for payload in self.description() if self.cfg.describe else []:
            self.mnt(payload)
        self.stream.tsc(self.now)
        if self.cfg.os and self.trigger_en and self.context(self.cpl, self.cr3):
            self.put('PIP', self.cr3)
        self.put('CBR', None)
        if self.packet_en and ip is not None and self.cfg.branch:
            self.put('exec', None)
            self.put('FUP', ip)
        self.put('PSBEND', packets.fixed('PSBEND', 0))
        if self.cfg.describe and self.cfg.cr3 is not None:
            self.mnt(0xd4 << 56 | self.cfg.cr3 & (1 << 56) - 1)

    def description(self):
        """What the stream says of itself (uapi/softpt/packets.h)."""
        c = self.cfg
        how = {'count': 0, 'payload': 1, 'tsc': 2}[c.resume]
        return [
            0xd0 << 56 | 0x591 << 44 | c.flags << 28 | c.ebx,
            0xd1 << 56 | c.cyc_bits - 16 << 48 | self.now >> 56 << 40 | c.psb_freq << 36 |
            c.cyc_thresh << 32 | c.mtc_freq << 28 | c.eax,
            0xd2 << 56 | self.stream.preroll << 50 | how << 48 | c.resume_value << 40 |
            (c.burst or c.suppress) << 32 | c.suppress << 24 | c.p1 << 16 |
            c.min_ratio << 8 | c.max_ratio]

    def mnt(self, payload):
        self.put('MNT', b'\x02\xc3\x88' + packets.le(payload, 8))

    # ---- time ----

    def advance(self, now, ev):
        """Ticks, wraps, the end of a sleep or of an overflow, up to @now."""
        for until, end in ((self.asleep_until, self.wake), (self.lost_until, self.found)):
            if until is not None and until <= now:
                self.now = until
                end(ev)
        if self.asleep_until is None and self.lost_until is None and self.trigger_en:
            self.stream.advance(now)
        self.now = now

    def wake(self, _ev):
        self.asleep_until = None
        if not self.trigger_en:
            return
        self.cycles.start(self.now)
        self.ticks.start(self.now)
        self.stream.restart(self.now)
        self.put('CBR', None)

    def found(self, ev):
        self.lost_until = None
        self.cycles.count_to(self.now)
        if self.cycles.since > self.cycles.top:     # what wrapped is lost too
            self.cycles.since = self.cycles.top + self.cycles.since % 1
        if self.trigger_en:
            self.cycles.start(self.now)
            self.ticks.start(self.now)
        self.stream.tell(self.now)
        self.stream.cyc(self.now, 0)
        self.last_ip, self.rets = 0, []
        self.put('OVF', packets.fixed('OVF', 0))
        self.stream.tsc(self.now)
        if self.packet_en and self.cfg.branch:
            self.put('FUP', self.next_ip(ev))

    # ---- events ----

    def event(self, ev):
        self.advance(ev.tsc, ev)
        special = getattr(self, 'ev_' + ev.kind, None)
        if special:
            special(ev)
            return
        items, effect = flow.HANDLERS[ev.kind](self, ev)
        if self.lost_until is None:
            self.precede(items, ev)
            self.emit(items)
        effect()

    def precede(self, items, ev):
        """Pre-roll, then PSB+ if due."""
        if not items:
            return
        due = self.stream.bytes >= max(self.psb_at, self.psb_after)
        self.stream.before_ntp(self.now, due)
        if due:
            self.psb_plus(self.next_ip(ev))

    def next_ip(self, ev):
        """Where execution is when an event comes: at its own IP, if it has one."""
        at = IP_ARGUMENT.get(ev.kind)
        ip = None if at is None else ev.num(at)
        return self.ip if ip is None else ip

    def ev_enable(self, ev):
        if self.trigger_en:
            return
        self.trigger_en = True
        self.ip = ev.num(0)
        self.sup.forget()
        self.cycles.reset()
        if self.lost_until is not None:
            return
        self.cycles.start(self.now)
        self.ticks.start(self.now)
        if not self.enabled_before:
            self.enabled_before = True
            self.psb_plus(None)
        else:
            self.stream.restart(self.now)
            self.put('CBR', None)
        if self.packet_en and self.cfg.branch:
            self.exec_sent = None
            self.put('exec', None)
            self.put('TIP.PGE', self.ip)

    def close(self, items):
        """A stop, with the packets that it has."""
        if items:
            self.stream.sup.ntp()       # before the closing anchor is thought of
        self.stream.closing_anchor(self.now)
        self.emit(items)

    def ev_disable(self, ev):
        if not self.trigger_en:
            return
        items = []
        if self.packet_en and self.cfg.branch:
            items = [('FUP', ev.num(0))] if ev.args else []
            items.append(('TIP.PGD', None))
        if self.lost_until is None:
            self.precede(items, ev)
            self.close(items)
        self.trigger_en = False
        self.sup.forget()
        self.stream.missing, self.stream.shadows = 0, []
        self.cycles.reset()
        self.ticks.stop()

    def ev_cbr(self, ev):
        self.change_ratio(ev, self.cfg.cbr)

    def ev_clock(self, ev):
        self.change_ratio(ev, False)

    def change_ratio(self, ev, announced):
        ratio = ev.num(0)
        changed = ratio != self.cycles.ratio
        if self.tracing and announced and changed:
            self.precede(['CBR'], ev)
            self.stream.tell(self.now)
            self.stream.flush(self.now)
            self.stream.cyc(self.now, 1)
            if self.stream.out[-1].name in ('TSC', 'TMA'):
                # or it would look like a wake
                self.stream.put('PAD', b'\0', self.now)
                self.stream.spent |= bool(self.cfg.suppress) and self.cfg.resume == 'tsc'
            self.cycles.set_ratio(self.now, ratio)
            self.put('CBR', None)
        else:
            self.cycles.set_ratio(self.now, ratio)
            # a loss leaves the clock unknown by itself
            if changed and not announced and self.tracing and self.cfg.cbr:
                self.stream.untold = True

    def ev_sleep(self, ev):
        if self.tracing:
            items = self.exstop() if self.cfg.pwr else []
            self.precede(items, ev)
            self.close(items)
            self.cycles.stop(self.now)
            self.ticks.stop()
        self.asleep_until = self.now + ev.num(0)

    def exstop(self):
        """An MWAIT binds to the FUP of the EXSTOP behind it."""
        bound, self.mwait = self.mwait and self.packet_en, False
        return ([('EXSTOP', b'\x02\xe2'), ('FUP', self.ip)] if bound else
                [('EXSTOP', b'\x02\x62')])

    def ev_ovf(self, ev):
        until = self.now + ev.num(0)
        if not self.trigger_en:
            return
        if self.lost_until is not None:
            self.lost_until = max(self.lost_until, until)
            return
        self.close([])
        self.ticks.stop()
        self.lost_until = until

    def ev_psb(self, ev):
        if self.tracing:
            self.stream.before_ntp(self.now, True)
            self.psb_plus(self.next_ip(ev))

    def finish(self):
        """End of the input: TNT flush and closing anchor."""
        if self.tracing and self.asleep_until is None:
            self.close([])


def run(cfg, events):
    """The packets of an event list."""
    unit = Unit(cfg)
    for ev in events:
        unit.event(ev)
    unit.finish()
    return unit.stream.out
