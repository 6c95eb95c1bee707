/* SPDX-License-Identifier: BSD-2-Clause */
/* The file that a translated program and its recorder share */
#ifndef SOFTPT_SOURCE_SHARE_H
#define SOFTPT_SOURCE_SHARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <softpt/translate.h>

struct xl_share {
	int fd;
	void *map;
};

#define XL_SHARE_NAME	"softpt"	/* of the file in memory */

/* Return: 0 or -errno */
int xl_share_open(struct xl_share *s);
/* The same with @fd, an empty file of memfd_create() that may be sealed: it is closed then. */
int xl_share_adopt(struct xl_share *s, int fd);
void xl_share_close(struct xl_share *s);
/* An area is free again, and empty. */
void xl_share_free(const struct xl_share *s, uint32_t process);

static inline struct softpt_xl_process *xl_process(const struct xl_share *s, uint32_t process)
{
	return (void *)((char *)s->map + softpt_xl_area(process));
}

/*
 * What is to be executed to have @path executed, in translation.
 *
 * Return: NULL, or why it can't be translated.
 */
const char *xl_refusal(const char *path);
/* The file that execvp() would execute. Return: 0 or -errno */
int xl_find(const char *name, char *path, size_t size);
/* The runtime: beside the command, or installed. Return: whether it is there */
bool xl_runtime(char *path, size_t size);

#endif /* SOFTPT_SOURCE_SHARE_H */
