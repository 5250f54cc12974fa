const units = ['kB', 'MB', 'GB', 'TB']

/** "0 B", "999 B", "45.2 kB": decimal, as browsers and disks count. */
export function humanSize(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`
  let size = bytes / 1000
  let unit = 0
  while (size >= 999.95 && unit < units.length - 1) {
    size /= 1000
    unit++
  }
  return `${size.toFixed(1)} ${units[unit]}`
}

/** "1 file", "12 files" */
export function count(n: number, noun: string): string {
  return `${n.toLocaleString('en')} ${noun}${n === 1 ? '' : 's'}`
}
