/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Packet writers: one small function for each packet of uapi/softpt/packets.h.
 *
 * They store whole 64-bit words and advance by what the packet needs. The bytes
 * behind are free: a group is never begun with less room than SOFTPT_GROUP_MAX,
 * which includes that slack.
 */
#ifndef _SOFTPT_ENGINE_WRITE_H
#define _SOFTPT_ENGINE_WRITE_H

#include "../state.h"

#ifdef __KERNEL__
#include <asm/byteorder.h>
#define softpt_le64(v)	cpu_to_le64(v)
#define softpt_be64(v)	cpu_to_be64(v)
#else
#include <endian.h>
#define softpt_le64(v)	htole64(v)
#define softpt_be64(v)	htobe64(v)
#endif

static inline void softpt_store(u8 *p, u64 v)
{
	typeof(softpt_le64(v)) le = softpt_le64(v);

	memcpy(p, &le, sizeof(le));
}

/* 48 outcomes as 8 packets of TNT.8: the oldest is in bit 47, and in the first packet */
static __always_inline void softpt_store_tnt(u8 *p, u64 bits)
{
	typeof(softpt_be64(bits)) be;

	bits = (bits & 0xffffff000000) << 8 | (bits & 0xffffff);
	bits = (bits & 0x00fff00000fff000) << 4 | (bits & 0x00000fff00000fff);
	bits = (bits & 0x0fc00fc00fc00fc0) << 2 | (bits & 0x003f003f003f003f);
	be = softpt_be64(bits << 1 | 0x8080808080808080);
	memcpy(p, &be, sizeof(be));
}

/* @n low bytes of @v, little-endian */
static inline void softpt_put(struct softpt_engine *e, struct softpt_sink *s, u64 v, unsigned int n)
{
	u8 *p = s->cur;		/* what is stored may be anything, as far as a compiler knows */

	softpt_store(p, v);
	s->cur = p + n;
	e->counts.packets++;
}

/* Two bytes of header, then @n bytes of payload */
static inline void softpt_put_ext(struct softpt_engine *e, struct softpt_sink *s,
				  unsigned int ext, u64 payload, unsigned int n)
{
	s->cur[0] = SOFTPT_OPC_PSB;
	s->cur[1] = ext;
	s->cur += 2;
	softpt_put(e, s, payload, n);
}

/* The shortest form of @ip behind @last (SDM, "IP Compression"). Return: enum softpt_ipbytes */
static __always_inline unsigned int softpt_ip_form(u64 ip, u64 last)
{
	u64 diff = ip ^ last;

	if (!(diff >> 16))
		return SOFTPT_IP_UPDATE16;
	if (!(diff >> 32))
		return SOFTPT_IP_UPDATE32;
	if ((u64)((s64)(ip << 16) >> 16) == ip)
		return SOFTPT_IP_SEXT48;
	return !(diff >> 48) ? SOFTPT_IP_UPDATE48 : SOFTPT_IP_FULL;
}

/* A packet with an IP. Return: behind it */
static __always_inline u8 *softpt_write_ip(u8 *p, u8 opc, u64 ip, u64 last)
{
	static const u8 sizes[] = SOFTPT_IP_SIZES;
	unsigned int form = softpt_ip_form(ip, last);

	p[0] = opc | form << 5;
	softpt_store(p + 1, ip);
	return p + 1 + sizes[form];
}

static inline void softpt_put_ip(struct softpt_engine *e, struct softpt_sink *s, u8 opc, u64 ip)
{
	s->cur = softpt_write_ip(s->cur, opc, ip, e->last_ip);
	e->last_ip = ip;
	e->counts.packets++;
}

static inline void softpt_put_pgd_no_ip(struct softpt_engine *e, struct softpt_sink *s)
{
	softpt_put(e, s, SOFTPT_OPC_TIP_PGD, 1);
}

static inline void softpt_put_cyc(struct softpt_engine *e, struct softpt_sink *s, u64 cycles)
{
	u8 *p = s->cur;

	*p++ = cycles << 3 | (cycles > 0x1f) << 2 | SOFTPT_OPC_CYC;
	for (cycles >>= 5; cycles; cycles >>= 7)
		*p++ = cycles << 1 | (cycles > 0x7f);
	s->cur = p;
	e->counts.packets++;
}

static inline void softpt_put_mtc(struct softpt_engine *e, struct softpt_sink *s, u8 ctc)
{
	softpt_put(e, s, SOFTPT_OPC_MTC | (u64)ctc << 8, SOFTPT_SIZE_MTC);
}

static inline void softpt_put_cbr(struct softpt_engine *e, struct softpt_sink *s)
{
	softpt_put_ext(e, s, SOFTPT_EXT_CBR, e->cycles.ratio, 2);
}

static inline void softpt_put_mode_exec(struct softpt_engine *e, struct softpt_sink *s)
{
	e->context.exec_sent = e->context.exec_mode;
	softpt_put(e, s, SOFTPT_OPC_MODE_EXEC | (SOFTPT_MODE_EXEC | e->context.exec_mode) << 8,
		   SOFTPT_SIZE_MODE_EXEC);
}

static inline void softpt_put_mnt(struct softpt_engine *e, struct softpt_sink *s,
				  unsigned int tag, u64 value)
{
	s->cur[0] = SOFTPT_OPC_MNT;
	s->cur[1] = SOFTPT_EXT_MNT;
	s->cur[2] = SOFTPT_MNT_EXT2;
	s->cur += 3;
	softpt_put(e, s, (u64)tag << 56 | (value & (U64_MAX >> 8)), 8);
}

/* CR3[51:5] above the NR bit, which is never set here */
static inline void softpt_put_pip(struct softpt_engine *e, struct softpt_sink *s)
{
	softpt_put_ext(e, s, SOFTPT_EXT_PIP, e->context.cr3 >> 5 << 1, 6);
}

static inline void softpt_put_mode(struct softpt_engine *e, struct softpt_sink *s)
{
	if (e->context.exec_sent != e->context.exec_mode)
		softpt_put_mode_exec(e, s);
}

static inline void softpt_put_pge(struct softpt_engine *e, struct softpt_sink *s, u64 ip)
{
	softpt_put_mode(e, s);
	softpt_put_ip(e, s, SOFTPT_OPC_TIP_PGE, ip);
}

#endif /* _SOFTPT_ENGINE_WRITE_H */
