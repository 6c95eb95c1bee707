// SPDX-License-Identifier: BSD-2-Clause
/* The path that libipt finds through code in a file */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ipt-oracle.h"

struct code {
	uint64_t begin;
	uint8_t *bytes;
	size_t size;
};

static int read_code(uint8_t *buf, size_t size, const struct pt_asid *asid, uint64_t ip,
		     void *context)
{
	const struct code *code = context;

	(void)asid;
	if (ip < code->begin || ip - code->begin >= code->size)
		return -pte_nomap;
	ip -= code->begin;
	if (size > code->size - ip)
		size = code->size - ip;
	memcpy(buf, code->bytes + ip, size);
	return size;
}

static int walk(struct pt_insn_decoder *decoder)
{
	int status = pt_insn_sync_forward(decoder);
	struct pt_event ev;
	struct pt_insn insn;

	while (status >= 0) {
		while (status >= 0 && status & pts_event_pending)
			status = pt_insn_event(decoder, &ev, sizeof(ev));
		if (status < 0)
			break;
		insn.iclass = ptic_error;
		status = pt_insn_next(decoder, &insn, sizeof(insn));
		if (insn.iclass != ptic_error)
			printf("%" PRIx64 "\n", insn.ip);
	}
	return status;
}

int oracle_print_path(const struct pt_config *config, const char *address, const char *path)
{
	struct code code = { .begin = strtoull(address, NULL, 0) };
	struct pt_insn_decoder *decoder;
	struct pt_image *image;
	uint64_t offset = 0;
	int status = -pte_nomem;

	code.bytes = oracle_load(path, &code.size);
	if (!code.bytes) {
		perror(path);
		return 1;
	}
	decoder = pt_insn_alloc_decoder(config);
	image = pt_image_alloc("code");
	if (decoder && image) {
		pt_image_set_callback(image, read_code, &code);
		pt_insn_set_image(decoder, image);
		status = walk(decoder);
		pt_insn_get_offset(decoder, &offset);
	}
	pt_insn_free_decoder(decoder);
	pt_image_free(image);
	free(code.bytes);
	return status == -pte_eos ? 0 : oracle_refuse(status, offset);
}
