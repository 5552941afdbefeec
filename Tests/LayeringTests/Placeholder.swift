// Placeholder until the target's first file; removed with it.
