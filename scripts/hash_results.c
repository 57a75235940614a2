/* What a result file holds, one line for each thing in it; and by how much a dataset of two files differs.
 * Used by scripts/same_results.sh, which compiles it: HDF5 alone, nothing of Capstan, so that both sides are
 * read by the same code.
 *
 *   hash_results FILE.h5                     PATH<tab>TYPE<tab>SHAPE<tab>HASH; attributes as PATH@NAME, groups as a line
 *   hash_results --whole FILE.h5...          one line for each file: its name, "file", number of lines, hash of the lines
 *   hash_results --differ A.h5 B.h5 PATH     largest absolute difference, where both are floating-point of one shape
 *   hash_results --left-out                  what is passed over
 *   hash_results --text < TEXT               hash of a text
 *
 * The hash (FNV-1a, 64 bits) is over the bytes of the values in the machine's own type: -0 is not 0, and one
 * NaN is not another. Of texts of variable length, their characters are hashed. */
#define _POSIX_C_SOURCE 200809L /* open_memstream */
#include <hdf5.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_BYTES = 1024, SHAPE_BYTES = 256 };

typedef struct values {
  void *bytes;      /* [n * size]; texts of variable length: char *[n] */
  size_t n, size;   /* values, bytes of one */
  bool real, words; /* floating-point; texts of variable length */
  char type[16], shape[SHAPE_BYTES];
} values;

static uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t n)
{
  const unsigned char *c = bytes;
  for (size_t i = 0; i < n; i++) hash = (hash ^ c[i]) * UINT64_C(0x100000001b3);
  return hash;
}

/* What two commits or machines cannot have in common: the program that made a file, the machine, and the
 * fingerprint of a study's case, which tells the cases of one program from those of another. */
static const char *const left_out[] = {"/meta@capstan_version", "/meta@git_hash", "/meta@compiler",
                                       "/meta@flags", "/meta@processor", "/meta@blas", "/meta@libm",
                                       "/case/fingerprint"};
enum { NLEFT_OUT = sizeof left_out / sizeof left_out[0] };

static const uint64_t hash_start = UINT64_C(0xcbf29ce484222325);

static void give_up(const char *what, const char *where)
{
  fprintf(stderr, "hash_results: %s: %s\n", where, what);
  exit(2);
}

/* Its letter and bits: f64, i64, u8, text (of variable length), text7 (of seven bytes), record16. */
static void name_type(hid_t type, values *v)
{
  size_t size = H5Tget_size(type);
  switch (H5Tget_class(type)) {
  case H5T_FLOAT:
    v->real = true;
    snprintf(v->type, sizeof v->type, "f%zu", 8 * size);
    return;
  case H5T_INTEGER:
    snprintf(v->type, sizeof v->type, "%c%zu", H5Tget_sign(type) == H5T_SGN_NONE ? 'u' : 'i', 8 * size);
    return;
  case H5T_STRING:
    v->words = H5Tis_variable_str(type) > 0;
    snprintf(v->type, sizeof v->type, v->words ? "text" : "text%zu", size);
    return;
  case H5T_ENUM:
    snprintf(v->type, sizeof v->type, "enum%zu", 8 * size);
    return;
  case H5T_OPAQUE:
    snprintf(v->type, sizeof v->type, "opaque%zu", size);
    return;
  default:
    return; /* without a name: refused */
  }
}

static void name_shape(hid_t space, values *v)
{
  hsize_t extent[H5S_MAX_RANK];
  int rank = H5Sget_simple_extent_dims(space, extent, NULL);
  if (H5Sget_simple_extent_type(space) == H5S_NULL) rank = -1;
  if (rank <= 0) snprintf(v->shape, sizeof v->shape, "%s", rank < 0 ? "empty" : "one");
  size_t at = 0;
  for (int i = 0; i < rank && at < sizeof v->shape; i++)
    at += (size_t)snprintf(v->shape + at, sizeof v->shape - at, "%s%" PRIuHSIZE, i ? "x" : "", extent[i]);
}

/* All values of a dataset or, with `attribute`, of an attribute; ends the program where it cannot. */
static values read_values(hid_t from, bool attribute, const char *where)
{
  values v = {0};
  hid_t stored = attribute ? H5Aget_type(from) : H5Dget_type(from);
  hid_t space = attribute ? H5Aget_space(from) : H5Dget_space(from);
  if (stored < 0 || space < 0) give_up("cannot be read", where);
  hid_t type = H5Tget_class(stored) == H5T_STRING ? H5Tcopy(stored)
                                                  : H5Tget_native_type(stored, H5T_DIR_DEFAULT);
  if (type < 0) give_up("has a type that is not known", where);
  name_type(type, &v);
  name_shape(space, &v);
  if (!v.type[0]) give_up("has a type that is not known", where);
  hssize_t n = H5Sget_simple_extent_npoints(space);
  v.n = n > 0 ? (size_t)n : 0;
  v.size = H5Tget_size(type);
  v.bytes = calloc(v.n + 1, v.size);
  if (!v.bytes) give_up("memory is exhausted", where);
  if (v.n) {
    herr_t bad = attribute ? H5Aread(from, type, v.bytes)
                           : H5Dread(from, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, v.bytes);
    if (bad < 0) give_up("cannot be read", where);
  }
  if (attribute && v.n == 1 && H5Tget_class(type) == H5T_STRING && !v.words) {
    /* whether an attribute's text has a fixed length is no matter */
    strcpy(v.type, "text");
    v.size = strnlen(v.bytes, v.size) + 1; /* calloc has put an end behind it */
  }
  H5Tclose(type), H5Tclose(stored), H5Sclose(space);
  return v;
}

