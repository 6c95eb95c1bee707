/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * libsoftpt: packets of processor trace, and what they say.
 *
 * Functions that can fail return 0 or a size, or a negative number: -errno, or
 * minus one of enum softpt_error. softpt_strerror() names both. The library never
 * aborts, writes to no stream of its own and reads nothing outside the buffers
 * that it is given. No global state: different objects may be used by different
 * threads at the same time.
 */
#ifndef SOFTPT_H
#define SOFTPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <linux/softpt.h>
#include <softpt/packets.h>

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

/* ---- errors ---- */

/* Above every errno, so that both fit one negative int. */
enum softpt_error {
	SOFTPT_ERR_END		= 4096,	/* no byte is left */
	SOFTPT_ERR_TRUNCATED	= 4097,	/* the data ends inside a packet */
	SOFTPT_ERR_OPCODE	= 4098,	/* no packet begins with these bytes */
	SOFTPT_ERR_ENCODING	= 4099,	/* a reserved bit or value inside a packet */
	SOFTPT_ERR_NO_SYNC	= 4100,	/* no PSB up to the end */
	SOFTPT_ERR_TIME		= 4101,	/* a TSC that contradicts the packets around it */
};

/**
 * softpt_strerror() - name an error
 * @err: what a function of this library returned
 *
 * Return: a static string without a full stop; those of an errno are the C library's.
 */
const char *softpt_strerror(int err);

/**
 * softpt_version() - the version of the library, as "1.2.3"
 */
const char *softpt_version(void);

/* ---- packets ---- */

#define SOFTPT_PACKET_MAX	16	/* bytes of the longest packet, PSB */

/* struct softpt_packet.flags */
#define SOFTPT_PKT_IP		1	/* PTW, EXSTOP, BEP, CFE, TRIG: a FUP follows */
#define SOFTPT_PKT_ICNT		2	/* TRIG: payload2 is valid */
#define SOFTPT_PKT_MULT		4	/* TRIG: more than one in this place */

/**
 * struct softpt_packet - one packet, decoded
 * @payload: TNT: the bits, the oldest highest, a set bit is taken.
 *	TIP, TIP.PGE, TIP.PGD, FUP: the IP bytes as sent, see softpt_ip_update().
 *	PIP: CR3. MODE: the whole second byte. TSC: 56 bits. TMA: CTC. MTC: CTC byte.
 *	CYC: cycles. CBR: ratio. VMCS: base address. MNT, PTW: payload.
 *	MWAIT: hints, and extensions in the upper half. PWRE, PWRX: as sent, see
 *	softpt_pwre_state() and below. CFE: vector. EVD: value. TRIG: TRBV.
 *	BBP: type. BIP: value.
 * @payload2: PIP: NR. TMA: FastCounter. CFE, EVD: type. TRIG: ICNT. BIP: ID.
 * @type: enum softpt_packet_type
 * @size: bytes in all
 * @ipbytes: TIP, TIP.PGE, TIP.PGD, FUP: enum softpt_ipbytes
 * @count: TNT: number of bits. PTW, BBP: bytes of a payload, 4 or 8.
 * @flags: SOFTPT_PKT_IP and following
 * @reserved: 0
 */
struct softpt_packet {
	uint64_t payload;
	uint16_t payload2;
	uint8_t type;
	uint8_t size;
	uint8_t ipbytes;
	uint8_t count;
	uint8_t flags;
	uint8_t reserved;
};

static inline unsigned int softpt_pwre_state(const struct softpt_packet *pkt)
{
	return pkt->payload >> 12 & 0xf;
}

static inline unsigned int softpt_pwre_substate(const struct softpt_packet *pkt)
{
	return pkt->payload >> 8 & 0xf;
}

/* The hardware asked for it: bit 7 of the payload (perf), bit 3 (libipt) */
static inline bool softpt_pwre_hw(const struct softpt_packet *pkt)
{
	return pkt->payload & 0x88;
}

