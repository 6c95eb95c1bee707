/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions, lines and probes, as they are named */
#ifndef SOFTPT_TOOL_RECORD_INSIDE_NAMES_H
#define SOFTPT_TOOL_RECORD_INSIDE_NAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "condition.h"

#define INSIDE_NO_LIBRARY	"its system calls are not those of a C library that is known"
#define INSIDE_MOST	64		/* names */
#define INSIDE_ROLES	3		/* enum softpt_xl_role */
#define INSIDE_BUCKETS	1024
#define INSIDE_LOOKS	(1u << 15)	/* at bytes that may be system calls */

struct inside_file;

enum inside_kind {
	INSIDE_FUNCTION,	/* recorded from its begin on */
	INSIDE_LINE,		/* the function that has it is recorded from there on */
	INSIDE_PROBE,		/* the same */
	INSIDE_CALL,		/* a system call: --start and --stop */
};

/* Options, each once */
enum inside_way {
	INSIDE_IN	= 1,
	INSIDE_LINES	= 2,
	INSIDE_START	= 4,
	INSIDE_STOP	= 8,
};

/**
 * struct inside_name - a function, or a pattern of some; a line; a probe
 * @kind: which of these
 * @role: enum softpt_xl_role
 * @text: the option, and what was given
 * @copy: that, in parts: what the next three point to
 * @library: of a function: of this file; NULL: of the program
 * @function: its name, a pattern, or an address; of a probe PROVIDER:NAME
 * @source: of a line: the source file
 * @line: and its number
 * @call: number of a system call
 * @mapped: the library was found in a process
 * @places: there are places of the line, or of the probe
 * @unframed: and such where the frame is not known
 * @known: a file has code of the source file
 * @moved: a file has code of the line, and none begins it
 * @bare: the program has no debug information
 * @near: the line nearest to it at which code begins; 0: there is none
 */
struct inside_name {
	enum inside_kind kind;
	unsigned int role;
	char *text;
	char *copy;
	const char *library;
	const char *function;
	const char *source;
	int line;
	unsigned int call;
	bool mapped;
	bool places;
	bool unframed;
	bool known;
	bool moved;
	bool bare;
	int near;
};

/* A file */
struct inside_id {
	unsigned long inode;
	unsigned long device;
};

/**
 * struct inside - the functions
 * @text: names, as they were given; inside_free()
 * @name: each; inside_free()
 * @nr: how many
 * @given: which options there were (enum inside_way)
 * @every: one of so many calls is recorded; 0: each
 * @most: so many calls; 0: all
 * @slower: calls that take so many nanoseconds, or more; 0: all
 * @condition: calls that meet it
 * @program: its file, as /proc/PID/maps has it; inside_free()
 * @image: and where that can be read; inside_free()
 * @file: files that were looked at, by the number of each (files.c)
 * @files: how many
 * @looks: what is left of the work that may be spent on finding system calls
 * @known: the system calls of a process are known
 * @made: a process has made code that no file holds
 * @told: what is told once: there are too many, or too few, functions
 * @refused: they are not those of a process that runs, which was told
 * @share: the file that is shared with the program
 * @runtime: the file of the runtime
 */
struct inside {
	char *text;
	struct inside_name name[INSIDE_MOST];
	unsigned int nr;
	unsigned int given;
	uint64_t every;
	uint64_t most;
	uint64_t slower;
	struct condition condition;
	char *program;
	char *image;
	struct inside_file *file[INSIDE_BUCKETS];
	unsigned int files;
	unsigned int looks;
	bool known;
	bool refused;
	bool made;
	bool told;
	struct inside_id share;
	struct inside_id runtime;
};

#endif /* SOFTPT_TOOL_RECORD_INSIDE_NAMES_H */
