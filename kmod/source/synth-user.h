/* SPDX-License-Identifier: GPL-2.0-only */
/* How many synthetic programs each user has */
#ifndef _SOFTPT_SYNTH_USER_H
#define _SOFTPT_SYNTH_USER_H

struct softpt_synth_user;

int softpt_synth_charge(struct softpt_synth_user **to);
void softpt_synth_uncharge(struct softpt_synth_user *user);

#endif /* _SOFTPT_SYNTH_USER_H */
