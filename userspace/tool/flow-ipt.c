// SPDX-License-Identifier: BSD-2-Clause
/* libipt's instruction decoder: packets and code -> transfers of control */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "flow-ipt.h"

/*
 * Instructions in a row that no packet is needed for. A path that got lost may come to a loop
 * that has no way out; real code without a branch that has a packet is shorter.
 */
#define AIMLESS_MAX	(1u << 20)

struct flow_walk {
	uint8_t *stream;	/* as @d reads it */
	size_t len;
	struct pt_insn_decoder *d;
	struct flow_code *code;
	unsigned int changes;	/* of @code, that @d knows of */
	int status;
	bool every;		/* instructions that are no branches are steps too */
	bool lost;		/* look for the next PSB first */
	bool done;
	bool begun;		/* a PSB was found */
	bool branch;		/* @last waits for its target */
	struct pt_event held;	/* until the step of the branch before it is out */
	bool has_held;
	bool fresh;		/* @last is not a step yet, and is to be one */
	struct pt_insn last;
	uint64_t start;		/* of the block that @last is in */
	uint64_t instructions;
	unsigned int aimless;	/* instructions since the last that needed a packet */
};

/* ---- the walk ---- */

/*
 * libipt does not know TRIG: it reads a copy with PADs in their places. Return: NULL without
 * memory
 */
static uint8_t *without_trig(const struct input_stream *from)
{
	uint8_t *to = malloc(from->len + 1);
	struct softpt_packet packet;
	struct softpt_stream stream;
	int n;

	if (!to)
		return NULL;
	memcpy(to, from->buf, from->len);
	softpt_stream_init(&stream, from->buf, from->len);
	while (!softpt_sync_forward(&stream, 0, NULL)) {
		while ((n = softpt_stream_next(&stream, &packet)) > 0)
			if (packet.type == SOFTPT_PKT_TRIG)
				memset(to + softpt_stream_offset(&stream) - packet.size, 0,
				       packet.size);
		if (stream.pos == stream.end)
			break;
		stream.pos++;
	}
	return to;
}

struct flow_walk *flow_walk_new(const struct input_stream *stream, const struct softpt_config *cfg,
				bool every)
{
	struct flow_walk *w = calloc(1, sizeof(*w));
	struct pt_config c;

	if (!w)
		return NULL;
	pt_config_init(&c);
	w->stream = without_trig(stream);
	if (!w->stream) {
		free(w);
		return NULL;
	}
	w->len = stream->len;
	c.begin = w->stream;
	c.end = c.begin + stream->len;
	c.mtc_freq = cfg->mtc_freq;
	c.nom_freq = cfg->p1;
	c.cpuid_0x15_eax = cfg->tsc_eax;
	c.cpuid_0x15_ebx = cfg->tsc_ebx;
	w->every = every;
	w->lost = true;
	w->d = pt_insn_alloc_decoder(&c);
	if (w->d)
		return w;
	flow_walk_free(w);
	return NULL;
}

void flow_walk_set_code(struct flow_walk *w, struct flow_code *code)
{
	w->code = code;
	w->changes = flow_code_changes(code);
	pt_insn_set_image(w->d, flow_code_image(code));
}

void flow_walk_free(struct flow_walk *w)
{
	if (!w)
		return;
	if (w->d)
		pt_insn_free_decoder(w->d);
	free(w->stream);
	free(w);
}

/* FF /2 to /5 is the only opcode of near jumps and calls that need a TIP. */
static bool is_indirect(const struct pt_insn *insn)
{
	static const uint8_t prefixes[] = {
		0x66, 0x67, 0x2e, 0x36, 0x3e, 0x26, 0x64, 0x65, 0xf2, 0xf3,
	};
	unsigned int i = 0;

	while (i < insn->size && (memchr(prefixes, insn->raw[i], sizeof(prefixes)) ||
				  (insn->mode == ptem_64bit && insn->raw[i] >> 4 == 4)))
		i++;
	return i < insn->size && insn->raw[i] == 0xff;
}

