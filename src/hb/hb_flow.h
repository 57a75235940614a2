/* hb/hb_flow.h — the linearised motion along a balanced orbit, step by step; the inside of hb_stability. */
#pragma once
#include "hb/hb.h"

enum { CAP_HB_FLOW_MOST = 512 }; /* states */

/* States that the monodromy matrix has: 2 nfree + memories. */
int cap_hb_flow_states(const cap_hb *hb);
/* Doubles of working memory for any of the functions below. */
size_t cap_hb_flow_work(const cap_hb *hb);

/* Which way suits. */
bool cap_hb_flow_has_memory(const cap_hb *hb);
bool cap_hb_flow_is_piecewise(const cap_hb *hb);

/* monodromy[n][n] over one base period at base angular frequency w; the laws hold the orbit (cap_hb_sample,
 * or for
 * the first an evaluation). */
cap_status cap_hb_flow_pieces(const cap_hb *hb, double w, double *monodromy, double *work);
cap_status cap_hb_flow_smooth(const cap_hb *hb, double w, double *monodromy, double *work);
cap_status cap_hb_flow_memory(const cap_hb *hb, double w, double *monodromy, double *work);
