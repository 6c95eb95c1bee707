// SPDX-License-Identifier: BSD-2-Clause
/* softpt load, softpt unload: the module, through libkmod */
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <libkmod.h>

#include <softpt/softpt.h>
#include "cli/system.h"
#include "cli/tool.h"

#define NAME		"softpt"
#define AS_INTEL_PT	"as_intel_pt"
#define ID_AS_INTEL_PT	0x100

static bool loading_disabled(void)
{
	char line[16];

	system_line("/proc/sys/kernel/modules_disabled", line, sizeof(line));
	return !strcmp(line, "1");
}

/* The kernel that a module was built for is the first word of its vermagic. */
static bool built_for(struct kmod_module *mod, const char *release, char *other, size_t len)
{
	struct kmod_list *list = NULL, *item;
	bool same = true;

	if (kmod_module_get_info(mod, &list) < 0)
		return true;
	kmod_list_foreach(item, list) {
		const char *value = kmod_module_info_get_value(item);

		if (strcmp(kmod_module_info_get_key(item), "vermagic"))
			continue;
		snprintf(other, len, "%.*s", (int)strcspn(value, " "), value);
		same = !strcmp(other, release);
	}
	kmod_module_info_free_list(list);
	return same;
}

static int explain_permission(const char *what)
{
	if (geteuid())
		return refuse(what, "no permission: run it as root");
	if (loading_disabled())
		return refuse(what, "kernel.modules_disabled is set: no module until the next boot");
	if (system_locked_down())
		return refuse(what,
			      "the kernel is locked down (Secure Boot): it takes signed modules only; sign it with a key enrolled by mokutil, or switch Secure Boot off");
	return refuse(what, "not permitted: in a container, load the module on the host");
}

static int explain_load(struct kmod_module *mod, const char *what, int err)
{
	char other[128] = "";
	struct utsname u;

	uname(&u);
	if (!built_for(mod, u.release, other, sizeof(other)))
		return refuse(what, "built for kernel %s, but %s is running (make modules)", other,
			      u.release);
	switch (-err) {
	case EPERM:
	case EACCES:
		return explain_permission(what);
	case EKEYREJECTED:
	case ENOKEY:
		return refuse(what,
			      "the kernel takes signed modules only (Secure Boot or module.sig_enforce): sign it with a key enrolled by mokutil");
	case ENOENT:
		return refuse(what, "a symbol or a parameter is missing (see dmesg)");
	case ENOSYS:
		return refuse(what, "this kernel takes no modules (CONFIG_MODULES)");
	case EBUSY:
		return refuse(what,
			      "this processor has PT, and its driver the name intel_pt: load it without --as-intel-pt");
	case EINVAL:
		return refuse(what, "the kernel refuses it: a wrong parameter? (see dmesg)");
	case ENOEXEC:
		return refuse(what, "no module, or of another kernel or configuration (see dmesg)");
	}
	return refuse(what, "%s", softpt_strerror(err));
}

static int not_found(void)
{
	struct utsname u;

	uname(&u);
	return refuse(NAME,
		      "not in /lib/modules/%s (make modules_install, or softpt load FILE.ko)",
		      u.release);
}

/* All module parameters, as the kernel wants them: separated by blanks */
static char *join(int argc, char **argv)
{
	size_t len = 1;
	char *text;
	int i;

	for (i = 0; i < argc; i++)
		len += strlen(argv[i]) + 1;
	text = calloc(1, len);
	for (i = 0; text && i < argc; i++) {
		strcat(text, i ? " " : "");
		strcat(text, argv[i]);
	}
	return text;
}

static bool is_loaded(struct kmod_module *mod)
{
	int state = kmod_module_get_initstate(mod);

	return state == KMOD_MODULE_LIVE || state == KMOD_MODULE_BUILTIN;
}

/* Whether the module that is loaded already is not the one that is asked for */
static bool lacks_name(const char *parameters)
{
	char value[8];

	if (!strstr(parameters, AS_INTEL_PT "=1"))
		return false;
	system_line("/sys/module/softpt/parameters/" AS_INTEL_PT, value, sizeof(value));
	return strcmp(value, "Y");
}

