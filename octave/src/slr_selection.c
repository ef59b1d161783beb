/* calc_SCval of the SLR toolbox. */
#include <math.h>
#include <string.h>

#include "arguments.h"
#include "commands.h"

/* (CVRes, COND, noweight, thres) -> SC, percent correct: how often each column is kept; the weight of a fold is its share of correct rows
 */
void selection_value(const Arguments* a) {
  const mxArray* const results = a->num_in > 0 ? a->in[0] : NULL;
  const bool noweight = a->num_in > 2 && !mxIsEmpty(a->in[2]) && number_of(a->in[2], "noweight") != 0;
  const double least = a->num_in > 3 && !mxIsEmpty(a->in[3]) ? number_of(a->in[3], "thres") : -1;
  mwSize n, k;
  double *sc, *correct;
  bool* seen;
  int64_t columns = -1;
  if (results == NULL || !mxIsStruct(results) || mxIsEmpty(results))
    fail(INVALID, "CVRes must be a struct array with one element for each fold, with ix_eff_all, g and errTable_te");
  n = mxGetNumberOfElements(results);
  for (k = 0; k < n; ++k) {
    const mxArray* const g = mxGetField(results, k, "g");
    const mxArray* const nfeat = g != NULL && mxIsStruct(g) ? mxGetField(g, 0, "nfeat") : NULL;
    const mxArray* const usebias = g != NULL && mxIsStruct(g) ? mxGetField(g, 0, "usebias") : NULL;
    double count;
    int64_t here;
    if (nfeat == NULL) fail(INVALID, "CVRes(%d).g has no field nfeat; it is the output parm of a fit", (int)k + 1);
    count = number_of(nfeat, "CVRes.g.nfeat");
    if (!(count >= 1 && count <= 1e9) || count != floor(count))
      fail(INVALID, "CVRes(%d).g.nfeat is %g; it must be a whole number from 1", (int)k + 1, count);
    here = (int64_t)count - (usebias == NULL || number_of(usebias, "CVRes.g.usebias") != 0 ? 1 : 0);
    if (columns >= 0 && here != columns)
      fail(INVALID, "CVRes(%d) has %d columns; the elements before it have %d", (int)k + 1, (int)here, (int)columns);
    columns = here;
  }
  if (columns < 1) fail(INVALID, "CVRes.g.nfeat is too small: no column is left");
  seen = (bool*)allocate((size_t)columns, sizeof(bool));
  a->out[0] = mxCreateDoubleMatrix(1, (mwSize)columns, mxREAL);
  sc = (double*)mxGetData(a->out[0]);
  {
    mxArray* const percent = mxCreateDoubleMatrix(n, 1, mxREAL);
    correct = (double*)mxGetData(percent);
    if (a->num_out > 1)
      a->out[1] = percent;
    else
      (void)keep_temporary(percent);
  }
  for (k = 0; k < n; ++k) {
    const mxArray* const table = mxGetField(results, k, "errTable_te");
    const mxArray* kept = mxGetField(results, k, "ix_eff_all");
    mwSize c, cells = 1;
    double weight;
    if (table != NULL) {
      const ardvark_matrix counts = square_of(table, "CVRes.errTable_te", (int64_t)mxGetM(table));
      const double* const count = (const double*)counts.data;
      double right = 0, all = 0;
      int64_t i, j;
      if (counts.type != ARDVARK_FLOAT64) fail(INVALID, "CVRes.errTable_te is single; it must be double");
      for (j = 0; j < counts.columns; ++j)
        for (i = 0; i < counts.rows; ++i) {
          all += count[i + j * counts.rows];
          if (i == j) right += count[i + j * counts.rows];
        }
      correct[k] = 100 * right / all;
    } else if (mxGetField(results, k, "Ncorrect_te") != NULL) {
      correct[k] = number_of(mxGetField(results, k, "Ncorrect_te"), "CVRes.Ncorrect_te");
    } else {
      fail(INVALID, "CVRes(%d) has neither errTable_te nor Ncorrect_te", (int)k + 1);
    }
    weight = least >= 0 || noweight ? 1 : correct[k] / 100;
    if (correct[k] / 100 < least) continue;
    if (kept == NULL) fail(INVALID, "CVRes(%d) has no field ix_eff_all", (int)k + 1);
    memset(seen, 0, (size_t)columns * sizeof(bool));
    if (mxIsCell(kept))
      cells = settings_.compat ? 1 : mxGetNumberOfElements(kept); /* the published program looks at the first class only */
    for (c = 0; c < cells; ++c) {
      const mxArray* const list = mxIsCell(kept) ? mxGetCell(kept, c) : kept;
      const double* const index = list == NULL || mxIsEmpty(list) ? NULL : list_of(list, "CVRes.ix_eff_all", -1, "");
      const mwSize count = index == NULL ? 0 : mxGetNumberOfElements(list);
      mwSize i;
      for (i = 0; i < count; ++i) {
        if (!(index[i] >= 1 && index[i] <= (double)columns) || index[i] != floor(index[i]))
          fail(INVALID, "CVRes(%d).ix_eff_all holds %g; it must be a column from 1 to %d", (int)k + 1, index[i], (int)columns);
        seen[(int64_t)index[i] - 1] = true;
      }
    }
    {
      int64_t j;
      for (j = 0; j < columns; ++j)
        if (seen[j]) sc[j] += weight;
    }
  }
}