static void free_values(values *v)
{
  if (v->words)
    for (size_t i = 0; i < v->n; i++) H5free_memory(((char **)v->bytes)[i]);
  free(v->bytes);
}

typedef struct listing {
  hid_t file;
  FILE *to;
  size_t nline;
  const char *path; /* of the object whose attributes are read */
} listing;

/* How dimensions are named and linked (HDF5's dimension scales): references to places in the file, no values. */
static bool is_dimension(const char *where)
{
  static const char *const links[] = {"@REFERENCE_LIST", "@DIMENSION_LIST", "@CLASS", "@NAME"};
  const char *at = strchr(where, '@');
  for (size_t i = 0; at && i < sizeof links / sizeof *links; i++)
    if (strcmp(at, links[i]) == 0) return true;
  return strstr(where, "/dimension ") != NULL;
}

static bool is_left_out(const char *where)
{
  if (is_dimension(where)) return true;
  for (size_t i = 0; i < NLEFT_OUT; i++)
    if (strcmp(where, left_out[i]) == 0) return true;
  return false;
}

/* What other programs want of a file and what says nothing new: names of dimensions, and units once more. */
static bool is_for_others(const char *attribute)
{
  static const char *const names[] = {"CLASS", "NAME", "REFERENCE_LIST", "DIMENSION_LIST", "units"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strcmp(attribute, names[i]) == 0) return true;
  return false;
}

static bool is_dimension(const char *path)
{
  const char *slash = strrchr(path, '/');
  return strncmp(slash ? slash + 1 : path, "dimension ", 10) == 0;
}

static void print_values(listing *l, values *v, const char *where)
{
  uint64_t hash = hash_start;
  if (!v->words) hash = hash_bytes(hash, v->bytes, v->n * v->size);
  for (size_t i = 0; v->words && i < v->n; i++) {
    const char *word = ((char **)v->bytes)[i];
    hash = word ? hash_bytes(hash, word, strlen(word) + 1)
                : hash_bytes(hash, "\1", 2); /* its end counts, too */
  }
  l->nline++;
  fprintf(l->to, "%s\t%s\t%s\t%016" PRIx64 "\n", where, v->type, v->shape, hash);
  free_values(v);
}

static herr_t print_attribute(hid_t object, const char *name, const H5A_info_t *info, void *context)
{
  (void)info;
  listing *l = context;
  char where[NAME_BYTES];
  if (snprintf(where, sizeof where, "%s@%s", l->path, name) >= (int)sizeof where)
    give_up("has a name that is too long", name);
  if (is_left_out(where) || is_for_others(name)) return 0;
  hid_t attribute = H5Aopen(object, name, H5P_DEFAULT);
  if (attribute < 0) give_up("cannot be opened", where);
  values v = read_values(attribute, true, where);
  print_values(l, &v, where);
  H5Aclose(attribute);
  return 0;
}

static void print_mark(listing *l, const char *where, const char *kind)
{
  l->nline++;
  fprintf(l->to, "%s\t%s\t-\t-\n", where, kind);
}

static void print_object(listing *l, const char *path)
{
  hid_t object = H5Oopen(l->file, path, H5P_DEFAULT);
  if (object < 0) give_up("cannot be opened", path);
  H5I_type_t kind = H5Iget_type(object);
  if (kind == H5I_GROUP) print_mark(l, path, "group");
  else if (kind == H5I_DATASET && is_left_out(path)) print_mark(l, path, "left-out");
  else if (kind == H5I_DATASET) {
    values v = read_values(object, false, path);
    print_values(l, &v, path);
  } else give_up("is neither group nor dataset", path);
  l->path = path;
  if (H5Aiterate2(object, H5_INDEX_NAME, H5_ITER_INC, NULL, print_attribute, l) < 0)
    give_up("has attributes that cannot be read", path);
  H5Oclose(object);
}

static herr_t print_link(hid_t root, const char *name, const H5L_info_t *info, void *context)
{
  (void)root;
  char path[NAME_BYTES];
  if (is_dimension(name)) return 0;
  if (snprintf(path, sizeof path, "/%s", name) >= (int)sizeof path)
    give_up("has a name that is too long", name);
  if (info->type == H5L_TYPE_HARD) print_object(context, path);
  else print_mark(context, path, "link");
  return 0;
}