static inline unsigned int softpt_pwrx_deepest(const struct softpt_packet *pkt)
{
	return pkt->payload & 0xf;
}

static inline unsigned int softpt_pwrx_last(const struct softpt_packet *pkt)
{
	return pkt->payload >> 4 & 0xf;
}

static inline unsigned int softpt_pwrx_reason(const struct softpt_packet *pkt)
{
	return pkt->payload >> 8 & 0xf;
}

/**
 * softpt_packet_decode() - decode the packet at a position
 * @pos: its first byte
 * @end: the end of the data
 * @pkt: filled in
 *
 * Knows nothing of what came before: bytes inside a block (BBP to BEP) read as
 * TNT packets. softpt_stream_next() keeps track of blocks.
 *
 * Return: its size in bytes, or -SOFTPT_ERR_END, _TRUNCATED, _OPCODE, _ENCODING.
 */
int softpt_packet_decode(const uint8_t *pos, const uint8_t *end, struct softpt_packet *pkt);

/**
 * softpt_packet_encode() - write a packet: softpt_packet_decode() backwards
 * @pos: where to
 * @end: the end of the buffer; SOFTPT_PACKET_MAX bytes from @pos on are written to,
 *	whatever the size of the packet
 * @pkt: as softpt_packet_decode() fills it in; its size is not looked at
 *
 * Return: its size in bytes; -SOFTPT_ERR_END without room, -SOFTPT_ERR_ENCODING when a
 * field has no encoding, -SOFTPT_ERR_OPCODE for a type that is not written (blocks).
 */
int softpt_packet_encode(uint8_t *pos, const uint8_t *end, const struct softpt_packet *pkt);

/**
 * softpt_packet_name() - the SDM's name of a packet type, or "?"
 * @type: enum softpt_packet_type
 */
const char *softpt_packet_name(unsigned int type);

/**
 * softpt_packet_print() - one packet as text, without a line feed
 * @buf: where it goes, always terminated when @len is not 0
 * @len: bytes of @buf; SOFTPT_PACKET_TEXT is enough for any packet
 * @offset: of the packet in its stream
 * @pkt: the packet
 *
 * "OFFSET NAME fields", OFFSET as 16 hexadecimal digits.
 *
 * Return: the length of the text, as snprintf() has it.
 */
int softpt_packet_print(char *buf, size_t len, uint64_t offset, const struct softpt_packet *pkt);

#define SOFTPT_PACKET_TEXT	128

/**
 * softpt_ip_update() - undo IP compression
 * @last_ip: the last IP; 0 after a PSB or an OVF
 * @pkt: a TIP, TIP.PGE, TIP.PGD or FUP
 *
 * Return: true and @last_ip is the packet's IP, false when the packet has none.
 */
bool softpt_ip_update(uint64_t *last_ip, const struct softpt_packet *pkt);

/* ---- streams ---- */

/**
 * struct softpt_stream - a position in a buffer of packets
 * @begin: first byte, where offsets count from
 * @pos: next packet
 * @end: behind the last byte
 * @block: bytes of an item while inside a block, else 0
 */
struct softpt_stream {
	const uint8_t *begin;
	const uint8_t *pos;
	const uint8_t *end;
	uint32_t block;
};

static inline void softpt_stream_init(struct softpt_stream *s, const uint8_t *buf, size_t len)
{
	s->begin = buf;
	s->pos = buf;
	s->end = len ? buf + len : buf;	/* NULL + 0 is undefined */
	s->block = 0;
}

static inline uint64_t softpt_stream_offset(const struct softpt_stream *s)
{
	return s->pos - s->begin;
}

/**
 * softpt_stream_next() - decode the next packet and step over it
 * @s: the stream; its position stays where it is on an error
 * @pkt: filled in
 *
 * Return: as softpt_packet_decode().
 */
