// SPDX-License-Identifier: BSD-2-Clause
/*
 * The runtime: a program of its own that takes the place of another
 * (Documentation/internals/translate.rst). The kernel starts it with the arguments and the
 * environment of that program; SOFTPT_TRANSLATE says which it is, and which descriptor is the file
 * that the recorder shares.
 */
#include <linux/mman.h>
#include <elf.h>
#include <linux/auxvec.h>
#include <linux/fcntl.h>
#include <linux/prctl.h>
#include <linux/signal.h>

#include "attach.h"
#include "code/ask.h"
#include "code/condition.h"
#include "code/describe.h"
#include "code/door.h"
#include "code/link.h"
#include "code/number.h"
#include "code/record.h"
#include "code/table.h"
#include "code/translate.h"
#include "exec/exe.h"
#include "exec/exec.h"
#include "exec/load.h"
#include "exec/vdso.h"
#include "flush.h"
#include "guest.h"
#include "layout.h"
#include "memory.h"
#include "native.h"
#include "passing.h"
#include "share.h"
#include "signals/signal.h"
#include "sys.h"
#include "syscall.h"
#include "threads.h"

#define AT_RSEQ_FEATURE_SIZE	27
#define AT_RSEQ_ALIGN		28

/* ---- where the translation leaves to ---- */

static void refused(u64 at)
{
	u8 code[SOFTPT_X86_MAX] = { 0 };
	struct softpt_x86 insn;
	const char *why = "an instruction that is not translated";
	unsigned int i;

	guest_copy(code, (const void *)(uintptr_t)at, sizeof(code));
	softpt_x86_decode(code, sizeof(code), &insn);
	for (i = 0; i < insn.len && code[i] != insn.opcode; i++)
		if (code[i] == 0x65)
			why = "an instruction with the GS segment";
	if (!insn.map && insn.opcode == 0xcd)
		why = code[insn.len - 1] == 0x80 ? "INT 0x80" : "INT n that does not fault";
	if (!insn.map && insn.opcode == 0xc7)
		why = "XBEGIN";
	if (!insn.map && (insn.opcode == 0xca || insn.opcode == 0xcb || insn.opcode == 0xcf ||
			  insn.opcode == 0xff))
		why = "a far branch";
	die(why, at);
}

/* A system call. Return: whether the program goes on behind it */
static bool make_call(struct thread *t, struct context *c, u64 next)
{
	u64 nr = c->rax;
	long ret;

	t->pc = next - SOFTPT_XL_SYSCALL;	/* where a signal that comes first finds it */
	c->rcx = next;
	c->r11 = c->flags;
	record_escape(t, SOFTPT_XL_CALL, 0, NULL, nr, 0);
	t->in_call = true;
	ret = syscall_do(t, c, next);
	if (ret == XL_ABORT) {
		t->pc = next - SOFTPT_XL_SYSCALL;
		return false;
	}
	t->ends = 0;
	c->rax = (u64)ret;
	return true;
}

/* PTWRITE was done: the last instruction of the record before */
static void tell_value(struct thread *t)
{
	const u32 record = *(const u32 *)(t->words->cursor - sizeof(record));

	record_escape(t, SOFTPT_XL_VALUE, 0, NULL, number_addr(describe_exit_at(record)->last),
		      t->words->scratch);
}

/* The thread knows where it goes on: a call is over, if it was in one. */
static void return_from_call(struct thread *t, u64 to)
{
	if (!t->in_call || t->words->pending)
		return;
	record_escape(t, SOFTPT_XL_RETURN, 0, NULL, 0, to);
	t->in_call = false;
}

/* What has led to the dispatcher leads to @b next time, or @b is hot. */
static void follow(struct link *l, struct block *b)
{
	if (l->kind == LINK_DIRECT && !b->door)
		link_to(l, b);
	else if (l->kind == LINK_HOT && !b->is_hot)
		translate_hot(b);
}

static bool canonical(u64 addr)
{
	return (u64)((s64)(addr << 16) >> 16) == addr;
}

/* A branch to what is no address faults natively: it is not done, nor what it did to RSP. */
static u64 undo_branch(struct thread *t)
{
	const u32 record = *(const u32 *)(t->words->cursor - sizeof(record));
	const struct softpt_xl_exit *x = describe_exit_at(record);
	u8 code[SOFTPT_X86_MAX];
	struct softpt_x86 insn;

	t->pc = number_addr(x->last);
	t->undone = true;
	if (x->kind == SOFTPT_X86_ICALL)
		t->words->rsp += 8;
	if (x->kind == SOFTPT_X86_RET && guest_read(code, t->pc, x->len)) {
		softpt_x86_decode(code, x->len, &insn);
		t->words->rsp -= 8 + (insn.imm_len ? softpt_x86_signed(code + insn.imm, 2) : 0);
	}
	return signal_fault(t, SIGSEGV, SI_KERNEL, 0);
}

