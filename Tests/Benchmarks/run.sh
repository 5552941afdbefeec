#!/bin/sh
# Times `mirror` against other download programs, side by side in one run, on this machine alone.
#
#   sh Tests/Benchmarks/run.sh                        SMALL, MIXED, LARGE, NOOP, NOOP-HTTP, NOOP-GCS; five rounds
#   sh Tests/Benchmarks/run.sh SMALL LARGE --rounds 3
#
#   --rounds N      rounds of each workload; default 5. In each, every program runs once, so that a busy moment of the
#                   machine meets them all.
#   --scale N       a hundredth part of each workload times N; default 100. 10 = a tenth of the files or of the bytes.
#   --tools LIST    of curl,aria2,wget2,rclone; default all. mirror is always there. Three more are for comparison:
#                   aria2-sums is aria2 with the sha256 of every file and 16 ranges of the large ones, so that it too does
#                   full work; floor and floor-sums (floor.c) are bare loops on libcurl, the least that a program by
#                   libcurl costs on this machine, plain and with the sha256, time and atomic name of every file.
#   --mirror FILE   the program to time; default: the release build of this tree, which is brought up to date first.
#   --max-time S    begin no further round after S seconds; default 1200.
#   --disk DIR      where SMALL-DISK writes; default /var/tmp. In each round every program has a folder that never was.
#   --netem         take the 20 ms from the kernel (netem on loopback in a network namespace, which needs root), not from
#                   the proxy in delay.c; of the workloads only those with 20MS can run then.
#   --keep          leave the working folder where it is, and say where.
#
# | workload | what is fetched |
# | --- | --- |
# | SMALL | 10,000 files of 4 KiB, HTTP/1.1, 32 connections |
# | SMALL-H2 | the same over TLS with HTTP/2, 16 streams a program |
# | MIXED | 2,000 files of log-normal sizes, 1 GiB together, 16 connections |
# | LARGE | 4 files of 512 MiB, 4 connections |
# | NOOP | SMALL once more, when all of it is there: mirror has pinned hashes, the others what they have |
# | NOOP-HTTP | the same, but mirror too has nothing to go by but the server's validators |
# | NOOP-GCS | SMALL once more, from a bucket of storage-emulator by its lists; mirror and rclone |
# | SMALL-DISK | SMALL onto a disk; mirror syncs what it wrote, the others sync nothing |
# | SMALL-GCS | SMALL as a tree of a bucket that nginx answers for, with ten pages of a list; mirror and rclone |
# | SMALL-20MS | SMALL with 20 ms each way and mirror's own limits; curl and the others with 64 connections |
# | LARGE-20MS | LARGE with 20 ms each way and mirror's own limits; aria2 with 16 connections a file |
# | TREE-10K, TREE-100K, TREE-1M | a tree of so many empty objects, once more when all are there; mirror and rclone, \
#   which is left out of the last |
# | PINNED-10K, PINNED-100K | so many small files with pinned hashes, once more when all are there; mirror alone |
#
# With 20 ms each way one connection carries at most 100 MiB/s, as with the 4 MiB that Linux lets be under way by default.
# When two TREE or two PINNED workloads were run, a last table compares them: it should show the same memory and time per
# object.
#
# mirror does its full work: every byte is held against a pinned sha256 (NOOP-HTTP, NOOP-GCS: against what the server
# names), state and report are written. The other programs verify nothing, but for aria2-sums.
#
# The table has medians: wall seconds, CPU seconds of the program (user and system), peak memory in MiB; and the same as
# ratios to curl (NOOP-GCS: to rclone). All files lie in memory (TMPDIR or /dev/shm), because a disk that has just freed
# ten thousand files is slow for minutes. The server is nginx with one worker process. Peers come from Debian packages
# (curl, aria2, wget2, rclone); those that are missing are named and left out.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
. "$here/corpus.sh"
. "$here/servers.sh"
. "$here/programs.sh"

usage() {
  echo "usage: sh Tests/Benchmarks/run.sh [WORKLOAD…] [--rounds N] [--scale N] [--tools LIST] [--mirror FILE]" >&2
  echo "       [--max-time S] [--disk DIR] [--netem] [--keep]" >&2
  exit 2
}