static int probe(struct kmod_module *mod, const char *what, const char *parameters)
{
	int err;

	if (is_loaded(mod) && lacks_name(parameters))
		return refuse(what, "loaded already, but not as intel_pt: softpt unload first");
	if (is_loaded(mod)) {
		fprintf(stderr, "softpt: the module is loaded already\n");
		return 0;
	}
	err = kmod_module_probe_insert_module(mod, 0, *parameters ? parameters : NULL, NULL, NULL,
					      NULL);
	return err ? explain_load(mod, what, err) : 0;
}

static int load_file(struct kmod_ctx *ctx, const char *path, const char *parameters)
{
	struct kmod_module *mod;
	int status, err = kmod_module_new_from_path(ctx, path, &mod);

	if (err)
		return refuse(path, "%s", softpt_strerror(err));
	status = probe(mod, path, parameters);
	kmod_module_unref(mod);
	return status;
}

static int load_installed(struct kmod_ctx *ctx, const char *parameters)
{
	struct kmod_module *mod;
	int status;

	if (kmod_module_new_from_name(ctx, NAME, &mod))
		return refuse(NAME, "out of memory");
	if (!is_loaded(mod) && !kmod_module_get_path(mod))
		status = not_found();
	else
		status = probe(mod, NAME, parameters);
	kmod_module_unref(mod);
	return status;
}

/* libkmod has messages of its own; ours say more. */
static struct kmod_ctx *context(void)
{
	struct kmod_ctx *ctx = kmod_new(NULL, NULL);

	if (ctx)
		kmod_set_log_priority(ctx, 0);
	return ctx;
}

static int run_load(const struct command *cmd, int argc, char **argv)
{
	struct kmod_ctx *ctx;
	const char *file = NULL;
	bool as_intel_pt = false;
	char *parameters;
	int status, id;

	while ((id = option_next(cmd, argc, argv)) != -1) {
		if (id != ID_AS_INTEL_PT)
			return EXIT_USAGE;
		as_intel_pt = true;
	}
	if (optind < argc && !strchr(argv[optind], '='))
		file = argv[optind++];
	ctx = context();
	/* A place before the parameters is free: it was the command's name, an option or FILE.ko */
	if (as_intel_pt)
		argv[--optind] = AS_INTEL_PT "=1";
	parameters = join(argc - optind, argv + optind);
	if (!ctx || !parameters)
		status = refuse(NAME, "out of memory");
	else if (file)
		status = load_file(ctx, file, parameters);
	else
		status = load_installed(ctx, parameters);
	free(parameters);
	kmod_unref(ctx);
	return status;
}

static int remove_module(struct kmod_module *mod)
{
	int err;

	if (!is_loaded(mod)) {
		fprintf(stderr, "softpt: the module is not loaded\n");
		return 0;
	}
	err = kmod_module_remove_module(mod, 0);
	if (!err)
		return 0;
	if (err == -EAGAIN || err == -EBUSY)
		return refuse(NAME, "in use: a session is open, or a traced process still runs");
	return err == -EPERM ? explain_permission(NAME) : refuse(NAME, "%s", softpt_strerror(err));
}

static int run_unload(const struct command *cmd, int argc, char **argv)
{
	struct kmod_module *mod = NULL;
	struct kmod_ctx *ctx;
	int status;

	if (option_next(cmd, argc, argv) != -1)
		return EXIT_USAGE;
	if (optind < argc)
		return misuse(cmd, "%s: takes no argument", argv[optind]);
	ctx = context();
	if (!ctx || kmod_module_new_from_name(ctx, NAME, &mod))
		status = refuse(NAME, "out of memory");
	else
		status = remove_module(mod);
	kmod_module_unref(mod);
	kmod_unref(ctx);
	return status;
}

static const struct option_row load_options[] = {
	{ ID_AS_INTEL_PT, "as-intel-pt", NULL, "call the PMU intel_pt: for stock perf record" },
	{ 0 }
};

const struct command command_load = {
	.name = "load",
	.args = "[FILE.ko] [PARAMETER=VALUE]...",
	.what = "load the module",
	.more = "Without FILE.ko: the one in /lib/modules (make modules_install).",
	.options = load_options,
	.run = run_load,
};

static const struct option_row unload_options[] = { { 0 } };

const struct command command_unload = {
	.name = "unload",
	.args = "",
	.what = "unload the module",
	.options = unload_options,
	.run = run_unload,
};
