#!/bin/sh
# Fills one folder from many nodes: sh mirror.sh MANIFEST [SHARDS]
#
# Submits an array of as many tasks (8 unless given), each of which takes its part of the entries, and one job that brings
# them together when all have ended, whether well or not: what is missing then it reports, with exit status 9.
set -eu

manifest=$1
if [ -n "${SLURM_ARRAY_TASK_ID:-}" ]; then
  exec mirror apply --shard auto --log-format json "$manifest"
fi
shards=${2:-8}
array=$(sbatch --parsable --job-name=mirror --array="1-$shards" --requeue "$0" "$manifest")
sbatch --parsable --job-name=mirror-finalize --dependency="afterany:$array" \
  --wrap "exec mirror finalize --log-format json '$manifest'"
