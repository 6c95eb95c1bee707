// SPDX-License-Identifier: BSD-2-Clause
/*
 * execve(): the runtime starts anew in place of the program, with the name of the program in the
 * environment. What cannot be translated is left to the kernel, and is not recorded.
 */
#include <asm/stat.h>
#include <elf.h>
#include <linux/fcntl.h>

#include "../code/describe.h"
#include "../guest.h"
#include "../sys.h"
#include "../threads.h"
#include "exe.h"
#include "exec.h"
#include "traced.h"

#define PATH_MAX	SOFTPT_XL_NAME
#define SCRIPTS		4		/* that are each other's interpreters */
#define LINE_MAX	256
#define ARGS_MAX	(1u << 20)

/* ---- what there is to be executed ---- */

enum verdict {
	EXEC_KERNEL,	/* refused, or not for us */
	EXEC_TRANSLATE,
	EXEC_SCRIPT,
};

/* Privileges that the kernel gives to a program that it starts itself only */
static bool gains(long fd)
{
	const u32 setuid = 04000, setgid = 02010;
	struct stat st = { 0 };

	return sys(__NR_fstat, fd, &st) || st.st_mode & setuid ||
	       (st.st_mode & setgid) == setgid ||
	       sys(__NR_fgetxattr, fd, "security.capability", 0, 0) > 0;
}

static bool is_elf64(const char *head, long n)
{
	const Elf64_Ehdr *e = (const void *)head;

	return n >= (long)sizeof(*e) && head[0] == ELFMAG0 && head[1] == ELFMAG1 &&
	       head[2] == ELFMAG2 && head[3] == ELFMAG3 && head[EI_CLASS] == ELFCLASS64 &&
	       e->e_machine == EM_X86_64;
}

static enum verdict judge(const char *path, char *line)
{
	enum verdict verdict = EXEC_KERNEL;
	long fd, n;

