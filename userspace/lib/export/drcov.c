// SPDX-License-Identifier: BSD-2-Clause
/*
 * Blocks that were executed, as DynamoRIO's drcov has them (version 2): what Lighthouse, bncov and
 * fuzzers read. Addresses are those of the files, from where each would be mapped.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "base/quote.h"
#include "export/covered.h"

#define BLOCK_MAX	UINT16_MAX

/* As the file has it */
struct block {
	uint32_t start;
	uint16_t size;
	uint16_t module;
} __attribute__((packed));

/* Blocks, to be counted or to be written */
struct blocks {
	FILE *to;
	size_t n;
};

static void take_block(struct blocks *b, struct block block)
{
	b->n++;
	if (b->to)
		fwrite(&block, sizeof(block), 1, b->to);
}

/* A run may be longer than a block can be. */
static void take_run(struct blocks *b, uint64_t start, uint64_t size, uint16_t module)
{
	uint64_t part;

	for (; size; size -= part, start += part) {
		part = size < BLOCK_MAX ? size : BLOCK_MAX;
		take_block(b, (struct block){ start, part, module });
	}
}

static void take_file(struct blocks *b, const struct coverage_file *f, uint16_t module)
{
	struct coverage_run run;
	uint64_t base, end;
	size_t i;

	source_range(coverage_symbols(f), &base, &end);
	for (i = 0; coverage_run(f, i, &run); i++)
		if (run.times && run.from - base <= UINT32_MAX)
			take_run(b, run.from - base, run.end - run.from, module);
}

/* Modules, and what is in them. Those whose file can't be read have no blocks. */
static void take_all(struct blocks *b, const struct coverage *c)
{
	uint16_t module = 0;
	size_t i;

	for (i = 0; i < coverage_files(c); i++)
		if (coverage_symbols(coverage_file(c, i)))
			take_file(b, coverage_file(c, i), module++);
}

static unsigned int modules_of(const struct coverage *c)
{
	unsigned int n = 0;
	size_t i;

	for (i = 0; i < coverage_files(c); i++)
		n += !!coverage_symbols(coverage_file(c, i));
	return n;
}

static void put_modules(FILE *to, const struct coverage *c)
{
	const struct symbol_file *file;
	unsigned int module = 0;
	uint64_t base, end;
	size_t i;

	fprintf(to, "DRCOV VERSION: 2\nDRCOV FLAVOR: softpt\nModule Table: version 2, count %u\n"
		"Columns: id, base, end, entry, path\n", modules_of(c));
	for (i = 0; i < coverage_files(c); i++) {
		file = coverage_symbols(coverage_file(c, i));
		if (!file)
			continue;
		source_range(file, &base, &end);
		fprintf(to, "%3u, 0x%016" PRIx64 ", 0x%016" PRIx64 ", 0x%016x, ", module++, base,
			end, 0);
		print_plain(to, source_path(file), SIZE_MAX);
		fputc('\n', to);
	}
}

static int write_drcov(const void *what, FILE *to)
{
	struct blocks blocks = { 0 };

	if (modules_of(what) > UINT16_MAX)
		return -EOVERFLOW;
	put_modules(to, what);
	take_all(&blocks, what);
	fprintf(to, "BB Table: %zu bbs\n", blocks.n);
	blocks.to = to;
	take_all(&blocks, what);
	return 0;
}

static int run_drcov(const struct export *e, const struct export_stream *streams, unsigned int nr)
{
	return covered_export(e, streams, nr, write_drcov);
}

const struct exporter export_drcov = { "drcov", run_drcov };
