/* SPDX-License-Identifier: BSD-2-Clause */
/* Completion scripts, made of the tables of commands and options */
#ifndef SOFTPT_TOOL_COMPLETION_SHELLS_H
#define SOFTPT_TOOL_COMPLETION_SHELLS_H

void completion_bash(void);
void completion_fish(void);
void completion_zsh(void);

#endif /* SOFTPT_TOOL_COMPLETION_SHELLS_H */
