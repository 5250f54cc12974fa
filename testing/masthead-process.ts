import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { freePort } from './free-port.ts'
import { programEnvironment, serverProgram } from './programs.ts'
import { killOnExit } from './supervised-process.ts'
import { temporaryFolder } from './temporary-folder.ts'

/** Under `npm start` the dashboard may be built first. */
const secondsToStart = 120

export interface MastheadOptions {
  /** A folder that stays afterwards; one that is removed otherwise. */
  dataFolder?: string
  env?: Record<string, string>
  /** A command that starts the command given to it, such as `['taskset', '-c', '0']`. */
  under?: string[]
  /** What is run at first instead of the server's program itself, such as `['npm', 'start']`. */
  command?: string[]
  /** Of another release; this one's otherwise. */
  program?: string
  /** For the program, at every start. */
  flags?: string[]
  /** In a process group of its own, as a service manager runs it, with an input that can be written to. */
  ownGroup?: boolean
  /** A descriptor for its standard output. `output` has only its errors then. */
  outputTo?: number
  /** For peers that must know them before it starts; free ones otherwise. */
  ports?: { http: number; https: number }
  /** The host that the API is asked by. Asked by its address, it never leads to HTTPS. */
  apiHost?: 'localhost' | '127.0.0.1'
}

/** The real server in a process of its own, on free ports, with data in a temporary folder. */
export class MastheadProcess implements AsyncDisposable {
  readonly origin: string
  readonly dataFolder: string
  readonly #env: NodeJS.ProcessEnv
  /** The next one first; the last is kept for every further start. */
  readonly #commands: string[][]
  readonly #ownGroup: boolean
  readonly #outputTo: number | 'pipe'
  readonly #removeData: () => Promise<void>
  #child: ChildProcess | undefined
  #output = ''

  static async start(options: MastheadOptions = {}): Promise<MastheadProcess> {
    const masthead = await MastheadProcess.prepare(options)
    try {
      await masthead.#spawn()
    } catch (error) {
      await masthead.stop()
      throw error
    }
    return masthead
  }

  /** Starts nothing yet: the first `restart` does. */
  static async prepare(options: MastheadOptions): Promise<MastheadProcess> {
    const data =
      options.dataFolder === undefined
        ? await temporaryFolder('masthead-data')
        : { path: options.dataFolder, remove: async () => {} }
    const ports = options.ports ?? { http: await freePort(), https: await freePort() }
    return new MastheadProcess(options, data.path, data.remove, ports)
  }

