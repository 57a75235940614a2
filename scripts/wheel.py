#!/usr/bin/env python3
"""A wheel of the Python package that a build has made, without pip and without the network.

    scripts/wheel.py [BUILD_DIR] [OUT_DIR]        build/release, out/wheel

The same build gives the same bytes. `pip install --no-index OUT_DIR/capstan-*.whl` installs it.
"""

import base64
import hashlib
import re
import sys
import sysconfig
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DAY = (1980, 1, 1, 0, 0, 0)  # the earliest that a ZIP file can have

METADATA = """Metadata-Version: 2.1
Name: capstan
Version: {version}
Summary: Simulator of belt drives
License: Apache-2.0
Classifier: License :: OSI Approved :: Apache Software License
Classifier: Operating System :: POSIX :: Linux
Classifier: Programming Language :: C
Classifier: Programming Language :: Python :: 3
Classifier: Topic :: Scientific/Engineering
Requires-Python: >=3.11
Requires-Dist: numpy
Provides-Extra: tables
Requires-Dist: pandas; extra == "tables"
Requires-Dist: xarray; extra == "tables"
Provides-Extra: plots
Requires-Dist: matplotlib; extra == "plots"
Description-Content-Type: text/markdown

{text}"""

WHEEL = """Wheel-Version: 1.0
Generator: scripts/wheel.py
Root-Is-Purelib: false
Tag: {tag}
"""


def version_of(build: Path) -> str:
    found = re.search(r"^CMAKE_PROJECT_VERSION:STATIC=(.*)$", (build / "CMakeCache.txt").read_text(), re.M)
    if not found:
        sys.exit(f"wheel.py: {build}/CMakeCache.txt names no version")
    return found[1]


def contents_of(build: Path, version: str, tag: str) -> dict[str, bytes]:
    package = build / "python" / "capstan"
    if not (package / "_capstan.abi3.so").exists():
        sys.exit(f"wheel.py: {package} has no extension module: build the target capstan_python first")
    wanted = {path.name for path in (ROOT / "python" / "capstan").iterdir() if path.suffix != ".pyc" and path.is_file()}
    files = {f"capstan/{name}": (package / name).read_bytes() for name in [*wanted, "_capstan.abi3.so"]}
    text = "Belt drives from Python: run model files, drive them step by step, look at results.\n"
    info = f"capstan-{version}.dist-info"
    files[f"{info}/METADATA"] = METADATA.format(version=version, text=text).encode()
    files[f"{info}/WHEEL"] = WHEEL.format(tag=tag).encode()
    for name in ("LICENSE", "NOTICE"):
        files[f"{info}/{name}"] = (ROOT / name).read_bytes()
    return dict(sorted(files.items()))


def record_of(files: dict[str, bytes], name: str) -> bytes:
    lines = []
    for path, data in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        lines.append(f"{path},sha256={digest},{len(data)}\n")
    return "".join([*lines, f"{name},,\n"]).encode()


def main() -> None:
    build = Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "build" / "release")
    out = Path(sys.argv[2] if len(sys.argv) > 2 else ROOT / "out" / "wheel")
    version = version_of(build)
    tag = "cp311-abi3-" + re.sub(r"[-.]", "_", sysconfig.get_platform())
    files = contents_of(build, version, tag)
    record = f"capstan-{version}.dist-info/RECORD"
    files[record] = record_of(files, record)
    out.mkdir(parents=True, exist_ok=True)
    wheel = out / f"capstan-{version}-{tag}.whl"
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for path, data in files.items():
            entry = zipfile.ZipInfo(path, DAY)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (0o100755 if path.endswith(".so") else 0o100644) << 16
            archive.writestr(entry, data)
    print(wheel)


if __name__ == "__main__":
    main()
