# Of each size of a workload: what a run that finds nothing to do takes, against the smallest. Reads the logs of mirror's runs.

function median(size,    sorted, i, j, value, column) {
  column = size SUBSEP "count"
  for (i = 1; i <= table[column]; i++) {
    value = table[size, i, wanted]
    for (j = i - 1; j >= 1 && sorted[j] > value; j--) sorted[j + 1] = sorted[j]
    sorted[j + 1] = value
  }
  return sorted[int((table[column] + 1) / 2)]
}

FNR == 1 { order[++sizes] = FILENAME }

$1 == "mirror" {
  round = ++table[FILENAME, "count"]
  table[FILENAME, round, "wall"] = $2
  table[FILENAME, round, "cpu"] = $3
  table[FILENAME, round, "memory"] = $4
}

END {
  printf "\n%-12s %8s %12s %12s   %6s %6s %6s  of the first\n", "mirror", "MiB", "wall us/obj", "CPU us/obj", "memory", \
    "wall", "CPU"
  for (i = 1; i <= sizes; i++) {
    size = order[i]
    name = size
    sub(/.*\//, "", name)
    sub(/\.log$/, "", name)
    objects = scale / 100 * (name ~ /-10K$/ ? 10000 : name ~ /-100K$/ ? 100000 : 1000000)
    wanted = "memory"; memory = median(size)
    wanted = "wall"; wall = median(size) / objects * 1e6
    wanted = "cpu"; cpu = median(size) / objects * 1e6
    if (i == 1) { memory1 = memory; wall1 = wall; cpu1 = cpu }
    printf "%-12s %8.1f %12.2f %12.2f   %6.2f %6.2f %6.2f\n", name, memory, wall, cpu, memory / memory1, wall / wall1, cpu / cpu1
  }
}
