import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect, Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { freePort } from '../free-port.ts'
import { pauseProcess } from '../pause-process.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { requirePeer } from './peers.ts'

export interface RunningRedis extends AsyncDisposable {
  url: string
  /** Halts the process: connections stay open, and nothing is answered. */
  pause(): void
  resume(): void
  stop(): Promise<void>
  /** Starts an empty one on the same port. */
  start(): Promise<void>
}

/** As with PostgreSQL: the shell waits on our pipe, so that nothing is left behind however we end. */
const stopWhenPipeCloses =
  'folder=$1; shift; "$@" >/dev/null & echo $!; read -r _; kill -KILL $!; wait $!; rm -rf "$folder"'

/** An empty Redis of its own on a free loopback port. It does not keep the process alive. */
export async function startRedis(): Promise<RunningRedis> {
  const port = await freePort()
  let server = await run(port)
  const stop = () => server.stop()
  return {
    url: `redis://127.0.0.1:${port}`,
    pause: () => pauseProcess(server.pid),
    resume: () => void process.kill(server.pid, 'SIGCONT'),
    stop,
    async start() {
      server = await run(port)
    },
    [Symbol.asyncDispose]: stop,
  }
}

async function run(port: number): Promise<{ pid: number; stop(): Promise<void> }> {
  const program = requirePeer('redis')
  const { path: folder } = await temporaryFolder('masthead-redis')
  const settings = { port, bind: '127.0.0.1', save: '', 'enable-debug-command': 'yes', dir: folder }
  const command = [program, ...Object.entries(settings).flatMap(([name, value]) => [`--${name}`, `${value}`])]
  const child = spawn('sh', ['-c', stopWhenPipeCloses, 'sh', folder, ...command], {
    stdio: ['pipe', 'pipe', 'ignore'],
    // A Ctrl-C in the terminal must reach us alone, or the shell would die before its clean-up.
    detached: true,
  })
  const exited = once(child, 'exit')
  const stop = async () => {
    child.ref()
    child.stdin.end()
    await exited
  }
  const [pid] = (await once(child.stdout.setEncoding('utf8'), 'data')) as [string]
  for (let attempt = 0; !(await answers(port)); attempt++) {
    if (attempt === 100) {
      await stop()
      throw new Error(`Redis did not start on port ${port}`)
    }
    await delay(50)
  }
  child.unref()
  for (const pipe of [child.stdin, child.stdout]) if (pipe instanceof Socket) pipe.unref()
  return { pid: Number(pid), stop }
}

async function answers(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  try {
    await once(socket, 'connect')
    socket.write('PING\r\n')
    const [reply] = (await once(socket, 'data')) as [Buffer]
    return reply.toString().startsWith('+PONG')
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}
