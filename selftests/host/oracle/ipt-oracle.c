// SPDX-License-Identifier: BSD-2-Clause
/*
 * What Intel's decoder library makes of a trace: an opinion that shares no code with
 * ours.
 *
 * usage: ipt-oracle packets FILE
 *	  ipt-oracle rows|times EBX EAX MTC_FREQ P1 FILE
 *	  ipt-oracle path ADDRESS CODE FILE
 *
 * "packets" prints what `softpt dump` prints, IPs as the raw payload; where it is refused it
 * goes on at the next PSB. "rows" prints KIND TIME VALUE for each event and branch of the query
 * decoder, in stream order; "times" also a time for a PTWRITE that has none of its own. "path"
 * prints the address of each instruction, of the code that is in the file CODE. Exit status 1
 * where libipt refuses the stream.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ipt-oracle.h"

static void print_tnt(const struct pt_packet *p)
{
	unsigned int i = p->payload.tnt.bit_size;

	fputs(" bits=", stdout);
	while (i--)
		putchar(p->payload.tnt.payload >> i & 1 ? 'T' : 'N');
}

static void print_ip(const struct pt_packet *p)
{
	if (p->payload.ip.ipc)
		printf(" ip=0x%" PRIx64, p->payload.ip.ip);
	printf(" ipbytes=%d", p->payload.ip.ipc);
}

static void print_mode(const struct pt_packet *p)
{
	const struct pt_packet_mode *m = &p->payload.mode;

	if (m->leaf == pt_mol_tsx) {
		printf(" intx=%u abort=%u", m->bits.tsx.intx, m->bits.tsx.abrt);
		return;
	}
	printf(" mode=%d bits=0x%x", m->bits.exec.csl ? 64 : m->bits.exec.csd ? 32 : 16,
	       m->bits.exec.csl | m->bits.exec.csd << 1);
}

static void print_pip(const struct pt_packet *p)
{
	printf(" cr3=0x%" PRIx64 " nr=%u", p->payload.pip.cr3, p->payload.pip.nr);
}

static void print_tsc(const struct pt_packet *p)
{
	printf(" tsc=0x%" PRIx64, p->payload.tsc.tsc);
}

static void print_tma(const struct pt_packet *p)
{
	printf(" ctc=0x%x fc=0x%x", p->payload.tma.ctc, p->payload.tma.fc);
}

static void print_mtc(const struct pt_packet *p)
{
	printf(" ctc=0x%x", p->payload.mtc.ctc);
}

static void print_cyc(const struct pt_packet *p)
{
	printf(" cycles=%" PRIu64, p->payload.cyc.value);
}

static void print_cbr(const struct pt_packet *p)
{
	printf(" ratio=%u", p->payload.cbr.ratio);
}

static void print_vmcs(const struct pt_packet *p)
{
	printf(" base=0x%" PRIx64, p->payload.vmcs.base);
}

static void print_mnt(const struct pt_packet *p)
{
	printf(" payload=0x%" PRIx64, p->payload.mnt.payload);
}

static void print_ptw(const struct pt_packet *p)
{
	printf(" payload=0x%" PRIx64 " ip=%u", p->payload.ptw.payload, p->payload.ptw.ip);
}

static void print_exstop(const struct pt_packet *p)
{
	printf(" ip=%u", p->payload.exstop.ip);
}

static void print_mwait(const struct pt_packet *p)
{
	printf(" hints=0x%x ext=0x%x", p->payload.mwait.hints, p->payload.mwait.ext);
}

static void print_pwre(const struct pt_packet *p)
{
	printf(" state=%u substate=%u hw=%u", p->payload.pwre.state,
	       p->payload.pwre.sub_state, p->payload.pwre.hw);
}

static void print_pwrx(const struct pt_packet *p)
{
	/* libipt keeps three of the wake reasons, by name */
	printf(" last=%u deepest=%u reason=0x%x", p->payload.pwrx.last,
	       p->payload.pwrx.deepest, p->payload.pwrx.interrupt |
	       p->payload.pwrx.store << 2 | p->payload.pwrx.autonomous << 3);
}

