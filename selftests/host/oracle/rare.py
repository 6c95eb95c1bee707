# SPDX-License-Identifier: BSD-2-Clause
"""Event files for the ordered pairs of packets that chance seldom brings together.

Ticks are far apart (mtc_freq=15), so that no MTC comes between.
"""
STOP = 0x900000
# What sends one packet, or one first, whatever the configuration
ALONE = ('psb', 'cfe 1 2', 'evd 1 0x5', 'clock 30', 'pwre 1 2', 'pwrx 1 2 4', 'mwait 0x20 0',
         'tsx BEGIN', 'cr3 0x2000', 'sleep 10', 'vmcs 0x1000', 'trig 0x1', 'ptw 0x5')


def branches(count):
    return ['jcc %#x taken' % (0x400000 + 8 * i) for i in range(count)]


def text(events):
    """Each event 20 ticks after the one before."""
    return ''.join('+20 %s\n' % event for event in events)


def long_tnt():
    """TNT.64 before and behind everything"""
    events = ['enable 0x400000', 'cr3 0x2000']
    for event in ALONE:
        events += branches(10) + [event]
    events += ['clock 31'] + branches(47) + branches(47) + branches(3) + ['psb']
    return 'tnt64=1,mtc_freq=15,pwr=1,cr3=0x2000', text(events)


def lost_without_tsc():
    """OVF and no TSC behind it"""
    events = ['enable 0x400000']
    for event in ALONE:
        events += ['ovf 10', event, 'ptw 0x1']
    return 'tsc=0,branch=0,mtc_freq=15,pwr=1', text(events)


def lost_outside():
    """OVF while the filter is left, then back"""
    return ('tsc=0,mtc_freq=15,filter=0x400000-0x400fff',
            text(['enable 0x400000', 'ijmp 0x400010 0x500000', 'ovf 10',
                  'ijmp 0x500010 0x400000', 'ijmp 0x400010 0x500000', 'cfe 1 2 0x500020',
                  'ijmp 0x500030 0x400000']))


def lost_outside_of_another_mode():
    """OVF while the filter is left, then back in a mode that was not told"""
    return ('tsc=0,mtc_freq=15,filter=0x400000-0x400fff',
            text(['enable 0x400000', 'ijmp 0x400010 0x500000', 'ovf 10', 'mode 32',
                  'ijmp 0x500010 0x400000']))


def enabled_behind_a_stop():
    """TraceStop, then the clock without TSC"""
    return ('tsc=0,mtc_freq=15,stop=%#x-%#x' % (STOP, STOP + 0xfff),
            text(['enable 0x400000', 'jmp 0x400100 %#x' % STOP, 'disable 0x900010',
                  'enable 0x400000']))


def long_tnt_outside():
    """TNT.64, then the filter is left"""
    return ('tnt64=1,mtc_freq=15,filter=0x400000-0x400fff',
            text(['enable 0x400000', *branches(10), 'ijmp 0x400060 0x500000']))


def stops(config, *before):
    """TraceStop right behind a packet"""
    return (config + ',branch=0,mtc_freq=15,stop=%#x-%#x' % (STOP, STOP + 0xfff),
            text(['enable 0x400000', *before, 'jmp 0x400100 %#x' % STOP]))


def cases():
    """(configuration, event text)..."""
    return (long_tnt(), lost_without_tsc(), lost_outside(),
            lost_outside_of_another_mode(), enabled_behind_a_stop(), long_tnt_outside(),
            ('branch=0,mtc=0', text(['enable 0x400000', 'ovf 10', 'ptw 0x1'])),
            stops('tsc=0', 'ovf 10'), stops('tsc=1', 'ptw 0x1'), stops('tsc=1', 'trig 0x1'),
            stops('tsc=1', 'ptw 0x1 0x400020'),
            ('branch=0,mtc=0,cyc=1,cyc_bits=16,stop=0x900000-0x900fff',
             '+20 enable 0x400000\n+100000 jmp 0x400100 0x900000\n'))
