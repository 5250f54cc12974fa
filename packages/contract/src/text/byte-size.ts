const units = ['kB', 'MB', 'GB', 'TB', 'PB'] as const

/** In powers of a thousand, as browsers and disks count: "312 B", "45.2 kB", "1.3 GB". */
export function formatBytes(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`
  let value = bytes
  let unit: string = 'B'
  for (const next of units) {
    // 999,950 would round to 1000.0 kB.
    if (value < 999.95) break
    value /= 1000
    unit = next
  }
  return `${value.toFixed(1)} ${unit}`
}
