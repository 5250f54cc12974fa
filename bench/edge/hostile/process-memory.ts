import { readdir, readFile } from 'node:fs/promises'

/** Bytes of memory that these processes use now. Linux only. */
export async function residentBytes(pids: readonly number[]): Promise<number> {
  let kilobytes = 0
  for (const pid of pids) {
    const status = await readFile(`/proc/${pid}/status`, 'utf8')
    kilobytes += Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1])
  }
  return kilobytes * 1024
}

/** Files and connections that these processes have open. Linux only. */
export async function descriptors(pids: readonly number[]): Promise<number> {
  let count = 0
  for (const pid of pids) count += (await readdir(`/proc/${pid}/fd`)).length
  return count
}
