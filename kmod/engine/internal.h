/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the engine's own files share. */
#ifndef _SOFTPT_ENGINE_INTERNAL_H
#define _SOFTPT_ENGINE_INTERNAL_H

#include "engine.h"
#include "write.h"

/* Room that one step of a gap needs: a tick, a wrap, or a live gap with both its anchors */
#define SOFTPT_STEP_ROOM	80

/* timing.c */
void softpt_ticks_init(struct softpt_engine *e);
bool softpt_advance(struct softpt_engine *e, const struct softpt_event *ev,
		    struct softpt_sink *s);
bool softpt_pass_time(struct softpt_engine *e, const struct softpt_event *ev,
		      struct softpt_sink *s);
void softpt_ticks_start(struct softpt_engine *e, u64 tsc);
void softpt_ticks_stop(struct softpt_engine *e);
void softpt_preroll(struct softpt_engine *e, struct softpt_sink *s);
void softpt_put_tsc(struct softpt_engine *e, struct softpt_sink *s, u64 tsc);
void softpt_anchor(struct softpt_engine *e, struct softpt_sink *s);
void softpt_close(struct softpt_engine *e, struct softpt_sink *s);

/* cycles.c */
void softpt_cycles_init(struct softpt_engine *e);
void softpt_cycles_settle(struct softpt_engine *e, u64 tsc);
void softpt_cycles_start(struct softpt_engine *e, u64 tsc);
void softpt_cycles_stop(struct softpt_engine *e, u64 tsc);
void softpt_cycles_ratio(struct softpt_engine *e, u64 tsc, u8 ratio);
void softpt_cycles_wrap(struct softpt_engine *e, struct softpt_sink *s, u64 tsc);
u64 softpt_cycles_at(const struct softpt_engine *e, u64 tsc);
void softpt_cyc_slow(struct softpt_engine *e, struct softpt_sink *s, u64 tsc, u32 thresh);

/* psb.c */
void softpt_psb_plus(struct softpt_engine *e, struct softpt_sink *s);

/* context.c */
void softpt_context_update(struct softpt_engine *e);
bool softpt_in_filter(const struct softpt_engine *e, u64 ip);
bool softpt_in_stop(const struct softpt_engine *e, u64 ip);
void softpt_enable(struct softpt_engine *e, const struct softpt_event *ev,
		   struct softpt_sink *s);
void softpt_disable(struct softpt_engine *e, const struct softpt_event *ev,
		    struct softpt_sink *s);
void softpt_restart(struct softpt_engine *e, struct softpt_sink *s);
void softpt_halt(struct softpt_engine *e);
void softpt_overflow(struct softpt_engine *e, struct softpt_sink *s, u64 until);
void softpt_overflow_end(struct softpt_engine *e, const struct softpt_event *ev,
			 struct softpt_sink *s, u64 tsc);
void softpt_sleep(struct softpt_engine *e, const struct softpt_event *ev,
		  struct softpt_sink *s);
void softpt_wake(struct softpt_engine *e, struct softpt_sink *s, u64 tsc);

/* flow.c */
enum softpt_move {
	SOFTPT_MOVE_DIRECT	= 0,		/* no packet of its own */
	SOFTPT_MOVE_BIT		= 1 << 0,	/* a TNT bit */
	SOFTPT_MOVE_TIP		= 1 << 1,
	SOFTPT_MOVE_FUP		= 1 << 2,	/* asynchronous: FUP first */
	SOFTPT_MOVE_NO_IP	= 1 << 3,	/* TIP.PGD tells no IP: a decoder knows it */
};

void softpt_arrive_slow(struct softpt_engine *e, const struct softpt_event *ev,
			struct softpt_sink *s);
int softpt_flow(struct softpt_engine *e, const struct softpt_event *ev,
		struct softpt_sink *s);
int softpt_cr3(struct softpt_engine *e, const struct softpt_event *ev,
	       struct softpt_sink *s);
void softpt_cpl(struct softpt_engine *e, const struct softpt_event *ev,
		struct softpt_sink *s);
void softpt_tsx(struct softpt_engine *e, const struct softpt_event *ev,
		struct softpt_sink *s);
void softpt_put_pge(struct softpt_engine *e, struct softpt_sink *s, u64 ip);

/* counter.c */
void softpt_count_trace(struct softpt_engine *e);
void softpt_wanted_update(struct softpt_engine *e);

/* trigger.c */
void softpt_trigger_event(struct softpt_engine *e, const struct softpt_event *ev,
			  struct softpt_sink *s);
void softpt_trigger_count(struct softpt_engine *e, u8 event_class, u16 submask, u64 n);

/* trigger-freeze.c */
void softpt_trigger_freeze(struct softpt_engine *e, const struct softpt_trigger *set);
void softpt_trigger_settle(struct softpt_engine *e);
bool softpt_trigger_too_late(struct softpt_engine *e);
bool softpt_trigger_advance(struct softpt_engine *e, const struct softpt_event *ev,
			    struct softpt_sink *s);