need() {
  [ $# -ge 2 ] || usage
  printf '%s\n' "$2"
}

workloads=
rounds=5
scale=100
tools=curl,aria2,wget2,rclone
mirror=
max_time=1200
disk=/var/tmp
netem=
keep=
arguments=$*
while [ $# -gt 0 ]; do
  case $1 in
    SMALL | SMALL-H2 | MIXED | LARGE | NOOP | NOOP-HTTP | NOOP-GCS | SMALL-20MS | LARGE-20MS) workloads="$workloads $1"; shift; continue ;;
    SMALL-DISK | SMALL-GCS | TREE-10K | TREE-100K | TREE-1M | PINNED-10K | PINNED-100K) workloads="$workloads $1"; shift; continue ;;
    --keep) keep=yes; shift; continue ;;
    --netem) netem=yes; shift; continue ;;
    --disk) disk=$(need "$@") ;;
    --rounds) rounds=$(need "$@") ;;
    --scale) scale=$(need "$@") ;;
    --tools) tools=$(need "$@") ;;
    --mirror) mirror=$(need "$@") ;;
    --max-time) max_time=$(need "$@") ;;
    *) usage ;;
  esac
  shift 2
done
[ -n "$workloads" ] || workloads="SMALL MIXED LARGE NOOP NOOP-HTTP NOOP-GCS"

for program in nginx /usr/bin/time openssl curl; do
  command -v "$program" >/dev/null || {
    echo "run.sh: $program is missing (apt-get install nginx time openssl curl)" >&2
    exit 1
  }
done

if [ -n "$netem" ] && [ -z "${MIRROR_BENCH_NETEM:-}" ]; then
  for workload in $workloads; do
    case $workload in *-20MS) ;; *) usage ;; esac
  done
  # shellcheck disable=SC2016,SC2086
  MIRROR_BENCH_NETEM=yes exec unshare --net sh -c \
    'ip link set lo up && tc qdisc add dev lo root netem delay 20ms limit 100000 && exec sh "$0" "$@"' "$0" $arguments
fi

if [ -z "$mirror" ]; then
  (cd "$root" && swift build -c release --static-swift-stdlib --product mirror >&2)
  mirror=$(cd "$root" && swift build -c release --static-swift-stdlib --show-bin-path)/mirror
fi

work=$(mktemp -d "${TMPDIR:-/dev/shm}/mirror-bench.XXXXXX")
disk=$(mktemp -d "$disk/mirror-bench.XXXXXX")
clean_up() {
  stop_servers
  if [ -n "$keep" ]; then echo "run.sh: kept $work $disk" >&2; else rm -rf "$work" "$disk"; fi
}
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# run NAME LOG COMMAND…: times the command and adds a line `NAME wall cpu memory` to LOG. What it says is in $work/said.
run() {
  name=$1 log=$2
  shift 2
  status=0
  /usr/bin/time -q -o "$work/time" -f '%e %U %S %M' timeout 300 "$@" >"$work/said" 2>&1 </dev/null || status=$?
  if [ "$status" -ne 0 ]; then
    echo "run.sh: $name ended with $status: $(tail -n 3 "$work/said")" >&2
    return 0
  fi
  awk -v name="$name" '{ printf "%s %s %.3f %.1f\n", name, $1, $2 + $3, $4 / 1024 }' "$work/time" >>"$log"
}

# Programs that are there, in the order in which they run.
chosen=mirror
for tool in $(echo "$tools" | tr ',' ' '); do
  [ "$tool" != mirror ] || continue
  binary=$tool
  case $tool in
    aria2*) binary=aria2c ;;
    floor*) build_floor && binary=$work/floor || continue ;;
  esac
  if command -v "$binary" >/dev/null; then
    chosen="$chosen $tool"
  else
    echo "run.sh: $tool is not installed (apt-get install $tool) and left out" >&2
  fi
done

begun=$(date +%s)
for workload in $workloads; do
  prepare "$workload"
  log=$work/$workload.log
  round=0
  while [ "$round" -lt "$rounds" ]; do
    if [ $(($(date +%s) - begun)) -ge "$max_time" ]; then
      echo "run.sh: the time is up after $round rounds of $workload" >&2
      break
    fi
    round=$((round + 1))
    [ "$workload" != SMALL-DISK ] || fresh_folder "$workload" "$round"
    for tool in $chosen; do
      plays "$tool" "$workload" || continue
      [ "$persistent" = yes ] || [ "$workload" = SMALL-DISK ] || rm -rf "${to:?}/$tool"
      mkdir -p "$to/$tool"
      "with_$(echo "$tool" | tr - _)" "$workload" "$log"
      [ "$persistent" = yes ] || check_files "$tool"
    done
  done
  rm -rf "$work/to"
  [ ! -s "$log" ] || awk -v workload="$workload" -v base="$base" -f "$here/table.awk" "$log"
done

for kind in TREE PINNED; do
  logs=
  for size in 10K 100K 1M; do
    [ ! -s "$work/$kind-$size.log" ] || logs="$logs $work/$kind-$size.log"
  done
  # shellcheck disable=SC2086
  [ "$(echo $logs | wc -w)" -lt 2 ] || awk -v scale="$scale" -f "$here/growth.awk" $logs
done
