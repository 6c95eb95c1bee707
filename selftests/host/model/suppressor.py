# SPDX-License-Identifier: BSD-2-Clause
"""Which MTCs are sent: US 12,386,726, one tick after the other."""


class Suppressor:
    """N consecutive MTCs with no NTP between them, then none until a resume."""

    def __init__(self, cfg):
        self.threshold = cfg.suppress
        self.burst = cfg.burst or cfg.suppress
        self.resume, self.value = cfg.resume, cfg.resume_value
        self.forget()

    def forget(self):
        self.run = 0                    # MTCs in a row
        self.limit = self.threshold     # of them before suppression
        self.skipped = 0                # consecutive MTCs that were not sent

    @property
    def suppressing(self):
        return self.skipped > 0

    @property
    def exhausted(self):
        """No more MTCs are sent before an NTP or a resume."""
        return bool(self.threshold) and self.run >= self.limit

    def ntp(self):
        self.forget()

    def tick(self, payload):
        """True: the MTC of this tick is sent."""
        if not self.threshold:
            return True
        if self.run < self.limit:
            self.run += 1
            return True
        if self._resumes(payload):
            self.run, self.limit, self.skipped = 1, self.burst, 0
            return True
        self.skipped += 1
        return False

    def _resumes(self, payload):
        if self.resume == 'payload':
            return payload == self.value
        if self.resume == 'count':
            return self.skipped >= self.value
        return False
