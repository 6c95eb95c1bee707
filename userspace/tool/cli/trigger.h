/* SPDX-License-Identifier: BSD-2-Clause */
/* Triggers on the command line: --trigger, --before and --after */
#ifndef SOFTPT_TOOL_TRIGGER_H
#define SOFTPT_TOOL_TRIGGER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <linux/softpt.h>

struct command;

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

/* --trigger, --before, --after as given. Return: 0, or EXIT_USAGE after a message */
int trigger_option(const struct command *cmd, struct triggers *t, const char *text);
int before_option(const struct command *cmd, struct triggers *t, const char *text);
int after_option(const struct command *cmd, struct triggers *t, const char *text);

/* The ring is to freeze, and not only the event to be marked. */
bool triggers_freeze(const struct triggers *t);

/* Of packets: no key of the trace port's alone. Return: 0, or EXIT_USAGE after a message */
int triggers_are_of_packets(const struct command *cmd, const struct triggers *t);

/**
 * triggers_done() - after the last option: let all of them freeze, and find the ring for it
 * @cmd: for messages
 * @t: as given
 * @cfg: its psb_freq and ring count
 * @ring: set to the bytes that must not be overwritten when it freezes
 *
 * Return: 0, or EXIT_USAGE after a message.
 */
int triggers_done(const struct command *cmd, struct triggers *t, const struct softpt_config *cfg,
		  uint64_t *ring);

/* Of the N-th file: @path itself, then PATH.1, PATH.2... Return: 0 or -ENAMETOOLONG */
int fragment_name(char *name, size_t size, const char *path, unsigned int n);

/* Whether this is the name of such a file, but for the first */
bool is_fragment(const char *name, const char *path);

/**
 * struct fragment - one of the files of a run
 * @n: its number
 * @path: of the first
 * @first: the first, open
 * @input: a name that none may have
 */
struct fragment {
	unsigned int n;
	const char *path;
	FILE *first;
	const char *input;
};

/* Return: 0; SIM_REFUSED after a message; -errno: the first's */
int fragment_write(const struct fragment *f, const void *bytes, size_t len);

#endif /* SOFTPT_TOOL_TRIGGER_H */
