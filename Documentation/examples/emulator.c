// SPDX-License-Identifier: BSD-2-Clause
/* emulator: an emulator of one loop, which writes its trace to stdout */
#include <softpt/sim.h>
#include <softpt/softpt.h>

#include <errno.h>
#include <stdio.h>

static int write_packets(void *ctx, const void *packets, size_t len)
{
	return fwrite(packets, 1, len, ctx) == len ? 0 : -EIO;
}

int main(void)
{
	/* 1000: dec %edi; 1002: jne 1000; 1004: ret */
	static const struct softpt_sim_insn dec = {
		.ip = 0x1000, .code = { 0xff, 0xcf }, .size = 2, .long_mode = true,
	}, jne = {
		.ip = 0x1002, .code = { 0x75, 0xfc }, .size = 2, .long_mode = true,
	}, ret = {
		.ip = 0x1004, .code = { 0xc3 }, .size = 1, .long_mode = true,
	}, behind = {
		.ip = 0x2000, .code = { 0x90 }, .size = 1, .long_mode = true,
	};
	const struct softpt_sim_insn *program[10], **next = program, **end;
	struct softpt_config config;
	struct softpt_sim *sim;
	const char *why = NULL;
	uint64_t tsc = 1000;
	int err = 0;

	for (end = program; end < program + 8; end += 2) {
		end[0] = &dec;
		end[1] = &jne;
	}
	*end++ = &ret;
	*end++ = &behind;
	softpt_config_init_record(&config);
	if (softpt_sim_new(&sim, &config, write_packets, stdout))
		return 1;
	for (; next < end && !err; next++) {
		struct softpt_sim_insn insn = **next;

		insn.tsc = tsc++;	/* the emulator's own clock */
		err = softpt_sim_insn(sim, &insn, &why);
	}
	if (!err)
		err = softpt_sim_end(sim, tsc, &why);
	if (err)
		fprintf(stderr, "emulator: %s\n", why ? why : softpt_strerror(err));
	softpt_sim_free(sim);
	return err ? 1 : 0;
}
