/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * libsoftpt: the trace port of US 5,996,092, seven pins for a two-way superscalar PowerPC,
 * and the way back: from what the pins said and the program's code to its instructions.
 * (Documentation/reference/port.rst)
 *
 *	softpt_port_open(&port, file, size, &offset);
 *	while (softpt_port_next_se(&port, &at, &se))
 *		w = softpt_port_walk_new(&port, &se, read_word, context);
 *		while (softpt_port_walk_next(w, &row)) ...
 *		softpt_port_walk_free(w);
 */
#ifndef SOFTPT_PORT_H
#define SOFTPT_PORT_H

#include "softpt.h"

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

/* ---- what the pins say ---- */

/* ES, execution status */
enum softpt_port_es {
	SOFTPT_ES_NONE		= 0,	/* no instruction in this clock */
	SOFTPT_ES_INTERRUPT	= 1,	/* flow goes to an exception vector */
	SOFTPT_ES_ONE		= 2,	/* only the first executed; bit 0: a taken branch */
	SOFTPT_ES_TWO		= 4,	/* two; bit 0: the first, bit 1: the second taken */
};

/* TS, trace status */
enum softpt_port_ts {
	SOFTPT_TS_NONE		= 0,
	SOFTPT_TS_RESERVED	= 1,
	SOFTPT_TS_WAIT		= 2,
	SOFTPT_TS_STOP		= 3,
	SOFTPT_TS_TE		= 4,
	SOFTPT_TS_SE_IAR	= 5,
	SOFTPT_TS_SE_LR		= 6,
	SOFTPT_TS_SE_CTR	= 7,
	SOFTPT_TS_SLICE		= 8,	/* and three bits */
};

#define SOFTPT_PORT_SLICES		10	/* of an address */
#define SOFTPT_PORT_OFFSET_SLICES	4
#define SOFTPT_PORT_OFFSET_MAX		0xfffu	/* of the offset counter: this much or more */

/* ---- configuration: keys of `softpt sim -c format=port` ---- */

/* NUM(key, field, min, max, default, what) */
#define SOFTPT_PARAM_PORT(NUM) \
	NUM(se_period,	se_period,	128, 16777216, 1024, \
	    "sim, format=port: clocks from one synchronizing event to the next") \
	NUM(fifo,	fifo,		1, 1024, 8, \
	    "sim, format=port: entries of the FIFO")

struct softpt_port_config {
#define NUM(key, field, min, max, def, what) uint32_t field;
	SOFTPT_PARAM_PORT(NUM)
#undef NUM
};

/* A row of the table, for help and manuals; they are rows of softpt_config_param(), too */
const struct softpt_param *softpt_port_config_param(unsigned int i);

void softpt_port_config_init(struct softpt_port_config *cfg);

/**
 * softpt_port_config_parse() - one "key=value" of the port
 * @cfg: the key is set in it
 * @item: the text
 * @why: on an error, what is wrong
 * @len: bytes of @why
 *
 * Return: 1; 0 for a key that is not the port's; -EINVAL.
 */
int softpt_port_config_parse(struct softpt_port_config *cfg, const char *item, char *why,
			     size_t len);

/* ---- files ---- */

#define SOFTPT_PORT_MAGIC	"softport"
#define SOFTPT_PORT_VERSION	1
#define SOFTPT_PORT_HEADER	32	/* bytes; then symbols */
#define SOFTPT_PORT_RUN		0x80	/* and 7 bits of a run's length, the lowest first */

/**
 * struct softpt_port - a buffer of symbols: a file, or a window of one
 * @buf: the symbols; stays the caller's
 * @len: bytes of @buf
 * @clock: of the first symbol
 * @end: the clock behind the last
 * @cfg: what the port was made with
 */
struct softpt_port {
	const uint8_t *buf;
	size_t len;
	uint64_t clock;
	uint64_t end;
	struct softpt_port_config cfg;
};

bool softpt_port_detect(const void *file, size_t len);

/**
 * softpt_port_open() - look at a file
 * @port: filled in
 * @file: its bytes; stay the caller's
 * @len: bytes of @file
 * @offset: where it is damaged
 *
 * Return: 0, -SOFTPT_ERR_TRUNCATED, -SOFTPT_ERR_ENCODING; -EOPNOTSUPP: another version.
 */
int softpt_port_open(struct softpt_port *port, const void *file, size_t len, uint64_t *offset);

/* Make the header of a file. */
void softpt_port_header(uint8_t header[SOFTPT_PORT_HEADER], const struct softpt_port_config *cfg,
			uint64_t clock);

/**
 * struct softpt_port_symbol - what the pins said
 * @clock: in which clock
 * @count: clocks; above 1 where nothing executes and nothing is sent
 * @es: enum softpt_port_es
 * @ts: enum softpt_port_ts
 * @next: where in the buffer the next symbol is
 */
struct softpt_port_symbol {
	uint64_t clock;
	uint64_t count;
	size_t next;
	uint8_t es;
	uint8_t ts;
};

/* The first symbol: of an all-zero @s. Return: whether there is one more */
bool softpt_port_next(const struct softpt_port *port, struct softpt_port_symbol *s);

/* What a buffer that holds the clocks from @from up to @to would have; runs are not cut. */
void softpt_port_window(const struct softpt_port *port, uint64_t from, uint64_t to,
			struct softpt_port *window);

/* ---- synchronizing events ---- */