/* group.c: what comes before the packets of an event */
enum softpt_open {
	SOFTPT_OPEN_CYC		= 1 << 0,	/* its first packet is CYC-eligible */
	SOFTPT_OPEN_BIT		= 1 << 1,	/* a TNT bit is appended, nothing flushed */
	SOFTPT_OPEN_STOP	= 1 << 2,	/* it causes a stop: closing anchor */
};

void softpt_begin(struct softpt_engine *e, struct softpt_sink *s);
void softpt_open_slow(struct softpt_engine *e, struct softpt_sink *s, unsigned int how);
void softpt_tnt_flush_slow(struct softpt_engine *e, struct softpt_sink *s);
void softpt_put_apart(struct softpt_engine *e, struct softpt_sink *s);
void softpt_note_slow(struct softpt_engine *e, struct softpt_sink *s);

/* Packets are generated at all: tracing is on and none are being lost. */
static inline bool softpt_on(const struct softpt_engine *e)
{
	return e->trigger_en && !e->overflow;
}

/* The events tell what retires. A live source tells it by itself. */
static inline bool softpt_fifo_follows(const struct softpt_engine *e)
{
	return e->fifo.state && !e->live;
}

/*
 * Packets are lost or counted, durations counted, retirements recorded, triggers armed, or the
 * truth is told: one test in the path of all events
 */
static inline void softpt_slow_update(struct softpt_engine *e)
{
	e->slow = e->overflow || e->counters.wanted >> SOFTPT_CLASS_TRACE & 1 ||
		  e->durations.classes || softpt_fifo_follows(e) || e->triggers.set || e->truth;
}

/* What ContextEn is, with this CPL and CR3 */
static inline bool softpt_context(const struct softpt_engine *e)
{
	return (e->flags & (e->cpl ? SOFTPT_F_USER : SOFTPT_F_OS)) &&
	       (!(e->flags & SOFTPT_F_CR3) || e->cr3 == e->cfg.cr3);
}

static inline bool softpt_is_flow(const struct softpt_event *ev)
{
	return ev->kind >= SOFTPT_EV_JCC && ev->kind <= SOFTPT_EV_INTR;
}

/* Where an event that is no flow happened is known */
static inline bool softpt_says_ip(const struct softpt_event *ev)
{
	switch (ev->kind) {
	case SOFTPT_EV_DISABLE:
	case SOFTPT_EV_PTW:
	case SOFTPT_EV_CFE:
	case SOFTPT_EV_TSX:
		return ev->flags & SOFTPT_EVF_IP;
	default:
		return false;
	}
}

/* Where the event happened is known: execution has arrived there */
static inline bool softpt_has_ip(const struct softpt_event *ev)
{
	return softpt_is_flow(ev) || softpt_says_ip(ev);
}

/* Execution got to the event's address. */
static inline void softpt_arrive(struct softpt_engine *e, const struct softpt_event *ev,
				 struct softpt_sink *s)
{
	if (unlikely(e->ranges))
		softpt_arrive_slow(e, ev, s);
	e->ip = ev->ip;
}

/* The end of a call: bytes written since @mark belong to the counts now. */
static inline int softpt_done(struct softpt_engine *e, const struct softpt_sink *s, int ret)
{
	e->counts.bytes += s->cur - e->mark;
	return ret;
}

/* Bytes written so far */
static inline u64 softpt_bytes(const struct softpt_engine *e, const struct softpt_sink *s)
{
	return e->counts.bytes + (u64)(s->cur - e->mark);
}

static inline bool softpt_psb_due(const struct softpt_engine *e, const struct softpt_sink *s)
{
	return softpt_bytes(e, s) >= e->psb_at;
}

static inline void softpt_tnt_flush(struct softpt_engine *e, struct softpt_sink *s)
{
	if (e->ntnt)
		softpt_tnt_flush_slow(e, s);
}

static inline void softpt_note(struct softpt_engine *e, struct softpt_sink *s)
{
	if (unlikely(e->unannounced))
		softpt_note_slow(e, s);
}

/* A CYC packet, if at least @thresh cycles have elapsed since the last */
static inline void softpt_cyc(struct softpt_engine *e, struct softpt_sink *s, u64 tsc, u32 thresh)
{
	if (e->flags & SOFTPT_F_CYC)
		softpt_cyc_slow(e, s, tsc, thresh);
}

/* Mostly nothing precedes the packets of an event. */
static inline void softpt_open(struct softpt_engine *e, struct softpt_sink *s, unsigned int how)
{
	bool bit = (how & SOFTPT_OPEN_BIT) && e->ntnt;

	if (likely(!(e->missing && e->heals) && !softpt_psb_due(e, s) &&
		   !(how & SOFTPT_OPEN_STOP) &&
		   (bit || (!e->ntnt && !e->unannounced && !e->careful))))
		softpt_suppressor_ntp(&e->sup);
	else
		softpt_open_slow(e, s, how);
}

static inline void softpt_due_update(struct softpt_engine *e)
{
	if (e->asleep)
		e->due = 0;	/* any event wakes */
	else if (e->overflow)
		e->due = e->resume_at;
	else
		e->due = min(e->next.tsc, e->wrap_at);
}

#endif /* _SOFTPT_ENGINE_INTERNAL_H */
