// SPDX-License-Identifier: BSD-2-Clause
#include "facts.h"

#include <inttypes.h>
#include <stdio.h>

#define FACT(id, ...) ((struct fact){ SOFTPT_PKT_##id, size, __VA_ARGS__ })

uint64_t fact_low_bytes(uint64_t ip, unsigned int ipbytes)
{
	static const uint8_t sizes[8] = SOFTPT_IP_SIZES;

	return sizes[ipbytes] < 8 ? ip & ((1ull << 8 * sizes[ipbytes]) - 1) : ip;
}

static struct fact fact_ip(unsigned int type, int size, const struct pt_packet_ip *ip)
{
	return (struct fact){ type, size, ip->ipc, fact_low_bytes(ip->ip, ip->ipc), 0 };
}

static struct fact fact_mode(const struct pt_packet_mode *m, int size)
{
	if (m->leaf == pt_mol_exec)
		return FACT(MODE_EXEC, m->bits.exec.csl, m->bits.exec.csd, 0);
	return FACT(MODE_TSX, m->bits.tsx.intx, m->bits.tsx.abrt, 0);
}

static struct fact fact_pwrx(const struct pt_packet_pwrx *p, int size)
{
	return FACT(PWRX, p->last, p->deepest,
		    p->interrupt | p->store << 2 | p->autonomous << 3);
}

struct fact fact_theirs(const struct pt_packet *p, int size)
{
	switch (p->type) {
	case ppt_pad: return FACT(PAD, 0, 0, 0);
	case ppt_psb: return FACT(PSB, 0, 0, 0);
	case ppt_psbend: return FACT(PSBEND, 0, 0, 0);
	case ppt_ovf: return FACT(OVF, 0, 0, 0);
	case ppt_stop: return FACT(STOP, 0, 0, 0);
	case ppt_fup: return fact_ip(SOFTPT_PKT_FUP, size, &p->payload.ip);
	case ppt_tip: return fact_ip(SOFTPT_PKT_TIP, size, &p->payload.ip);
	case ppt_tip_pge: return fact_ip(SOFTPT_PKT_TIP_PGE, size, &p->payload.ip);
	case ppt_tip_pgd: return fact_ip(SOFTPT_PKT_TIP_PGD, size, &p->payload.ip);
	case ppt_tnt_8: return FACT(TNT8, p->payload.tnt.bit_size, p->payload.tnt.payload, 0);
	case ppt_tnt_64: return FACT(TNT64, p->payload.tnt.bit_size, p->payload.tnt.payload, 0);
	case ppt_mode: return fact_mode(&p->payload.mode, size);
	case ppt_pip: return FACT(PIP, p->payload.pip.cr3, p->payload.pip.nr, 0);
	case ppt_vmcs: return FACT(VMCS, p->payload.vmcs.base, 0, 0);
	case ppt_cbr: return FACT(CBR, p->payload.cbr.ratio, 0, 0);
	case ppt_tsc: return FACT(TSC, p->payload.tsc.tsc, 0, 0);
	case ppt_tma: return FACT(TMA, p->payload.tma.ctc, p->payload.tma.fc, 0);
	case ppt_mtc: return FACT(MTC, p->payload.mtc.ctc, 0, 0);
	case ppt_cyc: return FACT(CYC, p->payload.cyc.value, 0, 0);
	case ppt_mnt: return FACT(MNT, p->payload.mnt.payload, 0, 0);
	case ppt_exstop: return FACT(EXSTOP, p->payload.exstop.ip, 0, 0);
	case ppt_mwait: return FACT(MWAIT, p->payload.mwait.hints, p->payload.mwait.ext, 0);
	case ppt_pwre: return FACT(PWRE, p->payload.pwre.state, p->payload.pwre.sub_state, 0);
	case ppt_pwrx: return fact_pwrx(&p->payload.pwrx, size);
	case ppt_ptw: return FACT(PTW, p->payload.ptw.payload, p->payload.ptw.plc,
				  p->payload.ptw.ip);
	default: return FACT(NR, p->type, 0, 0);
	}
}

struct fact fact_ours(const struct softpt_packet *p, int size)
{
	struct fact f = { p->type, size, 0, 0, 0 };

