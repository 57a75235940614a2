/* session/state.c — saved states: capstan_save, capstan_restore.
 *
 * head | values of the march (analysis/march.h) | digest of all before, 8 bytes. Numbers lie as in memory;
 * the head says in which byte order.
 */
#include "base/digest.h"
#include "session/session.h"
#include "version.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FORMAT = 1, DIGEST = 8 };

typedef struct head {
  char magic[8];
  uint32_t format, order; /* 0x01020304 where it was saved */
  char version[24];
  cap_hash128 identity;
  uint64_t size; /* of all bytes */
  double start;  /* of the march */
} head;

static const char magic[8] = {'C', 'A', 'P', 'S', 'T', 'A', 'T', 'E'};
enum { ORDER = 0x01020304 };

size_t capstan_save_size(const capstan_session *session)
{
  return session && session->started ? sizeof(head) + cap_march_size(&session->march) + DIGEST : 0;
}

static uint64_t digest_of(const void *bytes, size_t size)
{
  cap_digest digest;
  cap_digest_init(&digest);
  cap_digest_add(&digest, bytes, size);
  return cap_digest_value(&digest);
}

capstan_code capstan_save(capstan_session *session, void *to, size_t room)
{
  capstan_session *s = session;
  size_t size = capstan_save_size(s);
  if (!s || !s->started) return CAPSTAN_BAD_INPUT;
  if (!to || room < size)
    return cap_session_refuse(s, "room: expected at least %zu bytes, got %zu", size, to ? room : 0);
  head h = {.format = FORMAT, .order = ORDER, .identity = s->identity, .size = size, .start = s->march.start};
  memcpy(h.magic, magic, sizeof magic);
  snprintf(h.version, sizeof h.version, "%s", CAPSTAN_VERSION);
  memcpy(to, &h, sizeof h);
  cap_march_store(&s->march, (char *)to + sizeof h);
  uint64_t digest = digest_of(to, size - DIGEST);
  memcpy((char *)to + size - DIGEST, &digest, DIGEST);
  return cap_session_leave(s, cap_session_enter(s), CAP_OK);
}

capstan_code capstan_restore(capstan_session *session, const void *from, size_t size)
{
  capstan_session *s = session;
  head h;
  uint64_t digest;
  if (!s || !s->started) return CAPSTAN_BAD_INPUT;
  if (!from || size < sizeof h + DIGEST)
    return cap_session_refuse(s, "expected a saved state, got %zu bytes", from ? size : 0);
  memcpy(&h, from, sizeof h);
  if (memcmp(h.magic, magic, sizeof magic) != 0) return cap_session_refuse(s, "this is no saved state");
  if (h.format != FORMAT || h.order != ORDER)
    return cap_session_refuse(s,
                              "the saved state is of format %u, or of a machine of another kind; expected "
                              "format %d",
                              h.format, FORMAT);
  memcpy(&digest, (const char *)from + size - DIGEST, DIGEST);
  if (h.size != size || digest != digest_of(from, size - DIGEST))
    return cap_session_refuse(s, "the saved state is damaged: its %zu bytes do not have its digest", size);
  h.version[sizeof h.version - 1] = 0;
  if (strcmp(h.version, CAPSTAN_VERSION) != 0)
    return cap_session_refuse(s, "the state was saved by version %s; expected %s", h.version,
                              CAPSTAN_VERSION);
  if (memcmp(&h.identity, &s->identity, sizeof h.identity) != 0 || size != capstan_save_size(s))
    return cap_session_refuse(s, "the state was saved from another model, or with another method, step or "
                                 "tolerance");
  cap_march_restore(&s->march, (const char *)from + sizeof h);
  s->march.start = h.start;
  s->looked = false;
  return cap_session_leave(s, cap_session_enter(s), CAP_OK);
}
