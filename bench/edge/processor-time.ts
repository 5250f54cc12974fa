import { readdir, readFile, readlink } from 'node:fs/promises'

const listening = '0A'
/** `man 5 proc`: clock ticks, a hundred per second on every Linux. */
const ticksPerSecond = 100

/** Every process that listens on a loopback port: a server and its workers. Linux only. */
export async function processesOn(port: number): Promise<number[]> {
  const local = `:${port.toString(16).toUpperCase().padStart(4, '0')}`
  const sockets = (await readFile('/proc/net/tcp', 'utf8'))
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([, address, , state]) => address?.endsWith(local) && state === listening)
    .map((fields) => `socket:[${fields[9]}]`)
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number)
  const holds = await Promise.all(pids.map((pid) => holdsOneOf(pid, sockets)))
  return pids.filter((_, index) => holds[index])
}

/** Seconds of processor time these processes have used so far. */
export async function processorSeconds(pids: readonly number[]): Promise<number> {
  const each = await Promise.all(
    pids.map(async (pid) => {
      const stat = await readFile(`/proc/${pid}/stat`, 'utf8')
      // The program name before it may contain anything.
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
      return Number(fields[11]) + Number(fields[12])
    }),
  )
  return each.reduce((sum, ticks) => sum + ticks, 0) / ticksPerSecond
}

async function holdsOneOf(pid: number, sockets: readonly string[]): Promise<boolean> {
  const folder = `/proc/${pid}/fd`
  const files = await readdir(folder).catch(() => [])
  const links = await Promise.all(files.map((file) => readlink(`${folder}/${file}`).catch(() => '')))
  return links.some((link) => sockets.includes(link))
}
