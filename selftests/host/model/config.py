# SPDX-License-Identifier: BSD-2-Clause
"""The -c text of `softpt`, as the tests understand it (DESIGN.md, section 7)."""

FLAGS = {
    'tsc': 1, 'mtc': 1, 'cyc': 0, 'branch': 1, 'retc': 1, 'ptw': 1, 'pwr': 0,
    'cbr': 1, 'os': 1, 'user': 1, 'tnt64': 0, 'stock_safe': 0, 'describe': 1,
    'pge_tsc': 0, 'iflag': 0, 'event': 0,
}
# The bits of the description's flags word (uapi/linux/softpt.h)
FLAG_ORDER = ['tsc', 'mtc', 'cyc', 'branch', 'retc', 'ptw', 'pwr', 'cbr', 'os',
              'user', 'tnt64', 'stock_safe', 'describe', 'pge_tsc', 'cr3']
NUMBERS = {
    'mtc_freq': 3, 'cyc_thresh': 0, 'cyc_bits': 48, 'psb_freq': 3, 'p1': 26,
    'min_ratio': 4, 'max_ratio': 60, 'preroll': 0,
}
RESUMES = {'count': 0, 'payload': 1, 'tsc': 2}


class Config:
    """One attribute per key; ranges are a list of (kind, from, to)."""

    def __init__(self, text=''):
        self.__dict__.update(FLAGS)
        self.__dict__.update(NUMBERS)
        self.ebx, self.eax = 216, 2
        self.suppress = 0
        self.resume, self.resume_value = 'count', 254
        self.burst = 0
        self.cr3 = None
        self.ranges = []
        self.text = text
        for item in filter(None, text.replace(' ', ',').split(',')):
            key, _, value = item.partition('=')
            self.set(key, value)

    def set(self, key, value):
        if key in FLAGS or key in NUMBERS:
            setattr(self, key, int(value, 0))
        elif key == 'tsc_ratio':
            self.ebx, self.eax = (int(v) for v in value.split('/'))
        elif key == 'suppress':
            self.suppress = 0 if value == 'off' else int(value)
        elif key == 'resume':
            mode, _, number = value.partition(':')
            if mode not in RESUMES:
                raise ValueError('resume: ' + value)
            self.resume, self.resume_value = mode, int(number or 0)
        elif key == 'burst':
            self.burst = 0 if value == 'N' else int(value)
        elif key == 'cr3':
            self.cr3 = None if value == 'any' else int(value, 0)
        elif key in ('filter', 'stop'):
            first, _, last = value.partition('-')
            self.ranges.append((key, int(first, 0), int(last, 0)))
        elif key not in ('clock', 'mode', 'ring', 'format'):
            raise ValueError('unknown key ' + key)

    @property
    def flags(self):
        bits = 0
        for i, key in enumerate(FLAG_ORDER):
            on = self.cr3 is not None if key == 'cr3' else getattr(self, key)
            bits |= bool(on) << i
        return bits

    @property
    def cyc_floor(self):
        """CycThresh in cycles; a CYC of no cycles is never sent."""
        return 1 << (self.cyc_thresh - 1) if self.cyc_thresh else 1