/* Whether the instruction ends a step, and if so, of what kind. */
static bool classify(const struct pt_insn *insn, struct flow_step *step)
{
	switch (insn->iclass) {
	case ptic_call:
		step->kind = FLOW_CALL;
		step->packet = is_indirect(insn) ? FLOW_TIP : FLOW_NO_PACKET;
		return true;
	case ptic_jump:
		step->kind = FLOW_JUMP;
		step->packet = is_indirect(insn) ? FLOW_TIP : FLOW_NO_PACKET;
		return true;
	case ptic_cond_jump:
		step->kind = FLOW_JUMP;
		step->packet = FLOW_TNT;
		return true;
	case ptic_return:
		step->kind = FLOW_RETURN;
		step->packet = FLOW_TNT_OR_TIP;
		return true;
	case ptic_far_call:
	case ptic_far_jump:
	case ptic_far_return:
		step->kind = FLOW_JUMP;
		step->packet = FLOW_TIP;
		return true;
	default:
		return false;
	}
}

/* The last instruction, and the block that a step ends there */
static void tell_last(struct flow_walk *w, struct flow_step *step)
{
	static const uint8_t bits[] = { [ptem_16bit] = 16, [ptem_32bit] = 32, [ptem_64bit] = 64 };

	step->bits = w->last.mode <= ptem_64bit ? bits[w->last.mode] : 0;
	step->size = w->last.size;
	memcpy(step->raw, w->last.raw, sizeof(step->raw));
	step->from = w->last.ip;
	step->behind = w->last.ip + w->last.size;
	if (step->kind == FLOW_INSN || step->kind == FLOW_PTWRITE)
		return;
	step->start = w->start;
	step->instructions = w->instructions;
	w->instructions = 0;
}

static bool tell_insn(struct flow_walk *w, struct flow_step *step)
{
	step->kind = FLOW_INSN;
	tell_last(w, step);
	return true;
}

/* The last instruction was a branch: it went to @to. */
static bool end_step(struct flow_walk *w, struct flow_step *step, uint64_t to)
{
	if (!w->branch)
		return false;
	w->branch = false;
	classify(&w->last, step);
	tell_last(w, step);
	step->to = to;
	step->taken = w->last.iclass != ptic_cond_jump || to != step->behind;
	return true;
}

/* Events that come between two instructions, and where */
static bool is_async(const struct pt_event *ev, uint64_t *at)
{
	if (ev->type == ptev_async_branch)
		*at = ev->variant.async_branch.from;
	else if (ev->type == ptev_async_disabled)
		*at = ev->variant.async_disabled.at;
	else
		return false;
	return true;
}

/* Return: whether the event is a step */
static bool tell_event(struct flow_step *step, const struct pt_event *ev)
{
	switch (ev->type) {
	case ptev_enabled:
		step->kind = FLOW_BEGIN;
		step->packet = FLOW_ENABLE;
		step->to = ev->variant.enabled.ip;
		return true;
	case ptev_disabled:
	case ptev_async_disabled:
		step->kind = FLOW_END;
		step->packet = FLOW_DISABLE;
		return true;
	case ptev_async_branch:
		step->kind = FLOW_INTERRUPT;
		step->packet = FLOW_INTR;
		step->to = ev->variant.async_branch.to;
		return true;
	case ptev_overflow:
		step->kind = FLOW_OVERFLOW;
		step->packet = FLOW_OVF;
		return true;
	default:
		return false;
	}
}

/* The instruction before it was done first, if it is a step of its own. */
static bool hold(struct flow_walk *w, struct flow_step *step, const struct pt_event *ev)
{
	uint64_t at;

	w->held = *ev;
	w->has_held = true;
	memset(step, 0, sizeof(*step));
	if (is_async(ev, &at))
		return end_step(w, step, at);
	w->branch = false;
	return tell_insn(w, step);
}

/* It changes nothing of the path, not even where a branch goes that waits for its target. */
static bool tell_ptwrite(struct flow_walk *w, struct flow_step *step, const struct pt_event *ev)
{
	step->kind = FLOW_PTWRITE;
	step->packet = FLOW_PTW;
	step->value = ev->variant.ptwrite.payload;
	tell_last(w, step);
	step->from = ev->ip_suppressed ? 0 : ev->variant.ptwrite.ip;
	return true;
}

