#!/usr/bin/env bash
# The notebook of examples/python, executed from its first cell to the last, in make test-all.
set -euo pipefail
cd "$(dirname "$0")/../.."
. tests/python/run.sh
[ "${CAPSTAN_LEVEL:-test}" = all ] || skip "make test-all executes the notebook"
need numpy matplotlib pandas nbclient ipykernel
cp -r examples/python "$work/python"
cp examples/*.yaml "$work/"
cd "$work/python"
export HOME=$work IPYTHONDIR=$work/ipython MPLBACKEND=agg
"$python" - <<'CODE'
import sys
import nbclient, nbformat
from jupyter_client.kernelspec import KernelSpec, KernelSpecManager
from jupyter_client.manager import AsyncKernelManager

class Here(KernelSpecManager):  # the kernel of this interpreter, whatever is installed
    def get_kernel_spec(self, name):
        return KernelSpec(argv=[sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"],
                          display_name="Python 3", language="python")

notebook = nbformat.read("first_steps.ipynb", as_version=4)
manager = AsyncKernelManager(kernel_spec_manager=Here())
nbclient.NotebookClient(notebook, km=manager, timeout=300).execute()
shown = [o for cell in notebook.cells for o in cell.get("outputs", []) if "text/html" in o.get("data", {})]
frames = [o for o in shown if "<iframe sandbox" in "".join(o["data"]["text/html"])]
assert frames, "the report is not shown"
print(f"{len(notebook.cells)} cells, {len(frames)} report")
CODE