static const struct {
	const char *name;
	void (*print)(const struct pt_packet *p);
} packet_table[] = {
	[ppt_pad]	= { "PAD", NULL },
	[ppt_psb]	= { "PSB", NULL },
	[ppt_psbend]	= { "PSBEND", NULL },
	[ppt_fup]	= { "FUP", print_ip },
	[ppt_tip]	= { "TIP", print_ip },
	[ppt_tip_pge]	= { "TIP.PGE", print_ip },
	[ppt_tip_pgd]	= { "TIP.PGD", print_ip },
	[ppt_tnt_8]	= { "TNT.8", print_tnt },
	[ppt_tnt_64]	= { "TNT.64", print_tnt },
	[ppt_mode]	= { "MODE.", print_mode },
	[ppt_pip]	= { "PIP", print_pip },
	[ppt_vmcs]	= { "VMCS", print_vmcs },
	[ppt_cbr]	= { "CBR", print_cbr },
	[ppt_tsc]	= { "TSC", print_tsc },
	[ppt_tma]	= { "TMA", print_tma },
	[ppt_mtc]	= { "MTC", print_mtc },
	[ppt_cyc]	= { "CYC", print_cyc },
	[ppt_stop]	= { "TraceStop", NULL },
	[ppt_ovf]	= { "OVF", NULL },
	[ppt_mnt]	= { "MNT", print_mnt },
	[ppt_exstop]	= { "EXSTOP", print_exstop },
	[ppt_mwait]	= { "MWAIT", print_mwait },
	[ppt_pwre]	= { "PWRE", print_pwre },
	[ppt_pwrx]	= { "PWRX", print_pwrx },
	[ppt_ptw]	= { "PTW", print_ptw },
};

int oracle_refuse(int status, uint64_t offset)
{
	fprintf(stderr, "ipt-oracle: offset %#" PRIx64 ": %s\n", offset,
		pt_errstr(pt_errcode(status)));
	return 1;
}

static void print_packet(uint64_t offset, const struct pt_packet *p)
{
	if (p->type >= sizeof(packet_table) / sizeof(*packet_table) ||
	    !packet_table[p->type].name) {
		printf("%016" PRIx64 " ?\n", offset);
		return;
	}
	printf("%016" PRIx64 " %s", offset, packet_table[p->type].name);
	if (p->type == ppt_mode)
		fputs(p->payload.mode.leaf == pt_mol_tsx ? "TSX" : "Exec", stdout);
	if (packet_table[p->type].print)
		packet_table[p->type].print(p);
	putchar('\n');
}

static int print_packets(const struct pt_config *config)
{
	struct pt_packet_decoder *decoder = pt_pkt_alloc_decoder(config);
	struct pt_packet p;
	uint64_t offset = 0;
	int status = decoder ? pt_pkt_sync_forward(decoder) : -pte_nomem, refused = 0;

	while (status >= 0) {
		pt_pkt_get_offset(decoder, &offset);
		status = pt_pkt_next(decoder, &p, sizeof(p));
		if (status >= 0)
			print_packet(offset, &p);
		if (status < 0 && status != -pte_eos) {
			refused = oracle_refuse(status, offset);
			status = pt_pkt_sync_forward(decoder);
		}
	}
	pt_pkt_free_decoder(decoder);
	return status == -pte_eos ? refused : oracle_refuse(status, offset);
}

/* The names of `softpt decode`; NULL: it prints no such row */
static const char *const row_kinds[] = {
	[ptev_enabled]		= "enable",
	[ptev_disabled]		= "disable",
	[ptev_async_disabled]	= "disable",
	[ptev_async_branch]	= "intr",
	[ptev_paging]		= "cr3",
	[ptev_async_paging]	= "cr3",
	[ptev_overflow]		= "ovf",
	[ptev_exec_mode]	= "mode",
	[ptev_tsx]		= "tsx",
	[ptev_stop]		= "stop",
	[ptev_vmcs]		= "vmcs",
	[ptev_async_vmcs]	= "vmcs",
	[ptev_exstop]		= "pwr",
	[ptev_mwait]		= "pwr",
	[ptev_pwre]		= "pwr",
	[ptev_pwrx]		= "pwr",
	[ptev_ptwrite]		= "ptw",
	[ptev_cbr]		= "cbr",
	[ptev_mnt]		= NULL,
};

static uint64_t event_value(const struct pt_event *ev)
{
	switch (ev->type) {
	case ptev_paging:
		return ev->variant.paging.cr3;
	case ptev_async_paging:
		return ev->variant.async_paging.cr3;
	case ptev_ptwrite:
		return ev->variant.ptwrite.payload;
	case ptev_cbr:
		return ev->variant.cbr.ratio;
	case ptev_async_branch:
		return ev->variant.async_branch.to;
	case ptev_enabled:
		return ev->variant.enabled.ip;
	case ptev_vmcs:
		return ev->variant.vmcs.base;
	default:
		return 0;
	}
}

