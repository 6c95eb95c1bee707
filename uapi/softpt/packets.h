/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The packet encodings: one table for the engine that writes packets and for
 * the library that reads them. Shared source, not ABI. (SDM vol. 3, section
 * "Packet Definitions"; Documentation/reference/protocol.rst)
 *
 * X(ID, name, first byte, second byte, bytes in all, flags)
 *
 * Where the second byte is NONE the first byte alone names the packet. Where the
 * number of bytes is 0 it depends on the packet (IPBytes, PTW size, CYC). BIP is a
 * TNT outside a block (between BBP and BEP); the engine sends no blocks.
 * The bits of a first byte that are not the packet's name (IPBytes, TNT, CYC
 * payload) are zero here.
 */
#ifndef _SOFTPT_PACKETS_H
#define _SOFTPT_PACKETS_H

#define SOFTPT_PKT_NONE		0x100	/* no second byte */

/* flags */
#define SOFTPT_PKF_TIMING	1	/* not an NTP: PAD, TSC, TMA, MTC, CYC */
#define SOFTPT_PKF_CYC		2	/* CYC-eligible */
#define SOFTPT_PKF_IP		4	/* bits 7:5 of the first byte are IPBytes */
#define SOFTPT_PKF_CYC_TIMING	(SOFTPT_PKF_CYC | SOFTPT_PKF_TIMING)
#define SOFTPT_PKF_CYC_IP	(SOFTPT_PKF_CYC | SOFTPT_PKF_IP)

#define SOFTPT_PACKETS(X) \
	X(PAD,		"PAD",		0x00, SOFTPT_PKT_NONE,	1,  SOFTPT_PKF_TIMING) \
	X(TNT8,		"TNT.8",	0x00, SOFTPT_PKT_NONE,	1,  SOFTPT_PKF_CYC) \
	X(TNT64,	"TNT.64",	0x02, 0xa3,		8,  SOFTPT_PKF_CYC) \
	X(TIP,		"TIP",		0x0d, SOFTPT_PKT_NONE,	0,  SOFTPT_PKF_CYC_IP) \
	X(TIP_PGE,	"TIP.PGE",	0x11, SOFTPT_PKT_NONE,	0,  SOFTPT_PKF_CYC_IP) \
	X(TIP_PGD,	"TIP.PGD",	0x01, SOFTPT_PKT_NONE,	0,  SOFTPT_PKF_CYC_IP) \
	X(FUP,		"FUP",		0x1d, SOFTPT_PKT_NONE,	0,  SOFTPT_PKF_IP) \
	X(PIP,		"PIP",		0x02, 0x43,		8,  SOFTPT_PKF_CYC) \
	X(MODE_EXEC,	"MODE.Exec",	0x99, SOFTPT_PKT_NONE,	2,  SOFTPT_PKF_CYC) \
	X(MODE_TSX,	"MODE.TSX",	0x99, SOFTPT_PKT_NONE,	2,  SOFTPT_PKF_CYC) \
	X(TSC,		"TSC",		0x19, SOFTPT_PKT_NONE,	8,  SOFTPT_PKF_CYC_TIMING) \
	X(TMA,		"TMA",		0x02, 0x73,		7,  SOFTPT_PKF_TIMING) \
	X(MTC,		"MTC",		0x59, SOFTPT_PKT_NONE,	2,  SOFTPT_PKF_CYC_TIMING) \
	X(CYC,		"CYC",		0x03, SOFTPT_PKT_NONE,	0,  SOFTPT_PKF_TIMING) \
	X(CBR,		"CBR",		0x02, 0x03,		4,  0) \
	X(PSB,		"PSB",		0x02, 0x82,		16, 0) \
	X(PSBEND,	"PSBEND",	0x02, 0x23,		2,  0) \
	X(OVF,		"OVF",		0x02, 0xf3,		2,  SOFTPT_PKF_CYC) \
	X(STOP,		"TraceStop",	0x02, 0x83,		2,  0) \
	X(VMCS,		"VMCS",		0x02, 0xc8,		7,  SOFTPT_PKF_CYC) \
	X(MNT,		"MNT",		0x02, 0xc3,		11, 0) \
	X(PTW,		"PTW",		0x02, 0x12,		0,  SOFTPT_PKF_CYC) \
	X(EXSTOP,	"EXSTOP",	0x02, 0x62,		2,  SOFTPT_PKF_CYC) \
	X(MWAIT,	"MWAIT",	0x02, 0xc2,		10, 0) \
	X(PWRE,		"PWRE",		0x02, 0x22,		4,  0) \
	X(PWRX,		"PWRX",		0x02, 0xa2,		7,  0) \
	X(CFE,		"CFE",		0x02, 0x13,		4,  SOFTPT_PKF_CYC) \
	X(EVD,		"EVD",		0x02, 0x53,		11, SOFTPT_PKF_CYC) \
	X(TRIG,		"TRIG",		0xd9, SOFTPT_PKT_NONE,	0,  SOFTPT_PKF_CYC) \
	X(BBP,		"BBP",		0x02, 0x63,		3,  0) \
	X(BIP,		"BIP",		0x04, SOFTPT_PKT_NONE,	0,  0) \
	X(BEP,		"BEP",		0x02, 0x33,		2,  0)

