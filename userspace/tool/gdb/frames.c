// SPDX-License-Identifier: BSD-2-Clause
#include "frames.h"

#include <string.h>

#include "code/dwarf/unwind.h"
#include "flow/process.h"
#include "past.h"

#define TOP	0x7fff00000000ull	/* of the stack that is made up */
#define FRAME	4096			/* of a function whose frame has no size that is told */

#define RULES_BITS	10
#define RULES		(1u << RULES_BITS)

/* A function that has not returned, and where it is */
struct frame {
	struct past *h;
	uint32_t call;
	uint64_t at;
	bool known;
	struct unwind_rule rule;
};

/* A recursion asks for the same few rules again and again. One past is served by a process. */
static struct {
	uint64_t at;
	bool looked;
	bool known;
	struct unwind_rule rule;
} rules[RULES];

static void find_rule(struct frame *f)
{
	const size_t i = f->at * 0x9e3779b97f4a7c15ull >> (64 - RULES_BITS);
	struct symbol_place place;

	if (!rules[i].looked || rules[i].at != f->at) {
		symbols_place(f->h->process->symbols, f->at, &place);
		rules[i].known = source_unwind(&place, &rules[i].rule);
		rules[i].at = f->at;
		rules[i].looked = true;
	}
	f->known = rules[i].known;
	f->rule = rules[i].rule;
}

static const struct call *call_of(const struct frame *f)
{
	return &f->h->calls.call[f->call];
}

static void innermost(struct past *h, const struct place *p, struct frame *f)
{
	*f = (struct frame){ .h = h, .call = past_call(h, p), .at = past_ip(h, p) };
	find_rule(f);
}

/* To the caller, which is at its call still. Return: false: there is none */
static bool outward(struct frame *f)
{
	const struct call *c = call_of(f);

	if (c->around == f->call || !c->back)
		return false;
	f->call = c->around;
	f->at = c->back - 1;
	find_rule(f);
	return true;
}

/* The CFA of a call is what RSP is in its caller when it has returned. */
static uint64_t cfa_below(uint64_t cfa, const struct frame *caller)
{
	if (!caller->known || caller->rule.by_rbp)
		return cfa - FRAME;
	return cfa - caller->rule.offset;
}

/* From the nearest call around it whose CFA is known, inward */
static uint64_t cfa_of(struct past *h, uint32_t number)
{
	struct call *const call = h->calls.call;
	struct frame caller = { .h = h };
	uint32_t at;

	while (!call[number].cfa) {
		for (at = number; call[at].around != at && !call[call[at].around].cfa;)
			at = call[at].around;
		if (call[at].around == at) {
			call[at].cfa = TOP;
			continue;
		}
		caller.at = call[at].back - 1;
		find_rule(&caller);
		call[at].cfa = cfa_below(call[call[at].around].cfa, &caller);
	}
	return call[number].cfa;
}

/* RBP in a function: what its frame is found by, or else what the next one out has. 0: unknown */
static uint64_t rbp_of(struct frame f)
{
	do {
		if (!f.known)
			return 0;
		if (f.rule.by_rbp)
			return cfa_of(f.h, f.call) - f.rule.offset;
	} while (f.rule.rbp == UNWIND_SAME && outward(&f));
	return 0;
}

void frames_registers(struct past *h, const struct place *p, struct frame_registers *regs)
{
	struct frame f;
	uint64_t cfa;

	innermost(h, p, &f);
	cfa = cfa_of(h, f.call);
	regs->rip = f.at;
	regs->rsp = f.known && !f.rule.by_rbp ? cfa - f.rule.offset : cfa - FRAME;
	if (!f.known)
		regs->rsp = cfa - 8;
	regs->rbp = rbp_of(f);
}

static bool read_word(uint64_t at, uint64_t word, uint64_t addr, uint8_t *buf, size_t n)
{
	if (addr < at || addr - at >= 8 || n > 8 - (addr - at))
		return false;
	memcpy(buf, (const uint8_t *)&word + (addr - at), n);
	return true;
}

bool frames_read(struct past *h, const struct place *p, uint64_t addr, uint8_t *buf, size_t n)
{
	struct frame f, caller;
	uint64_t cfa;

	for (innermost(h, p, &f);; f = caller) {
		cfa = cfa_of(h, f.call);
		caller = f;
		if (call_of(&f)->back && read_word(cfa - 8, call_of(&f)->back, addr, buf, n))
			return true;
		if (!outward(&caller))
			return false;
		if (f.known && f.rule.rbp == UNWIND_SAVED && rbp_of(caller) &&
		    read_word(cfa + f.rule.rbp_at, rbp_of(caller), addr, buf, n))
			return true;
		if (addr < cfa)
			return false;
	}
}