	switch (p->type) {
	case SOFTPT_PKT_FUP:
	case SOFTPT_PKT_TIP:
	case SOFTPT_PKT_TIP_PGE:
	case SOFTPT_PKT_TIP_PGD:
		f.a = p->ipbytes;
		f.b = p->payload;
		break;
	case SOFTPT_PKT_TNT8:
	case SOFTPT_PKT_TNT64:
		f.a = p->count;
		f.b = p->payload;
		break;
	case SOFTPT_PKT_MODE_EXEC:
	case SOFTPT_PKT_MODE_TSX:
		f.a = p->payload & 1;
		f.b = p->payload >> 1 & 1;
		break;
	case SOFTPT_PKT_PIP:
	case SOFTPT_PKT_TMA:
		f.a = p->payload;
		f.b = p->payload2;
		break;
	case SOFTPT_PKT_EXSTOP:
		f.a = p->flags & SOFTPT_PKT_IP;
		break;
	case SOFTPT_PKT_MWAIT:
		f.a = p->payload & UINT32_MAX;
		f.b = p->payload >> 32;
		break;
	case SOFTPT_PKT_PWRE:
		f.a = softpt_pwre_state(p);
		f.b = softpt_pwre_substate(p);
		break;
	case SOFTPT_PKT_PWRX:	/* libipt has no name for bit 1 of the reason */
		f.a = softpt_pwrx_last(p);
		f.b = softpt_pwrx_deepest(p);
		f.c = softpt_pwrx_reason(p) & ~2u;
		break;
	case SOFTPT_PKT_PTW:
		f.a = p->payload;
		f.b = p->count == 8;
		f.c = p->flags & SOFTPT_PKT_IP;
		break;
	default:
		f.a = p->payload;
	}
	return f;
}

bool fact_same(const struct fact *x, const struct fact *y)
{
	return x->type == y->type && x->size == y->size && x->a == y->a && x->b == y->b &&
	       x->c == y->c;
}

int fact_print(char *buf, size_t len, const char *who, const struct fact *f)
{
	return snprintf(buf, len, "%s: %s size %d: 0x%" PRIx64 " 0x%" PRIx64 " 0x%" PRIx64, who,
			softpt_packet_name(f->type), f->size, f->a, f->b, f->c);
}

const char *fact_reason_name(enum fact_reason reason)
{
	static const char *const names[] = {
#define X(id, name) name,
		FACT_REASONS(X)
#undef X
	};

	return reason < FACT_REASON_NR ? names[reason] : "?";
}

static bool is_new(const struct softpt_packet *pkt)
{
	switch (pkt->type) {
	case SOFTPT_PKT_CFE:
	case SOFTPT_PKT_EVD:
	case SOFTPT_PKT_TRIG:
	case SOFTPT_PKT_BBP:
	case SOFTPT_PKT_BEP:
		return true;
	}
	return false;
}

/* At least one of them refused it. */
static enum fact_reason compare_errors(int ours, const struct softpt_packet *pkt, int theirs)
{
	if (is_new(pkt) && theirs == -pte_bad_opc)
		return FACT_NEW_PACKET;
	if (theirs == -pte_eos && (ours == -SOFTPT_ERR_TRUNCATED || ours == -SOFTPT_ERR_END))
		return FACT_AGREE;
	if (theirs == -pte_bad_opc && ours == -SOFTPT_ERR_OPCODE)
		return FACT_AGREE;
	if (theirs == -pte_bad_packet && ours == -SOFTPT_ERR_ENCODING)
		return FACT_AGREE;
	if (theirs == -pte_eos && ours == -SOFTPT_ERR_ENCODING && pkt->type == SOFTPT_PKT_CYC)
		return FACT_CYC_CUT;
	return FACT_DIFFER;
}

enum fact_reason fact_compare(struct pt_packet_decoder *dec, const uint8_t *begin,
			      const uint8_t *pos, const uint8_t *end, int *size, int *theirs)
{
	struct softpt_packet pkt = { .type = SOFTPT_PKT_PAD };
	struct pt_packet packet = { 0 };
	struct fact a, b;

	pt_pkt_sync_set(dec, pos - begin);
	*theirs = pt_pkt_next(dec, &packet, sizeof(packet));
	*size = softpt_packet_decode(pos, end, &pkt);
	if (*size <= 0 || *theirs <= 0)
		return compare_errors(*size, &pkt, *theirs);
	a = fact_ours(&pkt, *size);
	b = fact_theirs(&packet, *theirs);
	return fact_same(&a, &b) ? FACT_AGREE : FACT_DIFFER;
}
