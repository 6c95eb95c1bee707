// SPDX-License-Identifier: BSD-2-Clause
/* Packets and errors as text. Other programs rely on it: add to it, never change it. */
#include <inttypes.h>
#include <string.h>

#include "packet/packet.h"

static const char *const packet_names[SOFTPT_PKT_NR] = {
#define X(id, name, opc, ext, size, flags) \
	[SOFTPT_PKT_##id] = (name),
	SOFTPT_PACKETS(X)
#undef X
};

const char *softpt_packet_name(unsigned int type)
{
	return type < SOFTPT_PKT_NR ? packet_names[type] : "?";
}

const char *softpt_strerror(int err)
{
	switch (err) {
	case -SOFTPT_ERR_END:
		return "end of the data";
	case -SOFTPT_ERR_TRUNCATED:
		return "the data ends inside a packet";
	case -SOFTPT_ERR_OPCODE:
		return "no packet begins with these bytes";
	case -SOFTPT_ERR_ENCODING:
		return "reserved bits or values inside a packet";
	case -SOFTPT_ERR_NO_SYNC:
		return "no PSB up to the end of the data";
	case -SOFTPT_ERR_TIME:
		return "a TSC that contradicts the packets around it";
	}
	if (err >= 0)
		return "no error";
	return (err > -SOFTPT_ERR_END ? strerrordesc_np(-err) : NULL) ? : "unknown error";
}

const char *softpt_version(void)
{
	return SOFTPT_VERSION;
}

static int print_tnt(char *buf, size_t len, const struct softpt_packet *pkt)
{
	char bits[48];
	unsigned int i, n = pkt->count < sizeof(bits) ? pkt->count : sizeof(bits) - 1;

	for (i = 0; i < n; i++)
		bits[i] = pkt->payload >> (n - 1 - i) & 1 ? 'T' : 'N';
	bits[n] = '\0';
	return snprintf(buf, len, " bits=%s", bits);
}

static int print_ip(char *buf, size_t len, const struct softpt_packet *pkt)
{
	if (pkt->ipbytes == SOFTPT_IP_NONE)
		return snprintf(buf, len, " ipbytes=0");
	return snprintf(buf, len, " ip=0x%" PRIx64 " ipbytes=%u", pkt->payload, pkt->ipbytes);
}

/* MODE.Exec: CS.L wins over CS.D; both set is reserved, the raw bits tell. */
static int print_exec(char *buf, size_t len, const struct softpt_packet *pkt)
{
	unsigned int mode = pkt->payload & SOFTPT_MODE_CSL ? 64 :
			    pkt->payload & SOFTPT_MODE_CSD ? 32 : 16;

	return snprintf(buf, len, " mode=%u bits=0x%x", mode, (unsigned int)pkt->payload & 0x1f);
}

static int print_trig(char *buf, size_t len, const struct softpt_packet *pkt)
{
	int n = snprintf(buf, len, " trbv=0x%" PRIx64 " ip=%u mult=%u", pkt->payload,
			 !!(pkt->flags & SOFTPT_PKT_IP), !!(pkt->flags & SOFTPT_PKT_MULT));

	if (n < 0 || (size_t)n >= len || !(pkt->flags & SOFTPT_PKT_ICNT))
		return n;
	return n + snprintf(buf + n, len - n, " icnt=%u", pkt->payload2);
}

static int print_fields(char *buf, size_t len, const struct softpt_packet *pkt)
{
	const uint64_t v = pkt->payload;
	const unsigned int ip = !!(pkt->flags & SOFTPT_PKT_IP);

	switch (pkt->type) {
	case SOFTPT_PKT_TNT8:
	case SOFTPT_PKT_TNT64:
		return print_tnt(buf, len, pkt);
	case SOFTPT_PKT_TIP:
	case SOFTPT_PKT_TIP_PGE:
	case SOFTPT_PKT_TIP_PGD:
	case SOFTPT_PKT_FUP:
		return print_ip(buf, len, pkt);
	case SOFTPT_PKT_PIP:
		return snprintf(buf, len, " cr3=0x%" PRIx64 " nr=%u", v, pkt->payload2);
	case SOFTPT_PKT_MODE_EXEC:
		return print_exec(buf, len, pkt);
	case SOFTPT_PKT_MODE_TSX:
		return snprintf(buf, len, " intx=%u abort=%u", !!(v & SOFTPT_MODE_INTX),
				!!(v & SOFTPT_MODE_ABORT));
	case SOFTPT_PKT_TSC:
		return snprintf(buf, len, " tsc=0x%" PRIx64, v);
	case SOFTPT_PKT_TMA:
		return snprintf(buf, len, " ctc=0x%" PRIx64 " fc=0x%x", v, pkt->payload2);
	case SOFTPT_PKT_MTC:
		return snprintf(buf, len, " ctc=0x%" PRIx64, v);
	case SOFTPT_PKT_CYC:
		return snprintf(buf, len, " cycles=%" PRIu64, v);
	case SOFTPT_PKT_CBR:
		return snprintf(buf, len, " ratio=%" PRIu64, v);
	case SOFTPT_PKT_VMCS:
		return snprintf(buf, len, " base=0x%" PRIx64, v);
	case SOFTPT_PKT_MNT:
		return snprintf(buf, len, " payload=0x%" PRIx64, v);
	case SOFTPT_PKT_PTW:
		return snprintf(buf, len, " payload=0x%" PRIx64 " ip=%u", v, ip);
	case SOFTPT_PKT_EXSTOP:
	case SOFTPT_PKT_BEP:
		return snprintf(buf, len, " ip=%u", ip);
	case SOFTPT_PKT_MWAIT:
		return snprintf(buf, len, " hints=0x%x ext=0x%x", (unsigned int)v,
				(unsigned int)(v >> 32));
	case SOFTPT_PKT_PWRE:
		return snprintf(buf, len, " state=%u substate=%u hw=%u", softpt_pwre_state(pkt),
				softpt_pwre_substate(pkt), softpt_pwre_hw(pkt));
	case SOFTPT_PKT_PWRX:
		return snprintf(buf, len, " last=%u deepest=%u reason=0x%x", softpt_pwrx_last(pkt),
				softpt_pwrx_deepest(pkt), softpt_pwrx_reason(pkt));
	case SOFTPT_PKT_CFE:
		return snprintf(buf, len, " type=%u vector=%" PRIu64 " ip=%u", pkt->payload2, v,
				ip);
	case SOFTPT_PKT_EVD:
		return snprintf(buf, len, " type=%u payload=0x%" PRIx64, pkt->payload2, v);
	case SOFTPT_PKT_TRIG:
		return print_trig(buf, len, pkt);
	case SOFTPT_PKT_BBP:
		return snprintf(buf, len, " type=%" PRIu64 " bytes=%u", v, pkt->count);
	case SOFTPT_PKT_BIP:
		return snprintf(buf, len, " id=%u value=0x%" PRIx64, pkt->payload2, v);
	}
	return 0;
}

int softpt_packet_print(char *buf, size_t len, uint64_t offset, const struct softpt_packet *pkt)
{
	int n = snprintf(buf, len, "%016" PRIx64 " %s", offset, softpt_packet_name(pkt->type));
	size_t used = n < 0 ? 0 : (size_t)n < len ? (size_t)n : len;

	return n + print_fields(len ? buf + used : NULL, len - used, pkt);
}