  private constructor(
    options: MastheadOptions,
    dataFolder: string,
    removeData: () => Promise<void>,
    ports: { http: number; https: number },
  ) {
    this.dataFolder = dataFolder
    this.#removeData = removeData
    this.origin = `http://${options.apiHost ?? 'localhost'}:${ports.http}`
    const { under = [], flags = [] } = options
    this.#commands = [[...under, process.execPath, options.program ?? serverProgram, ...flags]]
    if (options.command !== undefined) this.#commands.unshift(options.command)
    this.#ownGroup = options.ownGroup ?? false
    this.#outputTo = options.outputTo ?? 'pipe'
    this.#env = {
      ...programEnvironment,
      HOME: dataFolder,
      MASTHEAD_DATA: dataFolder,
      MASTHEAD_HTTP_PORT: String(ports.http),
      MASTHEAD_HTTPS_PORT: String(ports.https),
      // Several run at once, and its usual port is one.
      MASTHEAD_LAB_PORT: 'off',
      ...options.env,
    }
  }

  /** Everything the process has written, restarts included. */
  get output(): string {
    return this.#output
  }

  /** The one-time link that makes the first user. */
  get firstLink(): string {
    const link = /https?:\/\/\S*\/welcome#\S+/.exec(this.#output)?.[0]
    if (link === undefined) throw new Error(`No first link was printed:\n${this.#output}`)
    return link
  }

  get httpPort(): number {
    return Number(new URL(this.origin).port)
  }

  get httpsPort(): number {
    return Number(this.#env.MASTHEAD_HTTPS_PORT)
  }

  /** Sends a signal if there is still somebody to hear it. With `ownGroup` it can go to the whole group. */
  signal(signal: NodeJS.Signals, to: 'process' | 'group' = 'process'): void {
    const { pid, exitCode, signalCode } = this.#child ?? {}
    if (pid === undefined || exitCode !== null || signalCode !== null) return
    process.kill(to === 'group' ? -pid : pid, signal)
  }

  type(text: string): void {
    this.#child?.stdin?.write(text)
  }

  /** How the process ended, once it has. */
  async ended(): Promise<number | NodeJS.Signals> {
    const child = this.#child
    if (child === undefined) throw new Error('It was never started')
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
    return child.exitCode ?? child.signalCode ?? Number.NaN
  }

  /** Ends the process, by default without a warning, and keeps its data. */
  async kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    const child = this.#child
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
    const exited = once(child, 'exit')
    this.signal(signal, this.#ownGroup && signal === 'SIGKILL' ? 'group' : 'process')
    await exited
  }

  /**
   * Starts a process beside this one that takes over its ports. Resolves to how this one ended. If the new one does not
   * start, this one goes on.
   */
  async replace(): Promise<number | NodeJS.Signals> {
    const before = this.#child
    if (before === undefined) throw new Error('It was never started')
    const ended = once(before, 'exit')
    const next = this.#launch(['--replace'])
    const failed = once(next, 'exit').then(() => {
      if (before.exitCode !== null || before.signalCode !== null) return
      this.#child = before
      throw new Error(`The new process ended with ${next.exitCode}. The output of both:\n${this.#output}`)
    })
    failed.catch(() => {})
    await Promise.race([ended, failed])
    return before.exitCode ?? before.signalCode ?? Number.NaN
  }

  /** Runs the program beside this one with the same settings, until it ends. */
  async runBeside(flags: readonly string[] = [], env: Record<string, string> = {}) {
    const [command = '', ...args] = this.#commands.at(-1) ?? []
    const child = spawn(command, [...args, ...flags], {
      env: { ...this.#env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    killOnExit(child, false)
    let output = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text
      })
    }
    const [code] = await once(child, 'close')
    return { code: code as number | null, output }
  }

  /** Starts it again on the same ports and data. */
  async restart(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    await this.kill(signal)
    await this.#spawn()
  }

  async stop(): Promise<void> {
    await this.kill('SIGTERM')
    await this.#removeData()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop()
  }

  /** The process and those that it has started. Linux only. */
  async pids(): Promise<number[]> {
    const pid = this.#child?.pid
    const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')
    return [Number(pid), ...children.split(' ').filter(Boolean).map(Number)]
  }

  /** Bytes of memory in use now. Linux only. */
  rss(): Promise<number> {
    return this.#memory('VmRSS')
  }

  /** The most memory in use at any moment so far, in bytes. Linux only. */
  peakRss(): Promise<number> {
    return this.#memory('VmHWM')
  }

  /** Files and connections that are open now. Linux only. */
  async descriptors(): Promise<number> {
    return (await readdir(`/proc/${this.#child?.pid}/fd`)).length
  }

  async #memory(field: 'VmRSS' | 'VmHWM'): Promise<number> {
    const status = await readFile(`/proc/${this.#child?.pid}/status`, 'utf8')
    return Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) * 1024
  }

  #launch(flags: readonly string[] = []): ChildProcess {
    const [next = []] = this.#commands.length > 1 ? this.#commands.splice(0, 1) : this.#commands
    const [command = '', ...args] = next
    const detached = this.#ownGroup
    const child = spawn(command, [...args, ...flags], {
      env: this.#env,
      detached,
      stdio: [detached ? 'pipe' : 'ignore', this.#outputTo, 'pipe'],
    })
    this.#child = child
    killOnExit(child, detached)
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        this.#output += text
      })
    }
    return child
  }

  async #spawn(): Promise<void> {
    const before = this.#output.length
    const child = this.#launch()
    for (let waited = 0; waited < secondsToStart * 20; waited++) {
      if (child.exitCode !== null || child.signalCode !== null) break
      if (this.#hasGreeted(before) && (await this.#isReady())) return
      await delay(50)
    }
    const how =
      child.exitCode === null ? `was not ready in ${secondsToStart} s` : `ended with ${child.exitCode}`
    throw new Error(`Masthead ${how}. Its output:\n${this.#output}`)
  }

  /** The greeting comes after the first answers, and tests read the first link from it. */
  #hasGreeted(from: number): boolean {
    const roles = this.#env.MASTHEAD_ROLES ?? 'api'
    return (
      !roles.includes('api') ||
      this.#outputTo !== 'pipe' ||
      this.#output.includes('Masthead is running', from)
    )
  }

  async #isReady(): Promise<boolean> {
    try {
      return (await fetch(`http://127.0.0.1:${this.httpPort}/readyz`)).status === 200
    } catch {
      return false
    }
  }
}

/** For `under`: its errors go where its standard output goes. */
export const withErrorsInOutput = ['sh', '-c', 'exec "$@" 2>&1', 'sh']
