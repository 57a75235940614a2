#!/usr/bin/env bash
# A disk that is full, and one that cannot be written: a clear error, what is finished stays, --resume continues when
# there is room. Needs a small file system of its own (root).
source "$(dirname "$0")/study_lib.sh"
model 200
study 12
mkdir full still
if ! mount -t tmpfs -o size=400k tmpfs full 2>why; then
  echo "skipped: no small file system can be mounted here ($(tr '\n' ' ' <why)), which a full disk needs"
  exit 77
fi
expect 0 study s.yaml -j 2 -o straight

expect 2 study s.yaml -j 2 -o full/s
says 'No space left on device'
says 'full/s/'
says '--resume continues'
n=$(count full/s)
[ "$n" -gt 0 ] && [ "$n" -lt 24 ] || fail "$n cases fit on the small disk: another size is needed"
[ ! -e full/s/study.h5 ] || fail "a full disk has a collected file"
for file in full/s/runs/*.h5; do same "$file" "straight/runs/$(basename "$file")"; done
stat -c '%i %.9Y %n' full/s/runs/*.h5 >before
expect 2 study s.yaml -j 2 -o full/s --resume
says 'No space left on device'
mount -o remount,size=16m full
expect 0 study s.yaml -j 2 -o full/s --resume
same straight/study.h5 full/s/study.h5
stat -c '%i %.9Y %n' full/s/runs/*.h5 >after
[ "$(comm -12 <(sort before) <(sort after) | wc -l)" = "$n" ] || fail "finished cases were computed again"

# nothing at all fits: nothing is left behind
mount -t tmpfs -o size=4k tmpfs still
expect 2 study s.yaml -o still/s
says 'No space left on device'
[ -z "$(ls -A still)" ] || fail "something was left behind: $(ls -AR still)"
mount -o remount,ro still
expect 2 study s.yaml -o still/s
says 'Read-only file system'
mount -o remount,rw,size=16m still
expect 0 study s.yaml -o still/s --quiet
mount -o remount,ro still
expect 2 study s.yaml -o still/s --resume
says 'Read-only file system'
echo "$n of 24 cases fitted, the rest came when there was room"
