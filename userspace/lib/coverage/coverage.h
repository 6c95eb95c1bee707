/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How often each instruction of the files of a program was executed, and each conditional branch
 * taken: exact, and without a build for it. (Documentation/guides/annotate.rst)
 */
#ifndef SOFTPT_COVERAGE_COVERAGE_H
#define SOFTPT_COVERAGE_COVERAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <softpt/flow.h>

#include "code/source.h"

/* The rows that coverage is made of: what softpt_flow_walk() is asked for */
#define COVERAGE_ROWS	(1u << SOFTPT_FLOW_COUNT)

struct coverage;
struct coverage_file;

/**
 * struct coverage_function - a function of which something was executed
 * @file: that it is in
 * @module: last part of the name of that
 * @at: where it is, and its name
 * @instructions: that were executed in it
 * @entered: how often its first instruction was
 */
struct coverage_function {
	const struct coverage_file *file;
	const char *module;
	struct source_function at;
	uint64_t instructions;
	uint64_t entered;
};

/**
 * struct coverage_insn - an instruction
 * @addr: as its file was linked
 * @code: its bytes
 * @size: how many
 * @known: it is an instruction; else code that none was found in
 * @conditional: it is a conditional branch
 * @times: how often it was executed
 * @taken: how often it was taken
 */
struct coverage_insn {
	uint64_t addr;
	uint8_t code[16];
	uint8_t size;
	bool known;
	bool conditional;
	uint64_t times;
	uint64_t taken;
};

/* Return: NULL without memory */
struct coverage *coverage_new(void);
void coverage_free(struct coverage *c);

/* Take a row of the walk. Return: false without memory */
bool coverage_take(struct coverage *c, const struct softpt_flow_row *row);
/* The files that the walk knew have gone: before another walk */
void coverage_end_walk(struct coverage *c);
/* Behind the last walk, before what follows. Return: 0 or -ENOMEM */
int coverage_finish(struct coverage *c);

/* Instructions that were executed, and those of them that are in no file */
uint64_t coverage_instructions(const struct coverage *c);
uint64_t coverage_elsewhere(const struct coverage *c);

/* Functions, those with the most instructions first */
size_t coverage_functions(const struct coverage *c);
const struct coverage_function *coverage_function(const struct coverage *c, size_t i);

/* Files with code that was executed */
size_t coverage_files(const struct coverage *c);
const struct coverage_file *coverage_file(const struct coverage *c, size_t i);
struct symbol_file *coverage_symbols(const struct coverage_file *f);
/* In a walk: a file that the walk knows. Return: NULL without memory */
struct coverage_file *coverage_file_of(struct coverage *c, const struct symbol_file *of);

/**
 * struct coverage_run - instructions that were executed one after the other
 * @from: address of the first
 * @last: of the last
 * @end: behind that
 * @insns: how many they are
 * @times: how often they were executed
 * @taken: of these, how often the last one was a branch that was taken
 */
struct coverage_run {
	uint64_t from;
	uint64_t last;
	uint64_t end;
	uint64_t insns;
	uint64_t times;
	uint64_t taken;
};

/* Run @i of a file, by address; they may overlap. Return: false: there are no more */
bool coverage_run(const struct coverage_file *f, size_t i, struct coverage_run *run);

/* How often the instruction at an address was executed, and the branch there taken */
uint64_t coverage_times(const struct coverage_file *f, uint64_t addr);
uint64_t coverage_taken(const struct coverage_file *f, uint64_t addr);

/* The first address from @addr on that was executed; @end: there is none before it */
uint64_t coverage_next(const struct coverage_file *f, uint64_t addr, uint64_t end);

/*
 * The instruction at @addr, before @end. Where others were executed amid it, it is none, and ends
 * where they begin. Return: false: there is no code
 */
bool coverage_insn(const struct coverage_file *f, uint64_t addr, uint64_t end,
		   struct coverage_insn *insn);

#endif /* SOFTPT_COVERAGE_COVERAGE_H */
