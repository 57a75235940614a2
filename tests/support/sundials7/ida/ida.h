/* See ../declarations.h. */
#pragma once
#include "../declarations.h"

#define IDA_ONE_STEP       2
#define IDA_SUCCESS        0
#define IDA_TSTOP_RETURN   1
#define IDA_TOO_MUCH_ACC   -2
#define IDA_ERR_FAIL       -3
#define IDA_CONV_FAIL      -4
#define IDA_LSETUP_FAIL    -6
#define IDA_LSOLVE_FAIL    -7
#define IDA_REP_RES_ERR    -9
#define IDA_FIRST_RES_FAIL -12
#define IDA_MEM_NULL       -20
#define IDA_ILL_INPUT      -22

typedef int (*IDAResFn)(sunrealtype t, N_Vector y, N_Vector yp, N_Vector residual, void *self);
typedef int (*IDAEwtFn)(N_Vector y, N_Vector weights, void *self);
typedef int (*IDALsJacFn)(sunrealtype t, sunrealtype cj, N_Vector y, N_Vector yp, N_Vector residual,
                          SUNMatrix jacobian, void *self, N_Vector a, N_Vector b, N_Vector c);

void *IDACreate(SUNContext context);
int IDAInit(void *memory, IDAResFn residual, sunrealtype t, N_Vector y, N_Vector yp);
int IDAReInit(void *memory, sunrealtype t, N_Vector y, N_Vector yp);
int IDAWFtolerances(void *memory, IDAEwtFn weights);
int IDASetUserData(void *memory, void *self);
int IDASetLinearSolver(void *memory, SUNLinearSolver solver, SUNMatrix a);
int IDASetJacFn(void *memory, IDALsJacFn jacobian);
int IDASetId(void *memory, N_Vector id);
int IDASetSuppressAlg(void *memory, int suppress);
int IDASetDeltaCjLSetup(void *memory, sunrealtype change);
int IDASetMaxNumSteps(void *memory, long most);
int IDASetInitStep(void *memory, sunrealtype step);
int IDASetMinStep(void *memory, sunrealtype least);
int IDASetStopTime(void *memory, sunrealtype t);
int IDASolve(void *memory, sunrealtype t_end, sunrealtype *t, N_Vector y, N_Vector yp, int task);
char *IDAGetReturnFlagName(long flag);
void IDAFree(void **memory);