int softpt_stream_next(struct softpt_stream *s, struct softpt_packet *pkt);

/**
 * struct softpt_resync - why a decoder looked for the next PSB, and what it cost
 * @reason: the negative number that stopped it; 0 at the begin of a stream
 * @offset: where it stopped
 * @skipped: bytes from there to the PSB
 */
struct softpt_resync {
	int reason;
	uint64_t offset;
	uint64_t skipped;
};

/**
 * softpt_sync_forward() - go to the next PSB at or after the position
 * @s: the stream
 * @reason: why, noted in @note
 * @note: filled in; may be NULL
 *
 * After an error step over at least one byte first (s->pos++): a PSB that is
 * well formed never fails to decode, so nothing is lost.
 *
 * Return: 0, or -SOFTPT_ERR_NO_SYNC and the position is the end.
 */
int softpt_sync_forward(struct softpt_stream *s, int reason, struct softpt_resync *note);

/**
 * softpt_sync_again() - go to the PSB from which a damaged stream can be read again
 * @s: the stream, at the packet that could not be decoded
 * @reason: why, noted in @note
 * @note: filled in; may be NULL. Nothing was skipped where the PSB begins inside the
 *	packet before, which was cut short.
 *
 * What softpt_sync_forward() and a step of one byte do, and more: a PSB that ends
 * behind the position counts, wherever it begins.
 *
 * Return: 0, or -SOFTPT_ERR_NO_SYNC and the position is the end.
 */
int softpt_sync_again(struct softpt_stream *s, int reason, struct softpt_resync *note);

/* ---- configurations ---- */

/**
 * struct softpt_param - what can be said of a key
 * @key: its name
 * @values: what it takes
 * @def: what it is if left out
 * @what: what it does
 */
struct softpt_param {
	const char *key;
	const char *values;
	const char *def;
	const char *what;
};

/**
 * softpt_config_param() - the keys of a configuration, in order
 * @i: 0, 1, ...
 *
 * Return: NULL behind the last.
 */
const struct softpt_param *softpt_config_param(unsigned int i);

/**
 * softpt_config_init() - the default of every key
 * @cfg: filled in
 */
void softpt_config_init(struct softpt_config *cfg);

/**
 * softpt_config_init_record() - the defaults for a program that is recorded
 * @cfg: filled in
 *
 * As softpt_config_init(), but with os=0, suppress=2, pge_tsc=1.
 */
void softpt_config_init_record(struct softpt_config *cfg);

/**
 * softpt_config_parse() - apply key=value,key=value...
 * @cfg: changed where the text says so; left alone on an error
 * @text: may be applied piece by piece: softpt_config_validate() judges the whole
 * @why: on an error, one line that names key, value and range
 * @len: bytes of @why
 *
 * Return: 0 or -EINVAL.
 */
int softpt_config_parse(struct softpt_config *cfg, const char *text, char *why, size_t len);

/**
 * softpt_config_validate() - judge a configuration as a whole
 * @cfg: the configuration
 * @why: on an error, one line that names key, value and rule
 * @len: bytes of @why
 *
 * Return: 0 or -EINVAL.
 */
int softpt_config_validate(const struct softpt_config *cfg, char *why, size_t len);

/**
 * softpt_config_print() - every key as text that softpt_config_parse() reads
 * @buf: filled in
 * @len: bytes of @buf
 * @cfg: the configuration
 *
 * Return: the length of the text, as snprintf() has it.
 */
int softpt_config_print(char *buf, size_t len, const struct softpt_config *cfg);

/**
 * softpt_config_of_stream() - what a stream says of itself
 * @cfg: set to the first description in the stream
 * @buf: packets
 * @len: bytes
 *
 * Return: 0; -ENODATA when the stream does not describe itself.
 */
int softpt_config_of_stream(struct softpt_config *cfg, const void *buf, size_t len);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif /* SOFTPT_H */
