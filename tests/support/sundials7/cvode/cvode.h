/* See ../declarations.h. */
#pragma once
#include "../declarations.h"

#define CV_BDF          2
#define CV_NORMAL       1
#define CV_ONE_STEP     2
#define CV_SUCCESS      0
#define CV_ROOT_RETURN  2
#define CV_ERR_FAILURE  -3
#define CV_CONV_FAILURE -4
#define CV_MEM_NULL     -21

typedef int (*CVRhsFn)(sunrealtype t, N_Vector y, N_Vector rate, void *self);
typedef int (*CVRootFn)(sunrealtype t, N_Vector y, sunrealtype *g, void *self);
typedef int (*CVLsJacFn)(sunrealtype t, N_Vector y, N_Vector rate, SUNMatrix jacobian, void *self, N_Vector a,
                         N_Vector b, N_Vector c);

void *CVodeCreate(int method, SUNContext context);
int CVodeInit(void *memory, CVRhsFn rhs, sunrealtype t, N_Vector y);
int CVodeReInit(void *memory, sunrealtype t, N_Vector y);
int CVodeSVtolerances(void *memory, sunrealtype relative, N_Vector absolute);
int CVodeSetUserData(void *memory, void *self);
int CVodeSetLinearSolver(void *memory, SUNLinearSolver solver, SUNMatrix a);
int CVodeSetJacFn(void *memory, CVLsJacFn jacobian);
int CVodeSetMaxNumSteps(void *memory, long most);
int CVodeSetMinStep(void *memory, sunrealtype least);
int CVodeSetStopTime(void *memory, sunrealtype t);
int CVodeRootInit(void *memory, int n, CVRootFn roots);
int CVodeSetNoInactiveRootWarn(void *memory);
int CVode(void *memory, sunrealtype t_end, N_Vector y, sunrealtype *t, int task);
int CVodeGetRootInfo(void *memory, int *found);
int CVodeGetNumSteps(void *memory, long *n);
char *CVodeGetReturnFlagName(long flag);
void CVodeFree(void **memory);
