/* SPDX-License-Identifier: BSD-2-Clause */
/* Files with symbols, of which others know no more than that */
#ifndef SOFTPT_CODE_SYMBOLFILES_H
#define SOFTPT_CODE_SYMBOLFILES_H

struct symbol_files;
struct symbol_file;

/* Files that were mapped; several processes may share them. Return: NULL without memory */
struct symbol_files *symbol_files_new(void);
void symbol_files_free(struct symbol_files *files);

/* A file, mapped or not. Return: NULL without memory, or where no ELF file can be read */
struct symbol_file *symbol_files_get(struct symbol_files *files, const char *path);

#endif /* SOFTPT_CODE_SYMBOLFILES_H */
