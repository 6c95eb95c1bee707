/* SPDX-License-Identifier: BSD-2-Clause */
/* The code of a 32-bit PowerPC program */
#ifndef SOFTPT_CODE_POWERPC_H
#define SOFTPT_CODE_POWERPC_H

#include <stddef.h>
#include <stdint.h>

#include <softpt/port.h>
#include "base/error.h"
#include "code/symbols.h"

struct port_image;

/**
 * port_image_open() - the code of a program
 * @path: an ELF file
 * @error: filled in with why there is none
 *
 * Return: NULL on an error.
 */
struct port_image *port_image_open(const char *path, struct error *error);
void port_image_close(struct port_image *image);

/* The names of its functions. Return: 0 or -ENOMEM */
int port_image_names(const struct port_image *image, const char *path, struct symbols *names);

/* Where its code is. Return: how many */
size_t port_image_code(const struct port_image *image, const struct softpt_port_code **code);

/* softpt_port_read, of a struct port_image */
int port_image_read(void *image, uint32_t addr, uint32_t *insn);

#endif /* SOFTPT_CODE_POWERPC_H */
