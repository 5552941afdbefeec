#!/bin/sh
# Fuzzes every parser with libFuzzer, and keeps the inputs that reach new branches.
#
#   sh Tests/Fuzz/run.sh                             3 s each
#   sh Tests/Fuzz/run.sh --seconds 600               ten minutes each
#   sh Tests/Fuzz/run.sh --target manifest           only that one
#   sh Tests/Fuzz/run.sh --seconds 600 --keep        put what was found worth keeping into Tests/Fuzz/Corpora
#
# An input that breaks a property is left in .build-fuzz/found, and the script ends with 1. Put it into
# Tests/Fuzz/Corpora/TARGET with a telling name once it is mended: every test run walks over those files.
set -eu

usage() {
  echo "usage: sh Tests/Fuzz/run.sh [--seconds N] [--target NAME] [--keep]" >&2
  exit 2
}

seconds=3
targets=
keep=
while [ $# -gt 0 ]; do
  case $1 in
    --seconds) [ $# -ge 2 ] || usage; seconds=$2; shift 2 ;;
    --target) [ $# -ge 2 ] || usage; targets=$2; shift 2 ;;
    --keep) keep=yes; shift ;;
    *) usage ;;
  esac
done

root=$(cd "$(dirname "$0")/../.." && pwd)
cd "$root"
. Tests/packages.sh
need_swift
need_packages $build_packages

scratch=${MIRROR_SCRATCH:-.build-fuzz}
echo "== build"
# With optimisation: a slow parser finds nothing. Traps stay in.
swift build -c release --package-path Tests/Fuzz --scratch-path "$scratch" --product fuzz
fuzz=$scratch/release/fuzz
[ -n "$targets" ] || targets=$("$fuzz" --list)

mkdir -p "$scratch/found"
status=0
for target in $targets; do
  work=$scratch/corpus/$target
  mkdir -p "$work"
  "$fuzz" --seeds "$target" "$work"
  kept=Tests/Fuzz/Corpora/$target
  [ -d "$kept" ] || kept=
  # Leaks are looked for at the end and not after every input, and a state is a whole database.
  limit=4096
  [ "$target" != state ] || limit=131072
  log=$scratch/$target.log
  echo "== $target, $seconds s"
  "$fuzz" "$target" "$work" $kept -max_total_time="$seconds" -max_len=$limit -timeout=5 -rss_limit_mb=2048 \
    -detect_leaks=0 -artifact_prefix="$scratch/found/$target-" -print_final_stats=1 >"$log" 2>&1 || status=1
  awk '/cov: / { for (i = 1; i < NF; i++) if ($i == "cov:" || $i == "ft:") value[$i] = $(i + 1) }
       /stat::number_of_executed_units/ { runs = $2 }
       END { printf "   %d runs, %d branches, %d features\n", runs, value["cov:"], value["ft:"] }' "$log"
  grep -E 'mistreated|Fatal error|SUMMARY' "$log" || true
  if [ -n "$keep" ]; then
    mkdir -p "Tests/Fuzz/Corpora/$target"
    rm -rf "$scratch/small"
    mkdir -p "$scratch/small"
    "$fuzz" "$target" -merge=1 -max_len=512 "$scratch/small" "$work" $kept >>"$log" 2>&1 || true
    # A few small ones: what they reach beyond the seeds is what is worth a place.
    find "$scratch/small" -type f -size -1024c | sort | head -n 16 | while read -r file; do
      cp "$file" "Tests/Fuzz/Corpora/$target/$(basename "$file" | cut -c1-12)"
    done
  fi
done
found=$(find "$scratch/found" -type f | wc -l)
[ "$found" -eq 0 ] || echo "$found inputs in $scratch/found" >&2
exit $status
