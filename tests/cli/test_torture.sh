# Memory runs out in the program or in one of its libraries: it ends with a sentence, and never with another result. Some allocations
# only; `make torture` has more of them.
if [ "${CAPSTAN_SANITIZE:-OFF}" = ON ]; then
  echo "skipped: the sanitizers have an allocator of their own"
  exit 77
fi
case ${CAPSTAN_LEVEL:-test} in all) tries=400 ;; *) tries=50 ;; esac
exec scripts/torture.sh $tries