/**
 * struct softpt_port_se - the registers at a clock
 * @clock: where a trace can begin
 * @sent: the clock of the SE IAR symbol
 * @offset: what the offset counter said; SOFTPT_PORT_OFFSET_MAX: @clock is not known
 * @iar: address of what executes next when @clock begins
 * @lr: with @has_lr: the link register, without its two lowest bits
 * @ctr: with @has_ctr: the count register, without its two lowest bits
 * @has_lr: @lr was sent
 * @has_ctr: @ctr was sent
 * @behind: where its address ends
 */
struct softpt_port_se {
	uint64_t clock;
	uint64_t sent;
	uint32_t offset;
	uint32_t iar;
	uint32_t lr;
	uint32_t ctr;
	bool has_lr;
	bool has_ctr;
	struct softpt_port_symbol behind;	/* where its address ends */
};

/**
 * softpt_port_next_se() - the next synchronizing event
 * @port: the buffer
 * @at: all zero for the first; moved behind what was found
 * @se: filled in
 *
 * Only those whose address is whole in the buffer.
 *
 * Return: 1, or 0 at the end.
 */
int softpt_port_next_se(const struct softpt_port *port, struct softpt_port_symbol *at,
			struct softpt_port_se *se);

/* ---- instructions ---- */

/* Why a walk goes no further */
#define SOFTPT_PORT_REASONS(X) \
	X(END, "the buffer ends") \
	X(NO_CLOCK, "the clock of the SE is not known: its offset counter ran over") \
	X(BEFORE, "the clock of the SE lies before the buffer") \
	X(NO_CODE, "the image has no code there") \
	X(NO_LR, "the link register is not known") \
	X(NO_CTR, "the count register is not known") \
	X(LR_LATE, "the link register was used and written before the SE sent it") \
	X(CTR_LATE, "the count register was used and written before the SE sent it") \
	X(CTR_COUNTED, "the count register was counted down since it was last sent") \
	X(NOT_SENT, "the buffer ends before the address is sent") \
	X(NO_VECTOR, "an exception vector is missing in what was sent") \
	X(NO_BRANCH, "a taken branch at an instruction that does not branch") \
	X(NOT_TAKEN, "an unconditional branch that was not taken") \
	X(NO_TARGET, "the branch's target is in no register that is sent") \
	X(SE_IAR, "the SE names another address") \
	X(SE_LR, "the SE names another link register") \
	X(SE_CTR, "the SE names another count register")

enum softpt_port_reason {
#define X(id, text) SOFTPT_PORT_##id,
	SOFTPT_PORT_REASONS(X)
#undef X
};

const char *softpt_port_reason(unsigned int reason);

enum softpt_port_row_kind {
	SOFTPT_PORT_ROW_INSN,		/* @addr, @insn, @taken */
	SOFTPT_PORT_ROW_INTERRUPT,	/* at @addr, to @target */
	SOFTPT_PORT_ROW_TE,		/* recognized in @clock */
};

/**
 * struct softpt_port_row - one step of a walk
 * @clock: when it is
 * @kind: enum softpt_port_row_kind
 * @taken: a branch that is taken
 * @inferred: LR or CTR was used before the SE sent it, and taken for unchanged in between; since
 *	then the path has come to no SE that confirms it. It does to the next one, or the walk
 *	would not have taken this way; that another path comes there, too, is not ruled out
 * @addr: of the instruction
 * @insn: the instruction
 * @target: where an interrupt leads
 */
struct softpt_port_row {
	uint64_t clock;
	uint8_t kind;		/* enum softpt_port_row_kind */
	bool taken;
	bool inferred;
	uint32_t addr;
	uint32_t insn;
	uint32_t target;
};

/* An instruction of the program. Return: 0, or another number where there is no code */
typedef int (*softpt_port_read)(void *context, uint32_t addr, uint32_t *insn);

struct softpt_port_walk;

/* From @se, through TEs, to where something is not known. Return: NULL without memory */
struct softpt_port_walk *softpt_port_walk_new(const struct softpt_port *port,
					      const struct softpt_port_se *se,
					      softpt_port_read read, void *context);
void softpt_port_walk_free(struct softpt_port_walk *w);

/* Addresses that have code, from @from up to @to, which has not */
struct softpt_port_code {
	uint32_t from;
	uint32_t to;
};

/**
 * softpt_port_walk_in() - look for targets that are not known
 * @w: the walk
 * @code: all of the program's; stays the caller's
 * @n: how many
 * @steps: clocks that may be tried for it, in all; what is left of them
 *
 * A branch to LR or CTR, where the register was written or counted down before the SE sent it,
 * ends a walk. With this it goes on if there is one place in @code from which what the pins said
 * leads to the next SE, and no other that could be so; up to that SE its rows are inferred.
 */
void softpt_port_walk_in(struct softpt_port_walk *w, const struct softpt_port_code *code, size_t n,
			 uint64_t *steps);

/* Return: 1, or 0: softpt_port_walk_end() says why */
int softpt_port_walk_next(struct softpt_port_walk *w, struct softpt_port_row *row);

/**
 * softpt_port_walk_end() - where a walk that came to its end stands
 * @w: the walk
 * @clock: the first clock that was not walked
 * @addr: the address of what executes next
 *
 * Return: enum softpt_port_reason
 */
unsigned int softpt_port_walk_end(const struct softpt_port_walk *w, uint64_t *clock,
				  uint32_t *addr);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif /* SOFTPT_PORT_H */
