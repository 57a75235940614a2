/* tests/support/sundials7/declarations.h — what Capstan uses of SUNDIALS 7, declared by ourselves.
 *
 * With them the code for version 7 is compiled where version 6 is installed (unit/sundials7). Nothing of
 * version 6 is here that 7 has not. Where the headers of version 7 are installed the same test reads this
 * after them: then every line must agree with theirs.
 */
#pragma once
#include <stdint.h>

#define SUNDIALS_VERSION_MAJOR 7

typedef double sunrealtype;
#ifdef SUNDIALS_INDEX_TYPE /* as it was built; Debian's has 32 bits */
typedef SUNDIALS_INDEX_TYPE sunindextype;
#else
typedef int64_t sunindextype;
#endif
typedef int SUNErrCode;
typedef struct SUNContext_ *SUNContext;
typedef struct SUNLogger_ *SUNLogger;
typedef struct _generic_N_Vector *N_Vector;
typedef struct _generic_SUNMatrix *SUNMatrix;
typedef struct _generic_SUNLinearSolver *SUNLinearSolver;
#ifndef SUN_COMM_NULL /* built with MPI: its own */
#define SUN_COMM_NULL 0
typedef int SUNComm;
#endif

SUNErrCode SUNContext_Create(SUNComm comm, SUNContext *context);
SUNErrCode SUNContext_ClearErrHandlers(SUNContext context);
SUNErrCode SUNContext_SetLogger(SUNContext context, SUNLogger logger);
SUNErrCode SUNContext_Free(SUNContext *context);

N_Vector N_VNew_Serial(sunindextype n, SUNContext context);
sunrealtype *N_VGetArrayPointer(N_Vector v);
void N_VConst(sunrealtype c, N_Vector v);
void N_VDestroy(N_Vector v);

SUNMatrix SUNDenseMatrix(sunindextype m, sunindextype n, SUNContext context);
sunrealtype *SUNDenseMatrix_Column(SUNMatrix a, sunindextype j);
SUNErrCode SUNMatZero(SUNMatrix a);
void SUNMatDestroy(SUNMatrix a);
#ifndef SM_COLUMN_D
#define SM_COLUMN_D(a, j)     SUNDenseMatrix_Column(a, j)
#define SM_ELEMENT_D(a, i, j) (SUNDenseMatrix_Column(a, j)[i])
#endif

SUNLinearSolver SUNLinSol_Dense(N_Vector v, SUNMatrix a, SUNContext context);
SUNErrCode SUNLinSolFree(SUNLinearSolver solver);
