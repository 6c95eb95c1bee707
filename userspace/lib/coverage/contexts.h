/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Functions, each for itself and wherever it is inlined in another one: how often its lines were
 * executed, and what they called. Compilers call that a sample profile.
 */
#ifndef SOFTPT_COVERAGE_CONTEXTS_H
#define SOFTPT_COVERAGE_CONTEXTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * struct context_spot - a line in a function
 * @offset: from the line that the function is declared at
 * @discriminator: which of the basic blocks of the line
 */
struct context_spot {
	uint16_t offset;
	uint32_t discriminator;
};

/**
 * struct context_target - what a line called
 * @name: of the function
 * @times: how often
 * @next: called less often
 */
struct context_target {
	const char *name;
	uint64_t times;
	struct context_target *next;
};

/**
 * struct context_line - a line with code
 * @spot: where
 * @times: how often it was executed
 * @targets: what it called, most often first
 * @next: in the order of spots
 */
struct context_line {
	struct context_spot spot;
	uint64_t times;
	struct context_target *targets;
	struct context_line *next;
};

/**
 * struct context - a function
 * @name: its symbol
 * @spot: the line of the function around it that it is inlined at
 * @total: sum of its lines, and of those of what is inlined in it
 * @entered: how often it was entered, where it is not inlined
 * @lines: by spot
 * @inlined: in it, by spot
 * @next: beside it, by spot and then with a smaller total
 */
struct context {
	const char *name;
	struct context_spot spot;
	uint64_t total;
	uint64_t entered;
	struct context_line *lines;
	struct context *inlined;
	struct context *next;
};

/* While they are made functions, lines and names have numbers; no number: there was no memory */
#define CONTEXT_NONE	UINT32_MAX

struct contexts;

/* Return: NULL without memory */
struct contexts *contexts_new(void);
void contexts_free(struct contexts *c);

/* The number of a name */
uint32_t contexts_name(struct contexts *c, const char *name, size_t len);
/* A function, @around: that it is inlined in, at @spot; CONTEXT_NONE: it is not */
uint32_t contexts_function(struct contexts *c, uint32_t name);
uint32_t contexts_inlined(struct contexts *c, uint32_t around, struct context_spot spot,
			  uint32_t name);

/* What comes is of another copy of its function: times of a line are added to those before */
void contexts_begin_copy(struct contexts *c);
/* An instruction was executed so often; of those of a copy the largest number is kept */
uint32_t contexts_execute(struct contexts *c, uint32_t function, struct context_spot spot,
			  uint64_t times);
void contexts_call(struct contexts *c, uint32_t line, uint32_t name, uint64_t times);
void contexts_enter(struct contexts *c, uint32_t function, uint64_t times);

/* Put all in order. Return: 0 or -ENOMEM, also of what was before */
int contexts_finish(struct contexts *c);
/* The function with the largest total; NULL: there is none */
const struct context *contexts_first(const struct contexts *c);

#endif /* SOFTPT_COVERAGE_CONTEXTS_H */
