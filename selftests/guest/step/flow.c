// SPDX-License-Identifier: BSD-2-Clause
/* An independent decoder walks the program's code along the packets. */
#include "step.h"

#include <intel-pt.h>
#include <stdlib.h>
#include <string.h>

static int read_code(uint8_t *buffer, size_t size, const struct pt_asid *asid, uint64_t ip,
		     void *context)
{
	const struct code *code = context;
	unsigned int i;

	(void)asid;
	for (i = 0; i < code->n; i++) {
		const struct section *s = &code->section[i];

		if (ip < s->from || ip - s->from >= s->size)
			continue;
		if (size > s->size - (ip - s->from))
			size = s->size - (ip - s->from);
		memcpy(buffer, s->bytes + (ip - s->from), size);
		return size;
	}
	return -pte_nomap;
}

static void add_mark(struct flow *flow, uint64_t tsc)
{
	flow->mark = realloc(flow->mark, (flow->marks + 1) * sizeof(*flow->mark));
	if (!flow->mark)
		kit_bail("no memory for %zu marks", flow->marks);
	flow->mark[flow->marks++] = (struct mark){ tsc, flow->ips.n };
}

static void add_ptw(struct flow *flow, const struct pt_event *event)
{
	flow->ptw = realloc(flow->ptw, (flow->ptws + 1) * sizeof(*flow->ptw));
	if (!flow->ptw)
		kit_bail("no memory for %zu PTWRITEs", flow->ptws);
	flow->ptw[flow->ptws++] = (struct ptw){
		event->ip_suppressed ? 0 : event->variant.ptwrite.ip,
		event->variant.ptwrite.payload,
	};
}

static int drain_events(struct pt_insn_decoder *decoder, struct flow *flow, int status)
{
	struct pt_event event;

	while (status >= 0 && status & pts_event_pending) {
		status = pt_insn_event(decoder, &event, sizeof(event));
		if (status >= 0 && event.type == ptev_enabled)
			add_mark(flow, event.tsc);
		if (status >= 0 && event.type == ptev_ptwrite)
			add_ptw(flow, &event);
	}
	return status;
}

/* Far more than any program here runs */
#define IPS_MAX	(1u << 24)

static int walk(struct pt_insn_decoder *decoder, struct flow *flow)
{
	struct pt_insn insn;
	int status = pt_insn_sync_forward(decoder);

	while (status >= 0) {
		status = drain_events(decoder, flow, status);
		if (status < 0 || status & pts_eos)
			break;
		status = pt_insn_next(decoder, &insn, sizeof(insn));
		if (status >= 0 || insn.iclass != ptic_error)
			ips_add(&flow->ips, insn.ip);
		if (flow->ips.n > IPS_MAX)	/* lost, in a loop with no way out */
			return -pte_bad_query;
	}
	return status == -pte_eos || (status >= 0 && status & pts_eos) ? 0 : status;
}

int flow_decode(const struct softpt_config *c, const struct code *code, const uint8_t *data,
		size_t n, struct flow *flow)
{
	struct pt_insn_decoder *decoder;
	struct pt_config config;
	uint64_t offset = 0;
	int status;

	pt_config_init(&config);
	config.begin = (uint8_t *)data;
	config.end = (uint8_t *)data + n;
	config.mtc_freq = c->mtc_freq;
	config.cpuid_0x15_eax = c->tsc_eax;
	config.cpuid_0x15_ebx = c->tsc_ebx;
	config.nom_freq = c->p1;
	decoder = pt_insn_alloc_decoder(&config);
	if (!decoder)
		return -pte_nomem;
	pt_image_set_callback(pt_insn_get_image(decoder), read_code, (void *)code);
	status = walk(decoder, flow);
	if (status < 0) {
		pt_insn_get_offset(decoder, &offset);
		kit_note("libipt at offset %#lx of %#zx: %s", (unsigned long)offset, n,
			 pt_errstr(pt_errcode(status)));
	}
	pt_insn_free_decoder(decoder);
	return status;
}

/* The unit whose next mark is the earliest */
static unsigned int earliest(const struct flow *flow, unsigned int n, const size_t *next)
{
	unsigned int i, first = n;

	for (i = 0; i < n; i++)
		if (next[i] < flow[i].marks &&
		    (first == n || flow[i].mark[next[i]].tsc < flow[first].mark[next[first]].tsc))
			first = i;
	return first;
}

void flow_merge(const struct flow *flow, unsigned int n, struct ips *ips)
{
	size_t next[MAX_CPUS] = { 0 }, k, end;
	unsigned int i;

	while ((i = earliest(flow, n, next)) < n) {
		k = flow[i].mark[next[i]++].from;
		end = next[i] < flow[i].marks ? flow[i].mark[next[i]].from : flow[i].ips.n;
		while (k < end)
			ips_add(ips, flow[i].ips.ip[k++]);
	}
}

void flow_free(struct flow *flow)
{
	ips_free(&flow->ips);
	free(flow->mark);
	free(flow->ptw);
	*flow = (struct flow){ .marks = 0 };
}