u64 dispatch(struct context *c)
{
	struct thread *t = current();
	u32 number = (u32)t->words->link;
	struct link *l = link_at(number);
	u64 to = number ? number_addr(l->target) : t->words->target;
	const u8 kind = number ? l->kind : LINK_MISS;
	const u32 flushed = flush_count();
	const bool entered = t->entered, stays = t->stays;
	const u64 call = syscall_number(t, c);
	bool called = stays && t->broke;
	struct block *b;
	struct passing door = { 0 };

	barrier();
	WRITE_ONCE(t->inside, false);
	t->native = false;
	t->stays = false;
	if (kind == LINK_REFUSED)
		refused(to);
	if (!number && !t->entered && !canonical(to))
		return undo_branch(t);
	t->entered = false;
	if (!entered && door_any() && (kind == LINK_MISS || kind == LINK_DIRECT))
		called = passing_by_call(t);
	if (!number)
		signal_held_again(t);
	if (kind == LINK_VALUE)
		tell_value(t);
	if (kind == LINK_SYSCALL && !make_call(t, c, to))
		return (uintptr_t)at_trap;
	t->pc = to;
	return_from_call(t, to);
	if (kind == LINK_SYSCALL)
		passing_call(t, c, call, to);
	if (READ_ONCE(process->leave) && !t->vforked)
		return attach_give_back(t);
	if (native_may(t) && !stays && kind != LINK_HOT)
		return native_go(t, to);
	flush_lock();
	flush_if_full(t);
	b = translate(to);
	if (b)
		door = passing_find(t, c, b, kind, to);
	if (b && kind == LINK_MISS && !door.what)
		table_add(b);
	else if (b && flush_count() == flushed)
		follow(l, b);
	t->inside = b;
	unlock(&xl_lock);
	passing_tell(t, &door, to, entered, called);
	if (door.what == SOFTPT_XL_BACK && native_may(t) && !stays)
		return native_go(t, to);
	if (b)
		return b->direct;
	return signal_fault(t, SIGSEGV, (s32)t->fault_code, t->fault_addr);
}

/* ---- the start ---- */

/* What the kernel has put on the stack */
struct begin {
	u64 *argv;
	u64 *envp;
	u64 *aux;
	const char *path;	/* of the program */
	int fd;
};

/* Take SOFTPT_TRANSLATE out of the environment. Return: whether it was there */
static bool take_env(struct begin *b)
{
	const char *value = NULL, *end;
	u64 *from, *to;

	for (from = to = b->envp; *from; from++) {
		const char *mine = str_behind((const char *)*from, SOFTPT_XL_ENV "=");

		if (mine)
			value = mine;
		else
			*to++ = *from;
	}
	*to = 0;
	if (!value)
		return false;
	b->fd = (int)str_number(value, &end);
	if (*end != ':')
		return false;
	b->path = end + 1;
	return true;
}

static void find_begin(struct begin *b, u64 *sp)
{
	b->argv = sp + 1;
	b->envp = b->argv + sp[0] + 1;
	b->aux = b->envp;
	while (*b->aux)
		b->aux++;
	b->aux++;
}

/*
 * No rseq: the kernel would move the translation. The auxiliary vector begins right behind the
 * environment, which has become shorter.
 */
static void change_aux(const struct begin *b, const struct image *program, u64 interpreter)
{
	u64 *aux = b->aux, *to = b->envp;

	while (*to++)
		;
	for (; aux[0]; aux += 2) {
		switch (aux[0]) {
		case AT_SYSINFO_EHDR:
			aux[1] = vdso_move(aux[1]);
			if (!aux[1])
				continue;
			break;
		case AT_RSEQ_FEATURE_SIZE:
		case AT_RSEQ_ALIGN:
			continue;
		case AT_PHDR:
			aux[1] = program->phdr;
			break;
		case AT_PHNUM:
			aux[1] = program->phnum;
			break;
		case AT_BASE:
			aux[1] = interpreter;
			break;
		case AT_ENTRY:
			aux[1] = program->entry;
			break;
		case AT_EXECFN:
			aux[1] = (uintptr_t)b->path;
			break;
		}
		to[0] = aux[0];
		to[1] = aux[1];
		to += 2;
	}
	to[0] = 0;
	to[1] = 0;
}

/* As the kernel names a program that is executed */
static void set_name(const char *path)
{
	const char *name = path;

	for (; *path; path++)
		if (*path == '/')
			name = path + 1;
	sys(__NR_prctl, PR_SET_NAME, name);
}

void runtime_main(u64 *sp)
{
	struct image program, interpreter;
	struct begin b = { 0 };
	struct block *first;
	struct thread *t;

	find_begin(&b, sp);
	if (!take_env(&b)) {
		say("softpt-translate is started by softpt record\n");
		sys(__NR_exit_group, 2);
	}
	exec_script(b.path, (char **)b.argv, (char **)b.envp, b.fd);
	share_join(b.fd);
	number_init(process->far);
	load_image(b.path, XL_PIE, &program);
	exe_init(program.path, program.base);
	if (*program.interpreter)
		load_image(program.interpreter, XL_LDSO, &interpreter);
	change_aux(&b, &program, *program.interpreter ? interpreter.base : 0);
	set_name(b.path);
	table_init(false);
	memory_init();
	cache_init();
	block_init();
	link_init();
	t = thread_first();
	signal_init(t);
	t->pc = *program.interpreter ? interpreter.entry : program.entry;
	__atomic_store_n(&process->state, SOFTPT_XL_LIVE, __ATOMIC_RELEASE);
	condition_take((void *)(uintptr_t)process->map);
	passing_take((void *)(uintptr_t)process->map);
	ask_places();
	record_escape(t, SOFTPT_XL_THREAD, 0, NULL, t->words->tid, t->pc);
	lock(&xl_lock);
	first = translate(t->pc);
	t->inside = true;
	unlock(&xl_lock);
	if (!first)
		die("the program cannot be read", t->pc);
	program_start(first->direct, (uintptr_t)sp);
}
