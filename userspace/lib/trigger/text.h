/* SPDX-License-Identifier: BSD-2-Clause */
/* Triggers as text, how much of the trace they keep, and how large a ring that needs */
#ifndef SOFTPT_TRIGGER_TEXT_H
#define SOFTPT_TRIGGER_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <linux/softpt.h>

/* An enum softpt_trigger_source of the trace port alone: an instruction executes */
#define TRIGGER_ON_INSN	0x100

/* How much: bytes, TSC ticks or PSB intervals; of a trace port clocks or SE intervals */
struct amount {
	uint64_t n;
	uint32_t unit;		/* enum softpt_after */
	bool given;
};

/* All zero: none */
struct triggers {
	struct softpt_trigger trigger[SOFTPT_TRIGGERS];
	const char *text[SOFTPT_TRIGGERS];
	unsigned int nr;
	const char *before_text;
	struct amount before;
	struct amount after;
};

#define TRIGGER_ARG	"SOURCE[=VALUE][,nth=K][,rearm][,psb]"
#define TRIGGER_WHAT	"this is a trigger event; may be repeated"
#define BEFORE_WHAT	"history that the frozen ring is to hold: bytes (k, M), or Npsb"
#define AFTER_WHAT	"freeze the ring so much after the event: bytes, Nclocks or Npsb (0)"

/**
 * trigger_parse() - read one trigger
 * @t: filled in but for the index
 * @text: SOURCE[=VALUE][,nth=K][,rearm][,psb]
 * @why: one line that says what is wrong
 * @len: bytes at @why
 *
 * Return: 0 or -EINVAL.
 */
int trigger_parse(struct softpt_trigger *t, const char *text, char *why, size_t len);

/* Read SIZE. Return: 0 or -EINVAL with @why set */
int amount_parse(struct amount *a, const char *text, char *why, size_t len);

/* The ring is to freeze, and not only the event to be marked. */
bool triggers_freeze(const struct triggers *t);

/**
 * triggers_ring() - bytes of the ring that are not to be overwritten when it freezes
 * @t: the triggers
 * @cfg: psb_freq and ring count
 * @after: set to bytes that come behind the trigger event
 */
uint64_t triggers_ring(const struct triggers *t, const struct softpt_config *cfg, uint64_t *after);

/* Each of them freezes the ring. */
void triggers_set_freeze(struct triggers *t);

#endif /* SOFTPT_TRIGGER_TEXT_H */
