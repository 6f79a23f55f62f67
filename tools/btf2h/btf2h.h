/* SPDX-License-Identifier: GPL-2.0 */
/*
 * btf2h: what the parts of the program share.
 *
 *   main.c    command line
 *   image.c   BTF and release string out of a raw file, an ELF file, a bzImage
 *   btf.c     reads and checks the BTF, answers questions about types
 *   list.c    the list file: what the header shall hold
 *   known.c   what the public headers define already; what the kernel exports
 *   emit.c    types and prototypes in C
 *   facts.c   feature macros and static assertions
 *   util.c    memory, strings, sets, errors
 *
 * Everything is allocated once and freed by exit: the program runs for a
 * fraction of a second.
 */
#ifndef BTF2H_H
#define BTF2H_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define __noreturn	__attribute__((noreturn))
#define __printf(a, b)	__attribute__((format(printf, a, b)))
#define fallthrough	__attribute__((fallthrough))
#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

/* util.c */

struct blob {
	uint8_t *data;
	size_t size;
};

struct set_entry {
	const char *name;
	const char *value;
};

/* A set of names, each with an optional string; open addressing. */
struct set {
	struct set_entry *slots;
	size_t used;
	size_t size;		/* power of two, or 0 */
};

void __noreturn __printf(1, 2) die(const char *fmt, ...);
void *xalloc(size_t size);
char *xstrndup(const char *s, size_t len);
char *xasprintf(const char *fmt, ...) __printf(1, 2);
struct blob read_file(const char *path);
void set_put(struct set *set, const char *name, const char *value);
bool set_has(const struct set *set, const char *name);
const char *set_value(const struct set *set, const char *name);

/* image.c */

struct image {
	const char *path;
	struct blob btf;
	char *release;		/* NULL: the file does not say */
};

void image_load(struct image *image, const char *path);

/* btf.c */

enum btf_kind {
	K_VOID, K_INT, K_PTR, K_ARRAY, K_STRUCT, K_UNION, K_ENUM, K_FWD,
	K_TYPEDEF, K_VOLATILE, K_CONST, K_RESTRICT, K_FUNC, K_FUNC_PROTO,
	K_VAR, K_DATASEC, K_FLOAT, K_DECL_TAG, K_TYPE_TAG, K_ENUM64,
	K_MAX = K_ENUM64,
};

struct type {
	enum btf_kind kind;
	bool kind_flag;		/* bitfields, signed enum, or FWD of a union */
	uint32_t vlen;
	uint32_t size;		/* size or referred type */
	const char *name;	/* never NULL */
	const uint8_t *extra;	/* what follows the common part */
};

struct member {
	const char *name;
	uint32_t type;
	uint32_t bit_off;
	uint32_t bits;		/* 0: not a bitfield */
};

struct array {
	uint32_t elem;
	uint32_t nelems;
};

struct param {
	const char *name;
	uint32_t type;		/* 0 at the end: variadic */
};

struct enumerator {
	const char *name;
	int64_t value;
};

struct btf {
	const char *path;
	struct type *types;	/* types[0] is void */
	uint32_t nr;
	const char *strings;
	uint32_t strings_size;
};

void btf_parse(struct btf *btf, const struct image *image);
struct member btf_member(const struct btf *btf, uint32_t id, uint32_t i);
struct array btf_array(const struct btf *btf, uint32_t id);
struct param btf_param(const struct btf *btf, uint32_t id, uint32_t i);
struct enumerator btf_enumerator(const struct btf *btf, uint32_t id, uint32_t i);

/* The only type of that kind and name; 0 if there is none. Two that differ: die. */
uint32_t btf_find(const struct btf *btf, enum btf_kind kind, const char *name);
/* Without const, volatile, restrict, tags; with typedefs resolved too. */
uint32_t btf_strip(const struct btf *btf, uint32_t id);
uint32_t btf_resolve(const struct btf *btf, uint32_t id);
bool btf_is_const(const struct btf *btf, uint32_t id);
uint32_t btf_size(const struct btf *btf, uint32_t id);
uint32_t btf_align(const struct btf *btf, uint32_t id);
/* FUNC_PROTO behind a function, a pointer to one or a typedef; 0 if none. */
uint32_t btf_proto(const struct btf *btf, uint32_t id);
bool btf_is_aggregate(const struct btf *btf, uint32_t id);

/* list.c */

enum item_kind {
	I_INCLUDE, I_STRUCT, I_UNION, I_ENUM, I_TYPEDEF, I_FUNC, I_VAR,
	I_TRACEPOINT, I_FACT, I_OPS, I_MARK,
};

struct item {
	enum item_kind kind;
	bool optional;
	unsigned int line;
	const char *type;	/* I_VAR: its type as C text */
	const char *name;
	const char *member;	/* I_FACT, I_MARK */
	const char *text;	/* I_MARK */
};

struct list {
	const char *path;
	struct item *items;
	size_t nr;
};

void list_read(struct list *list, const char *path);
void list_print_includes(const struct list *list, FILE *out);

/* known.c */

struct known {
	struct set structs;	/* with a body: struct, union and enum tags */
	struct set unions;
	struct set enums;
	struct set typedefs;
	struct set enumerators;
	struct set decls;	/* functions and variables; "body": a function inline */
};

void known_scan(struct known *known, const char *path);
bool known_tag(const struct known *known, enum btf_kind kind, const char *name);
void symvers_read(struct set *exported, const char *path);

/* emit.c, facts.c */

struct job {
	const struct btf *btf;
	const struct list *list;
	struct known *known;
	const struct set *exported;	/* value: module, "vmlinux" for built in */
	FILE *out;
	struct set emitted;		/* "struct x": defined by us */
	struct set forward;		/* "struct x": declared by us */
};

/* The type of a listed struct, union, enum, typedef; 0 if it may be missing. */
uint32_t item_type(const struct job *job, const struct item *item);
/* FUNC of a listed function that can be called; 0 if BTF lacks it. */
uint32_t item_func(const struct job *job, const struct item *item, bool *callable);
bool find_member(const struct btf *btf, uint32_t id, const char *name, struct member *found);

void emit_types(struct job *job);
void emit_functions(struct job *job);
void emit_facts(struct job *job);
void emit_asserts(struct job *job);

#endif