	fd = sys(__NR_open, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return EXEC_KERNEL;
	n = sys(__NR_read, fd, line, LINE_MAX - 1);
	line[n > 0 ? n : 0] = 0;
	if (n > 2 && !sys(__NR_access, path, 1) && !gains(fd)) {
		if (is_elf64(line, n))
			verdict = EXEC_TRANSLATE;
		else if (line[0] == '#' && line[1] == '!')
			verdict = EXEC_SCRIPT;
	}
	sys(__NR_close, fd);
	return verdict;
}

/* Interpreter and argument of a script's first line. Return: false: there is none */
static bool parse_script(char *line, char **interpreter, char **argument)
{
	char *s = line + 2, *end;

	*argument = NULL;
	while (*s == ' ' || *s == '\t')
		s++;
	*interpreter = s;
	while (*s && *s != '\n' && *s != ' ' && *s != '\t')
		s++;
	if (s == *interpreter || !*s)
		return false;
	end = s;
	while (*end && *end != '\n')
		end++;
	if (!*end)
		return false;
	while (end > s && (end[-1] == ' ' || end[-1] == '\t'))
		end--;
	*end = 0;
	if (s < end) {
		*s++ = 0;
		while (*s == ' ' || *s == '\t')
			s++;
		*argument = *s ? s : NULL;
	}
	return true;
}

/* ---- tracers ---- */

/* By a program that is recorded: it wants to see what runs natively. */
static bool has_tracer(void)
{
	char text[1024] = { 0 };
	const char *at, *tracer, *end;
	u64 pid;
	long fd;

	fd = sys(__NR_open, "/proc/self/status", O_RDONLY | O_CLOEXEC);
	sys(__NR_read, fd, text, sizeof(text) - 1);
	sys(__NR_close, fd);
	for (at = text; *at; at++) {
		tracer = str_behind(at, "\nTracerPid:\t");
		if (!tracer)
			continue;
		pid = str_number(tracer, &end);
		return pid && exe_is_recorded(pid);
	}
	return false;
}

/* ---- the runtime's own start ---- */

static void *grab(u64 size)
{
	long at = sys(__NR_mmap, 0, size, 3, 0x22, -1, 0);

	return at < 0 ? NULL : (void *)at;
}

/* Words of a list of strings, without its NULL; -1: it cannot be read */
static long count_words(u64 list)
{
	u64 word;
	long n;

	if (!list)
		return 0;
	for (n = 0; n < (long)ARGS_MAX; n++) {
		if (!guest_read(&word, list + 8 * (u64)n, 8))
			return -1;
		if (!word)
			return n;
	}
	return -1;
}

/* A descriptor of the file that the recorder shares, for the program that is started */
static long shared_fd(void)
{
	const struct softpt_xl_shared *s = (void *)(uintptr_t)process->map;
	char path[64] = "/proc/";
	char *p = path + 6, digits[16];
	u32 number[2] = { s->recorder, s->fd };
	long fd, high;
	int i, n;

	for (i = 0; i < 2; i++) {
		n = 0;
		do
			digits[n++] = (char)('0' + number[i] % 10);
		while (number[i] /= 10);
		while (n)
			*p++ = digits[--n];
		memcpy(p, i ? "" : "/fd/", i ? 1 : 4);
		p += i ? 1 : 4;
	}
	fd = sys(__NR_open, path, O_RDWR);
	if (fd < 0)
		return fd;
	high = sys(__NR_fcntl, fd, 0, 900);	/* F_DUPFD: out of the program's way */
	if (high < 0)
		return fd;
	sys(__NR_close, fd);
	return high;
}

/* "SOFTPT_TRANSLATE=FD:PATH" */
static void put_env(char *env, long fd, const char *path)
{
	const char name[] = SOFTPT_XL_ENV "=";
	char digits[16];
	int n = 0;

	memcpy(env, name, sizeof(name) - 1);
	env += sizeof(name) - 1;
	do
		digits[n++] = (char)('0' + fd % 10);
	while (fd /= 10);
	while (n)
		*env++ = digits[--n];
	*env++ = ':';
	memcpy(env, path, str_len(path) + 1);
}

struct start {
	char path[PATH_MAX];	/* of what is to be translated */
	char lines[SCRIPTS][LINE_MAX];
	char env[PATH_MAX + 64];
	char *front[2 * SCRIPTS + 2];	/* what scripts put before the arguments */
	u64 n;
};

/* Follow the interpreters of scripts to what is to be translated. Return: whether it can be */
static bool find_program(struct start *s, const char *path)
{
	char *interpreter, *argument;
	char line[LINE_MAX];
	int depth;

	if (str_len(path) >= PATH_MAX)
		return false;
	memcpy(s->path, path, str_len(path) + 1);
	for (depth = 0; depth <= SCRIPTS; depth++) {
		char *mine = depth < SCRIPTS ? s->lines[depth] : line;
		u64 i;

		switch (judge(s->path, mine)) {
		case EXEC_TRANSLATE:
			return true;
		case EXEC_KERNEL:
			return false;
		case EXEC_SCRIPT:
			break;
		}
		/* Scripts of scripts are the kernel's matter. */
		if (depth || !parse_script(mine, &interpreter, &argument))
			return false;
		i = 0;
		s->front[i++] = interpreter;
		if (argument)
			s->front[i++] = argument;
		s->front[i++] = (char *)(uintptr_t)path;
		s->n = i;
		memcpy(s->path, interpreter, str_len(interpreter) + 1);
	}
	return false;
}

/* The runtime's file: a process that ran before is executed by its own. */
static const char *runtime(void)
{
	const struct softpt_xl_shared *s = (void *)(uintptr_t)process->map;

	return process->attached ? s->runtime : "/proc/self/exe";
}

/* @fd: of the shared file. Only returns when it fails. */
static long start_runtime(struct start *s, u64 argv, u64 envp, long fd)
{
	long argc = count_words(argv), envc = count_words(envp), ret = fd;
	u64 skip = s->n && argc ? 1 : 0, words;
	char **args, **env;

	if (argc < 0 || envc < 0)
		return -EFAULT;
	words = s->n + (u64)argc + 1 + (u64)envc + 2;
	args = grab(8 * words);
	if (!args)
		return -ENOMEM;
	current()->rooms[1].at = (uintptr_t)args;
	current()->rooms[1].size = 8 * words;
	memcpy(args, s->front, 8 * s->n);
	guest_read(args + s->n, argv + 8 * skip, 8 * ((u64)argc - skip));
	env = args + s->n + (u64)argc + 1;
	guest_read(env, envp, 8 * (u64)envc);
	if (fd >= 0) {
		put_env(s->env, fd, s->path);
		env[envc] = s->env;
		ret = guest_call(__NR_execve, (long)runtime(), (long)args, (long)env, 0, 0, 0);
		sys(__NR_close, fd);
	}
	current()->rooms[1].size = 0;
	sys(__NR_munmap, args, 8 * words);
	return ret;
}

/* Before there is a thread */
static void start_script(struct start *s, char **argv, char **envp, long fd)
{
	u64 argc = 0, envc = 0;
	char **args, **env;

	while (argv[argc])
		argc++;
	while (envp[envc])
		envc++;
	args = grab(8 * (s->n + argc + envc + 3));
	if (!args)
		return;
	memcpy(args, s->front, 8 * s->n);
	if (argc)
		memcpy(args + s->n, argv + 1, 8 * (argc - 1));
	env = args + s->n + argc + 1;
	memcpy(env, envp, 8 * envc);
	put_env(s->env, fd, s->path);
	env[envc] = s->env;
	sys(__NR_execve, "/proc/self/exe", args, env);
}

void exec_script(const char *path, char **argv, char **envp, long fd)
{
	struct start *s = grab(sizeof(*s));

	if (s && find_program(s, path) && s->n)
		start_script(s, argv, envp, fd);
}

static long execute(struct thread *t, long path, long argv, long envp)
{
	struct start *s;
	long ret = -ENOEXEC;
	char name[PATH_MAX];
	const char *real;
	u64 left;

	if (t->words->pending)
		return XL_ABORT;
	left = guest_copy(name, (const void *)path, sizeof(name) - 1);
	name[sizeof(name) - 1 - left] = 0;
	s = left < sizeof(name) - 1 ? grab(sizeof(*s)) : NULL;
	t->rooms[0].at = (uintptr_t)s;
	t->rooms[0].size = s ? sizeof(*s) : 0;
	real = exe_named(name);
	traced_now(t);
	if (s && !has_tracer() && find_program(s, real ? real : name))
		ret = start_runtime(s, (u64)argv, (u64)envp, shared_fd());
	t->rooms[0].size = 0;
	if (s)
		sys(__NR_munmap, s, sizeof(*s));
	if (ret == XL_ABORT)
		return ret;
	return guest_call(__NR_execve, path, argv, envp, 0, 0, 0);
}

long exec_program(struct thread *t, long path, long argv, long envp)
{
	long ret;

	if (t->vforked)
		thread_executes(t);
	ret = execute(t, path, argv, envp);
	if (t->vforked)
		thread_stays(t);
	return ret;
}

/* What is named by a descriptor is left to the kernel. */
long exec_at(struct thread *t, long dir, long path, long argv, long envp, long flags)
{
	char name[64] = { 0 };

	if (guest_copy(name, (const void *)path, sizeof(name) - 1) < sizeof(name) - 1 &&
	    (name[0] == '/' || (dir == AT_FDCWD && name[0] && !flags)))
		return exec_program(t, path, argv, envp);
	return guest_call(__NR_execveat, dir, path, argv, envp, flags, 0);
}
