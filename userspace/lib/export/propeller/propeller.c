// SPDX-License-Identifier: BSD-2-Clause
/*
 * Basic block clusters as clang reads them (-fbasic-block-sections=list=FILE, the text that
 * clang 14 and all later ones know), and a symbol order for lld: Propeller's, of exact counts.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <unistd.h>

#include "export/branches/branched.h"
#include "export/propeller/layout.h"
#include "export/propeller/names.h"

struct propeller {
	const char *path;	/* of the program */
	struct blockmap map;
	struct function_names names;
	struct graph graph;
	struct layout layout;
	uint32_t nameless;	/* executed functions that are left out */
};

/* ---- the files ---- */

static void print_blocks(const struct propeller *p, uint32_t function, FILE *to)
{
	const struct layout *l = &p->layout;
	uint32_t i, block;
	const char *sep = "!!";

	for (i = layout_chains_of(l, function);
	     i < l->nr_block && l->block[i].group == function; i++)
		for (block = l->block[i].first; block != NO_MEMBER; block = l->blocks.next[block]) {
			fprintf(to, "%s%" PRIu32, sep, p->map.block[block].id);
			sep = " ";
		}
	fputc('\n', to);
}

/* All names of a function: clang asks for that which its source has. */
static void print_function(struct propeller *p, uint32_t function, FILE *to)
{
	const uint64_t addr = p->map.entry[function];
	const struct function_name *name = function_names_next(&p->names, addr, NULL);
	const char *sep = "!";

	if (!name) {
		p->nameless++;
		return;
	}
	for (; name; name = function_names_next(&p->names, addr, name + 1)) {
		fprintf(to, "%s%s", sep, name->name);
		sep = "/";
	}
	fputc('\n', to);
	print_blocks(p, function, to);
}

static void print_name(struct propeller *p, uint32_t function, FILE *to)
{
	const struct function_name *name = function_names_next(&p->names, p->map.entry[function],
							       NULL);

	if (name)
		fprintf(to, "%s\n", name->name);
}

static void each_function(struct propeller *p, FILE *to,
			  void (*print)(struct propeller *p, uint32_t function, FILE *to))
{
	const struct layout *l = &p->layout;
	uint32_t i, function;

	for (i = 0; i < l->nr_function; i++)
		for (function = l->function[i].first; function != NO_MEMBER;
		     function = l->functions.next[function])
			if (p->graph.hottest[function])
				print(p, function, to);
}

static int print_clusters(void *ctx, FILE *to)
{
	each_function(ctx, to, print_function);
	return 0;
}

static int print_order(void *ctx, FILE *to)
{
	each_function(ctx, to, print_name);
	return 0;
}

static int write_files(const struct export *e, struct propeller *p)
{
	struct export order = *e;
	int err;

	if (!p->layout.nr_function)
		return error_tell(e->errors, p->path, -ENOENT,
				  "no block of its BB address map was executed");
	err = export_print(e, print_clusters, p);
	order.output = e->symbol_order;
	if (!err && order.output)
		err = export_print(&order, print_order, p);
	if (!err && p->nameless)
		error_tell(e->errors, p->path, 0,
			   "%" PRIu32 " functions without a name of their own are left out",
			   p->nameless);
	return err;
}

/* ---- the program ---- */

static int read_program(struct propeller *p, Elf *elf, const struct export *e)
{
	struct error error;

	if (elf_kind(elf) != ELF_K_ELF)
		return error_tell(e->errors, p->path, -EINVAL, "no ELF file");
	if (blockmap_read(&p->map, elf, &error))
		return error_pass(e->errors, p->path, &error);
	if (function_names_read(&p->names, elf))
		return error_tell_errno(e->errors, p->path, -ENOMEM);
	if (!p->names.n)
		return error_tell(e->errors, p->path, -ENOENT,
				  "it has no symbols: was it stripped?");
	return 0;
}

static int lay_out(struct propeller *p, const struct export *e, const struct branched *b)
{
	if (graph_make(&p->graph, &p->map, b) || layout_make(&p->layout, &p->map, &p->graph))
		return error_tell_errno(e->errors, p->path, -ENOMEM);
	return 0;
}

static int export_elf(const struct export *e, struct branched *b, Elf *elf)
{
	struct propeller p = { .path = b->edges.file[b->of].path };
	int err = read_program(&p, elf, e);

	if (!err)
		err = lay_out(&p, e, b);
	if (!err)
		err = write_files(e, &p);
	if (!err)
		error_tell(e->errors, b->recording, 0,
			   "the profile is of %s (clang -fbasic-block-sections=list=FILE)", p.path);
	layout_free(&p.layout);
	graph_free(&p.graph);
	function_names_free(&p.names);
	blockmap_free(&p.map);
	return err;
}

static int write_propeller(const struct export *e, struct branched *b)
{
	const char *path = b->edges.file[b->of].path;
	int err, fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	Elf *elf;

	if (fd < 0)
		return error_tell_errno(e->errors, path, -errno);
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	err = elf ? export_elf(e, b, elf) :
	      error_tell(e->errors, path, -EINVAL, "%s", elf_errmsg(-1));
	elf_end(elf);
	close(fd);
	return err;
}

static int run_propeller(const struct export *e, const struct export_stream *streams,
			 unsigned int nr)
{
	unsigned int i;

	for (i = 1; i < nr; i++)
		if (streams[i].in != streams->in)
			return error_tell(e->errors, streams[i].in->path, -EINVAL,
					  "a profile is of one recording");
	return branched_export(e, streams, nr, write_propeller);
}

const struct exporter export_propeller = { "propeller", run_propeller };
