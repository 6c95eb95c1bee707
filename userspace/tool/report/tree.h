/* SPDX-License-Identifier: BSD-2-Clause */
/* softpt report: the tree of calls, node by node */
#ifndef SOFTPT_TOOL_REPORT_TREE_H
#define SOFTPT_TOOL_REPORT_TREE_H

#include <stddef.h>

#include "view.h"

/**
 * struct tree_node - a node in the order of printing
 * @link: what it cost
 * @node: its number, from 1 on
 * @parent: that of the node above it, 0: none is printed
 * @depth: of the node, below the first that is printed
 */
struct tree_node {
	const struct report_link *link;
	size_t node;
	size_t parent;
	unsigned int depth;
};

/**
 * struct tree_rest - what was not printed
 * @nodes: below the share or behind the limit of the view
 */
struct tree_rest {
	size_t nodes;
};

typedef void (*tree_fn)(void *context, const struct tree_node *node);

/*
 * Each node before those that it called, of which the one with the most instructions comes first.
 * A pattern chooses what a tree begins with. Return: 0 or -ENOMEM
 */
int tree_walk(const struct view *v, tree_fn fn, void *context, struct tree_rest *rest);

#endif /* SOFTPT_TOOL_REPORT_TREE_H */
