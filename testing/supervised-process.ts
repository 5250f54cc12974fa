import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect, Socket } from 'node:net'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import { pauseProcess } from './pause-process.ts'

/** Whether each leads a group of its own, which is killed with it. */
const running = new Map<ChildProcess, boolean>()

/** Kills the child when this process ends or is interrupted, so that a broken test leaves no server behind. */
export function killOnExit(child: ChildProcess, leadsGroup = false): void {
  if (running.size === 0) {
    process.once('exit', killAll)
    process.once('SIGINT', killAllAndExit)
    process.once('SIGTERM', killAllAndExit)
  }
  running.set(child, leadsGroup)
  child.once('exit', () => {
    running.delete(child)
    if (running.size > 0) return
    process.off('exit', killAll)
    process.off('SIGINT', killAllAndExit)
    process.off('SIGTERM', killAllAndExit)
  })
}

function killAll(): void {
  for (const [child, leadsGroup] of running) {
    if (leadsGroup && child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
    else child.kill('SIGKILL')
  }
}

function killAllAndExit(): void {
  killAll()
  process.exit(1)
}

export interface SupervisedProcess {
  pid: number
  /** Halts the process: connections stay open, and nothing is answered. */
  pause(): void
  resume(): void
  stop(): Promise<void>
}

/**
 * The shell stands between us and the program and waits on our pipe. However this process ends, the pipe closes,
 * and the shell ends the program and removes its folder: nothing is left behind even by a SIGKILL. It says no word
 * about it, since nobody may be left to hear: the broken pipe would end it before its clean-up.
 */
const stopWhenPipeCloses =
  'folder=$1; shift; "$@" >&2 & echo $!; read -r _; exec 2>/dev/null; kill -KILL $!; wait $!; rm -rf "$folder"'

/** Two minutes: Pebble makes its keys first, which takes long on a very busy machine. */
const maxAttempts = 4800

/** Starts a server and waits until all of its loopback ports answer. It does not keep our process alive. */
export async function startSupervised({
  command,
  env = {},
  folder,
  ports,
  onLine = () => {},
}: {
  command: readonly string[]
  env?: Record<string, string>
  /** Its own, removed with it. */
  folder: string
  ports: readonly number[]
  /** Told every line that it writes. */
  onLine?: (line: string) => void
}): Promise<SupervisedProcess> {
  const child = spawn('sh', ['-c', stopWhenPipeCloses, 'sh', folder, ...command], {
    cwd: folder,
    env: { ...process.env, ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
    // A Ctrl-C in the terminal must reach us alone, or the shell would die before its clean-up.
    detached: true,
  })
  const exited = once(child, 'exit')
  const log: string[] = []
  createInterface({ input: child.stderr }).on('line', (line) => {
    onLine(line)
    log.push(line)
    if (log.length > 100) log.shift()
  })
  const stop = async () => {
    child.ref()
    child.stdin.end()
    await exited
  }
  const [pid] = (await once(child.stdout.setEncoding('utf8'), 'data')) as [string]
  for (const port of ports) {
    for (let attempt = 0; !(await accepts(port)); attempt++) {
      if (attempt === maxAttempts) {
        await stop()
        throw new Error(`${command[0]} did not start on port ${port}:\n${log.join('\n')}`)
      }
      await delay(25)
    }
  }
  child.unref()
  for (const pipe of child.stdio) if (pipe instanceof Socket) pipe.unref()
  return {
    pid: Number(pid),
    pause: () => pauseProcess(Number(pid)),
    resume: () => void process.kill(Number(pid), 'SIGCONT'),
    stop,
  }
}

async function accepts(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  try {
    await once(socket, 'connect')
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}
