/** Every cycle that a walk along the edges runs into, each as the files in order, the first one again at the end. */
export function findCycles(edges: readonly { from: string; to: string }[]): string[][] {
  const next = Map.groupBy(edges, ({ from }) => from)
  const finished = new Set<string>()
  const cycles: string[][] = []

  const walk = (file: string, path: string[]) => {
    const start = path.indexOf(file)
    if (start >= 0) cycles.push([...path.slice(start), file])
    if (start >= 0 || finished.has(file)) return
    for (const { to } of next.get(file) ?? []) walk(to, [...path, file])
    finished.add(file)
  }
  for (const file of next.keys()) walk(file, [])
  return cycles
}
