/* SPDX-License-Identifier: BSD-2-Clause */
/* Questions to the recorder */
#ifndef SOFTPT_XL_ASK_H
#define SOFTPT_XL_ASK_H

/* A file was mapped: which functions of it are waited for, and where are they? Not under xl_lock */
void ask_places(void);
/* What the recorder has said is so. Under xl_lock, or where no other thread runs */
void ask_answered(void);

#endif /* SOFTPT_XL_ASK_H */