enum softpt_packet_type {
#define X(id, name, opc, ext, bytes, flags) SOFTPT_PKT_##id,
	SOFTPT_PACKETS(X)
#undef X
	SOFTPT_PKT_NR
};

/* First byte, second byte and size as constants: SOFTPT_OPC_MTC, SOFTPT_EXT_TMA... */
enum {
#define X(id, name, opc, ext, bytes, flags) \
	SOFTPT_OPC_##id = (opc), SOFTPT_EXT_##id = (ext), SOFTPT_SIZE_##id = (bytes),
	SOFTPT_PACKETS(X)
#undef X
};

#define SOFTPT_MNT_EXT2		0x88	/* third byte of an MNT packet */

/* IPBytes (SDM, "IP compression") */
enum softpt_ipbytes {
	SOFTPT_IP_NONE		= 0,	/* no payload: the IP is suppressed */
	SOFTPT_IP_UPDATE16	= 1,
	SOFTPT_IP_UPDATE32	= 2,
	SOFTPT_IP_SEXT48	= 3,
	SOFTPT_IP_UPDATE48	= 4,
	SOFTPT_IP_FULL		= 6,
};

/* payload bytes for each IPBytes; 0xff: illegal */
#define SOFTPT_IP_SIZES		{ 0, 2, 4, 6, 6, 0xff, 8, 0xff }

/* MODE leaves, bits 7:5 of the second byte */
#define SOFTPT_MODE_EXEC	0x00
#define SOFTPT_MODE_TSX		0x20
#define SOFTPT_MODE_CSL		0x01	/* MODE.Exec: 64-bit */
#define SOFTPT_MODE_CSD		0x02	/* MODE.Exec: 32-bit */
#define SOFTPT_MODE_IF		0x04	/* MODE.Exec: interrupts are enabled */
#define SOFTPT_MODE_INTX	0x01	/* MODE.TSX */
#define SOFTPT_MODE_ABORT	0x02	/* MODE.TSX */

/* The second byte's IP bit of PTW, EXSTOP, BEP */
#define SOFTPT_EXT_IP		0x80
#define SOFTPT_PTW_8		0x20	/* payload of 8 bytes, else 4 */
#define SOFTPT_BBP_4		0x80	/* third byte of BBP: the items have 4 bytes, else 8 */
#define SOFTPT_CFE_IP		0x80	/* third byte of CFE: FUP follows */
#define SOFTPT_EVD_CALL		0x3f	/* EVD type, ours: number of the system call that follows */
#define SOFTPT_TRIG_IP		0x80
#define SOFTPT_TRIG_ICNTV	0x40
#define SOFTPT_TRIG_MULT	0x20

/*
 * Why a thread leaves its CPU. With SOFTPT_F_PTW the source KERNEL sends a PTW packet behind the
 * PIP of a context switch: bits 31:0 are the thread that the CPU goes to, as the first PID
 * namespace numbers it, bits 63:32 why the one before leaves it.
 */
enum softpt_left {
	SOFTPT_LEFT_PREEMPTED	= 0,	/* it could go on */
	SOFTPT_LEFT_SLEEPS	= 1,	/* it waits; a signal wakes it */
	SOFTPT_LEFT_BLOCKED	= 2,	/* it waits; no signal does */
	SOFTPT_LEFT_STOPPED	= 3,	/* by a signal, or by who traces it */
	SOFTPT_LEFT_ENDED	= 4,
};

#define SOFTPT_CYC_MAX_BYTES	9	/* what libipt takes */

/*
 * What a stream says of itself: MNT packets, 8 bits of tag above 56 bits. Each
 * PSB+ of a stream with describe=1 holds the first three, and no more: libipt has
 * room for eight events in a PSB+. CR3 and ranges follow right behind PSBEND.
 *
 * Two PADs in a row, outside PSB+, say more: since the packet before, the core clock
 * changed with no CBR to tell; its ratio is unknown until the next CBR.
 */
enum softpt_mnt_tag {
	/* 55:44 magic, 43:28 SOFTPT_F_*, 27:0 EBX */
	SOFTPT_MNT_MAGIC	= 0xd0,
	/* 53:48 cyc_bits - 16, 47:40 TSC[63:56], 39:36 psb_freq, 35:32 cyc_thresh,
	 * 31:28 mtc_freq, 27:0 EAX
	 */
	SOFTPT_MNT_CLOCK	= 0xd1,
	/* 52:50 preroll, 49:48 resume, 47:40 value, 39:32 burst, 31:24 N, 23:16 p1,
	 * 15:8 min_ratio, 7:0 max_ratio
	 */
	SOFTPT_MNT_SUPPRESS	= 0xd2,
	SOFTPT_MNT_CR3		= 0xd4,	/* the CR3 that is traced, bits 55:0 */
	SOFTPT_MNT_FROM		= 0xd8,	/* + range index: first address, sign-extended from 55 */
	SOFTPT_MNT_FILTER	= 0xdc,	/* + range index: last address of a filter */
	SOFTPT_MNT_STOP		= 0xe0,	/* + range index: last address of a TraceStop range */
};

#define SOFTPT_MNT_SPT		0x591ull	/* magic, and version 1 of the layout */

#endif /* _SOFTPT_PACKETS_H */
