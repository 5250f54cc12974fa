import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { endWithUs } from '@masthead/testing/end-with-us.ts'
import { OpenConnection } from '@masthead/testing/open-connection.ts'

export interface RunningServer {
  port: number
  stop(): Promise<void>
}

export interface ServerCommand {
  command: readonly string[]
  env?: Record<string, string>
  /** Null: wherever there is room. */
  core: number | null
  port: number
  /** Its own folder, removed with it. */
  work: { remove(): Promise<void> }
}

/** Starts a server on one core and waits until its port accepts connections. */
export async function startServer({ command, env, core, port, work }: ServerCommand): Promise<RunningServer> {
  const pinned = core === null ? command : ['taskset', '-c', String(core), ...command]
  const [program = '', ...words] = pinned
  const child = spawn(program, words, {
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  endWithUs(child)
  let errors = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors = (errors + text).slice(-4000)
  })
  const stop = async () => {
    if (child.exitCode === null && child.signalCode === null) {
      const exited = once(child, 'exit')
      child.kill('SIGTERM')
      await exited
    }
    await work.remove()
  }
  for (let attempt = 0; attempt < 100 && child.exitCode === null; attempt++) {
    using connection = await OpenConnection.to(port).catch(() => null)
    if (connection !== null) return { port, stop }
    await delay(50)
  }
  await stop()
  throw new Error(`${command[0]} did not start:\n${errors}`)
}