static bool take_event(struct flow_walk *w, struct flow_step *step, const struct pt_event *ev)
{
	uint64_t at;

	w->aimless = 0;
	if (ev->type == ptev_ptwrite)
		return tell_ptwrite(w, step, ev);
	if (!tell_event(step, ev))
		return false;
	if (w->branch && (w->every || is_async(ev, &at)))
		return hold(w, step, ev);
	w->branch = false;
	tell_last(w, step);
	if (is_async(ev, &at))
		step->behind = at;
	return true;
}

static bool lose(struct flow_walk *w, struct flow_step *step, int err)
{
	step->kind = FLOW_LOST;
	step->packet = FLOW_NO_PACKET;
	tell_last(w, step);
	step->error = pt_errstr(pt_errcode(err));
	w->lost = true;
	w->branch = false;
	w->aimless = 0;
	return true;
}

/* Return: whether the walk goes round in circles */
static bool is_aimless(struct flow_walk *w, const struct pt_insn *insn)
{
	struct flow_step step = { .packet = FLOW_NO_PACKET };

	classify(insn, &step);
	if (step.packet != FLOW_NO_PACKET)
		w->aimless = 0;
	else
		w->aimless++;
	return w->aimless > AIMLESS_MAX;
}

/* One instruction or event. Return: whether that made a step */
static bool advance(struct flow_walk *w, struct flow_step *step)
{
	struct pt_insn insn = { 0 };
	struct pt_event ev;
	bool made;

	if (w->has_held) {
		w->has_held = false;
		ev = w->held;
		return take_event(w, step, &ev);
	}
	if (w->fresh) {
		w->fresh = false;
		return tell_insn(w, step);
	}
	if (w->status & pts_event_pending) {
		w->status = pt_insn_event(w->d, &ev, sizeof(ev));
		return w->status < 0 ? lose(w, step, w->status) : take_event(w, step, &ev);
	}
	if (w->code && w->changes != flow_code_changes(w->code))
		flow_walk_set_code(w, w->code);
	w->status = pt_insn_next(w->d, &insn, sizeof(insn));
	if (w->status == -pte_eos) {
		w->done = true;
		return false;
	}
	if (w->status < 0)
		return lose(w, step, w->status);
	if (is_aimless(w, &insn))
		return lose(w, step, -pte_bad_query);
	made = end_step(w, step, insn.ip);
	if (!w->instructions++)
		w->start = insn.ip;
	w->last = insn;
	w->branch = classify(&insn, &(struct flow_step){ 0 });
	w->fresh = w->every && !w->branch;
	if (made || !w->fresh)
		return made;
	w->fresh = false;
	return tell_insn(w, step);
}

/* Where the program is at a PSB. Return: false where nothing is traced there */
static bool psb_ip(const struct flow_walk *w, uint64_t offset, uint64_t *ip)
{
	struct softpt_packet packet;
	struct softpt_stream stream;

	*ip = 0;
	softpt_stream_init(&stream, w->stream + offset, w->len - offset);
	while (softpt_stream_next(&stream, &packet) > 0 && packet.type != SOFTPT_PKT_PSBEND)
		if (packet.type == SOFTPT_PKT_FUP)
			return softpt_ip_update(ip, &packet);
	return false;
}

/*
 * The next PSB. A stream whose begin was overwritten begins amid a program: that is a step.
 * Return: whether it made one
 */
static bool synchronize(struct flow_walk *w, struct flow_step *step)
{
	w->status = pt_insn_sync_forward(w->d);
	w->done = w->status < 0;
	w->lost = false;
	if (w->done || w->begun)
		return false;
	w->begun = true;
	pt_insn_get_sync_offset(w->d, &step->sync);
	if (!psb_ip(w, step->sync, &step->to))
		return false;
	step->kind = FLOW_BEGIN;
	step->packet = FLOW_PSB;
	return true;
}

bool flow_walk_next(struct flow_walk *w, struct flow_step *step)
{
	bool made = false;

	memset(step, 0, sizeof(*step));
	while (!made && !w->done) {
		if (w->lost)
			made = synchronize(w, step);
		else
			made = advance(w, step);
	}
	pt_insn_get_sync_offset(w->d, &step->sync);
	return made;
}