static hid_t open_file(const char *name)
{
  hid_t file = H5Fopen(name, H5F_ACC_RDONLY, H5P_DEFAULT);
  if (file < 0) give_up("is no HDF5 file", name);
  return file;
}

static size_t print_file(const char *name, FILE *to)
{
  listing l = {.file = open_file(name), .to = to};
  print_object(&l, "/");
  if (H5Lvisit(l.file, H5_INDEX_NAME, H5_ITER_INC, print_link, &l) < 0) give_up("cannot be read", name);
  H5Fclose(l.file);
  return l.nline;
}

static void print_whole(const char *name)
{
  char *lines = NULL;
  size_t n = 0;
  FILE *to = open_memstream(&lines, &n);
  if (!to) give_up("memory is exhausted", name);
  size_t nline = print_file(name, to);
  if (fclose(to)) give_up("memory is exhausted", name);
  printf("%s\tfile\t%zu\t%016" PRIx64 "\n", name, nline, hash_bytes(hash_start, lines, n));
  free(lines);
}

/* PATH or PATH@NAME of a file; a thing without values or one that is not there has no type. */
static values read_one(const char *name, const char *path)
{
  char object_name[NAME_BYTES];
  snprintf(object_name, sizeof object_name, "%s", path);
  char *attribute_name = strrchr(object_name, '@');
  if (attribute_name) *attribute_name++ = '\0';
  values v = {0};
  hid_t file = open_file(name), object, attribute = -1;
  H5E_BEGIN_TRY
  {
    object = H5Oopen(file, object_name, H5P_DEFAULT);
  }
  H5E_END_TRY
  if (object < 0) {
    H5Fclose(file);
    return v;
  }
  if (attribute_name && H5Aexists(object, attribute_name) > 0)
    attribute = H5Aopen(object, attribute_name, H5P_DEFAULT);
  if (attribute >= 0) v = read_values(attribute, true, path);
  else if (!attribute_name && H5Iget_type(object) == H5I_DATASET) v = read_values(object, false, path);
  if (attribute >= 0) H5Aclose(attribute);
  H5Oclose(object);
  H5Fclose(file);
  return v;
}

static double real_at(const values *v, size_t i)
{
  return v->size == sizeof(float) ? (double)((float *)v->bytes)[i] : ((double *)v->bytes)[i];
}

static void print_difference(const values *a, const values *b)
{
  bool reals = a->real && b->real && a->size == b->size &&
               (a->size == sizeof(double) || a->size == sizeof(float));
  if (!reals || strcmp(a->shape, b->shape) != 0) {
    printf("%s %s, now %s %s\n", a->type[0] ? a->type : "nothing", a->shape, b->type[0] ? b->type : "nothing",
           b->shape);
    return;
  }
  double most = 0, scale = 0;
  size_t where = 0, ndiffer = 0, nnan = 0;
  for (size_t i = 0; i < a->n; i++) {
    const char *p = (const char *)a->bytes + i * a->size, *q = (const char *)b->bytes + i * b->size;
    double x = real_at(a, i), y = real_at(b, i), d = fabs(y - x);
    if (isfinite(x)) scale = fmax(scale, fabs(x));
    if (memcmp(p, q, a->size) == 0) continue;
    ndiffer++;
    if (isnan(d)) nnan++;
    else if (d > most) most = d, where = i;
  }
  printf("%zu of %zu values differ, at most by %.3g (value %zu; largest of all %.3g)", ndiffer, a->n, most,
         where, scale);
  if (nnan) printf(", %zu are NaN", nnan);
  putchar('\n');
}

static void hash_text(void)
{
  char piece[65536];
  uint64_t hash = hash_start;
  for (size_t n; (n = fread(piece, 1, sizeof piece, stdin)) > 0;) hash = hash_bytes(hash, piece, n);
  printf("%016" PRIx64 "\n", hash);
}

int main(int argc, char **argv)
{
  const char *how = argc > 1 ? argv[1] : "";
  if (argc == 2 && strcmp(how, "--text") == 0) hash_text();
  else if (argc == 2 && strcmp(how, "--left-out") == 0)
    for (size_t i = 0; i < NLEFT_OUT; i++) printf("%s%s", left_out[i], i + 1 < NLEFT_OUT ? " " : "\n");
  else if (argc > 2 && strcmp(how, "--whole") == 0)
    for (int i = 2; i < argc; i++) print_whole(argv[i]);
  else if (argc == 5 && strcmp(how, "--differ") == 0) {
    values a = read_one(argv[2], argv[4]), b = read_one(argv[3], argv[4]);
    print_difference(&a, &b);
    free_values(&a), free_values(&b);
  } else if (argc == 2 && how[0] != '-') print_file(how, stdout);
  else {
    fputs(
        "usage: hash_results FILE.h5 | --whole FILE.h5... | --differ A.h5 B.h5 PATH | --left-out | --text\n",
        stderr);
    return 2;
  }
  return fflush(stdout) == 0 && !ferror(stdout) ? 0 : 2;
}
