# Lines `program wall cpu memory`, several of each program, become one table of medians.

function median(program, column,    sorted, count, i, j, value) {
  count = rounds[program]
  for (i = 1; i <= count; i++) {
    value = table[program, i, column]
    for (j = i - 1; j >= 1 && sorted[j] > value; j--) sorted[j + 1] = sorted[j]
    sorted[j + 1] = value
  }
  return count % 2 ? sorted[(count + 1) / 2] : (sorted[count / 2] + sorted[count / 2 + 1]) / 2
}

function ratio(value, of) { return of > 0 ? sprintf("%.2f", value / of) : "-" }

{
  if (!($1 in rounds)) order[++programs] = $1
  rounds[$1]++
  for (column = 2; column <= 4; column++) table[$1, rounds[$1], column] = $column
}

END {
  for (column = 2; column <= 4; column++) if (base in rounds) yardstick[column] = median(base, column)
  printf "\n%-11s %-10s %2s %8s %8s %8s   %6s %6s %6s  of %s\n", workload, "", "n", "wall s", "CPU s", "MiB", \
    "wall", "CPU", "memory", base
  for (i = 1; i <= programs; i++) {
    name = order[i]
    for (column = 2; column <= 4; column++) middle[column] = median(name, column)
    printf "%-11s %-10s %2d %8.2f %8.2f %8.1f   %6s %6s %6s\n", "", name, rounds[name], middle[2], middle[3], \
      middle[4], ratio(middle[2], yardstick[2]), ratio(middle[3], yardstick[3]), ratio(middle[4], yardstick[4])
  }
}