static int print_event(struct pt_query_decoder *decoder, bool all)
{
	struct pt_event ev;
	uint64_t tsc = 0;
	int status = pt_qry_event(decoder, &ev, sizeof(ev));

	/* A PTWRITE without an IP has no time of its own: that is the decoder's */
	if (status >= 0 && ev.has_tsc)
		tsc = ev.tsc;
	else if (status >= 0 && all && ev.type == ptev_ptwrite)
		pt_qry_time(decoder, &tsc, NULL, NULL);
	/* A status update is what a PSB+ repeats */
	if (status >= 0 && !ev.status_update && ev.type <= ptev_mnt && row_kinds[ev.type])
		printf("%s %" PRIu64 " 0x%" PRIx64 "\n", row_kinds[ev.type], tsc,
		       event_value(&ev));
	return status;
}

static void print_branch(struct pt_query_decoder *decoder, const char *kind, uint64_t value)
{
	uint64_t tsc = 0;

	pt_qry_time(decoder, &tsc, NULL, NULL);
	printf("%s %" PRIu64 " 0x%" PRIx64 "\n", kind, tsc, value);
}

/* One branch, of whichever kind comes next in the stream */
static int next_branch(struct pt_query_decoder *decoder)
{
	uint64_t ip = 0;
	int status, taken;

	status = pt_qry_cond_branch(decoder, &taken);
	if (status >= 0) {
		print_branch(decoder, taken ? "taken" : "not", 0);
		return status;
	}
	if (status != -pte_bad_query)
		return status;
	status = pt_qry_indirect_branch(decoder, &ip);
	if (status >= 0)
		print_branch(decoder, "tip", ip);
	return status;
}

static int print_rows(const struct pt_config *config, bool all)
{
	struct pt_query_decoder *decoder = pt_qry_alloc_decoder(config);
	uint64_t ip, offset = 0;
	int status = decoder ? pt_qry_sync_forward(decoder, &ip) : -pte_nomem;

	while (status >= 0) {
		if (!(status & pts_event_pending) && status & pts_eos)
			break;
		status = status & pts_event_pending ? print_event(decoder, all) :
						      next_branch(decoder);
	}
	if (decoder)
		pt_qry_get_offset(decoder, &offset);
	pt_qry_free_decoder(decoder);
	return status >= 0 || status == -pte_eos ? 0 : oracle_refuse(status, offset);
}

uint8_t *oracle_load(const char *path, size_t *size)
{
	FILE *file = fopen(path, "rb");
	uint8_t *data = NULL;
	long end;

	if (!file)
		return NULL;
	end = fseek(file, 0, SEEK_END) ? -1 : ftell(file);
	if (end > 0 && !fseek(file, 0, SEEK_SET))
		data = malloc(end);
	if (data)
		*size = fread(data, 1, end, file);
	fclose(file);
	return data;
}

static int usage(void)
{
	fputs("usage: ipt-oracle packets FILE | rows|times EBX EAX MTC_FREQ P1 FILE | path ADDRESS CODE FILE\n",
	      stderr);
	return 2;
}

/* What is asked, of the trace that @config has */
static int answer(struct pt_config *config, int argc, char **argv)
{
	if (argc == 3)
		return print_packets(config);
	if (argc == 5)
		return oracle_print_path(config, argv[2], argv[3]);
	config->cpuid_0x15_ebx = strtoul(argv[2], NULL, 0);
	config->cpuid_0x15_eax = strtoul(argv[3], NULL, 0);
	config->mtc_freq = strtoul(argv[4], NULL, 0);
	config->nom_freq = strtoul(argv[5], NULL, 0);
	return print_rows(config, !strcmp(argv[1], "times"));
}

int main(int argc, char **argv)
{
	static const char *const names[] = { [3] = "packets", [5] = "path", [7] = "rows" };
	struct pt_config config;
	uint8_t *data;
	size_t size;
	int status;

	if (argc > 7 || !(argc & 1) || argc < 3 ||
	    (strcmp(argv[1], names[argc]) && (argc != 7 || strcmp(argv[1], "times"))))
		return usage();
	data = oracle_load(argv[argc - 1], &size);
	if (!data) {
		perror(argv[argc - 1]);
		return 1;
	}
	pt_config_init(&config);
	config.begin = data;
	config.end = data + size;
	status = answer(&config, argc, argv);
	free(data);
	return status;
}
