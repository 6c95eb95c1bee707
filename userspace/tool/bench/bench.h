/* SPDX-License-Identifier: BSD-2-Clause */
/* What bench.c measures of ours, ipt.c measures of libipt on the same bytes. */
#ifndef SOFTPT_TOOL_BENCH_BENCH_H
#define SOFTPT_TOOL_BENCH_BENCH_H

#include <stddef.h>
#include <stdint.h>

#include <linux/softpt.h>

/* A workload: events, and the bytes that the engine made of them */
struct bench {
	const char *name;
	struct softpt_config cfg;
	struct softpt_event *ev;
	size_t events;
	uint8_t *buf;
	size_t len;
	size_t packets;
	size_t records;
};

/*
 * One pass each over the workload. Return: packets, or records and branches; 0: it
 * could not be done.
 */
size_t bench_ipt_packets(const struct bench *b);
size_t bench_ipt_events(const struct bench *b);
/* Return: bytes written by libipt's encoder, given the packets of the workload */
size_t bench_ipt_write(const struct bench *b);
int bench_ipt_prepare(const struct bench *b);
void bench_ipt_release(void);

/* The same @n events, which a counter counts, or does not. Return: 0 if it went wrong */
void bench_count_fill(struct bench *b, size_t n);
size_t bench_count(const struct bench *b);
size_t bench_count_off(const struct bench *b);

#endif /* SOFTPT_TOOL_BENCH_BENCH_H */
