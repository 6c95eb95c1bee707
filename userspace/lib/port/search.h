/* SPDX-License-Identifier: BSD-2-Clause */
/* Where a branch leads whose register no SE has told */
#ifndef SOFTPT_PORT_SEARCH_H
#define SOFTPT_PORT_SEARCH_H

struct softpt_port_walk;

/* port_walk_symbol(); where a branch leads whose register is not known is looked for */
void port_walk_search(struct softpt_port_walk *w);

#endif /* SOFTPT_PORT_SEARCH_H */
