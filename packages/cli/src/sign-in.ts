import { spawn } from 'node:child_process'
import { hostname } from 'node:os'
import type { Client } from '@masthead/client/client.ts'
import { ProblemError } from '@masthead/client/errors.ts'
import { parseUrl } from './arguments/parse-url.ts'
import { CommandError } from './errors/command-error.ts'
import type { Output } from './terminal/output.ts'

const openers: Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>> = {
  darwin: ['open'],
  // Not `start`: it would pass the URL through the shell.
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
}

/** Opens the URL in the browser, and ignores failures. */
export function openBrowser(url: string): void {
  if (!/^https?:$/.test(parseUrl(url)?.protocol ?? '')) return
  const [program, ...args] = openers[process.platform] ?? ['xdg-open']
  const child = spawn(program, [...args, url], { stdio: 'ignore', detached: true })
  child.on('error', () => {})
  child.unref()
}

const secondMs = 1_000
const maxPollSeconds = 30
/** Longer than a code is valid. The server says so when it has expired. */
const givenUpSeconds = 15 * 60

export interface SignInTools {
  /** A client without a key. */
  client: Client
  out: Output
  signal: AbortSignal
  sleep: (ms: number, signal: AbortSignal) => Promise<void>
  openBrowser: (url: string) => void
}

/** Requests a key and waits until it is approved in the browser. */
export async function signIn({ client, out, signal, sleep, openBrowser }: SignInTools): Promise<string> {
  const name = `masthead on ${hostname()}`.slice(0, 80)
  const { code, secret, url, pollSeconds } = await client.startLogin({ body: { client: name }, signal })
  out.tell(`To sign in, open ${out.noteStyle('cyan', url)}`)
  out.tell(`and approve the code ${out.noteStyle('bold', code)}`)
  if (out.interactive) openBrowser(url)
  // Whatever the server says, it is neither asked without a pause nor for ever.
  const pause = pollSeconds >= 1 ? Math.min(pollSeconds, maxPollSeconds) : 1
  for (let waited = 0; waited < givenUpSeconds; waited += pause) {
    await sleep(pause * secondMs, signal)
    const claimed = await client.claimLogin({ body: { secret }, signal }).catch(expired)
    if (claimed.state === 'denied') throw refused('The request was denied in the browser.')
    if (claimed.state === 'approved' && claimed.secret !== null) return claimed.secret
  }
  throw noLongerValid()
}

const noLongerValid = () => refused('The code has expired or was used already.')

function expired(error: unknown): never {
  if (error instanceof ProblemError && error.code === 'link_invalid') {
    throw noLongerValid()
  }
  throw error
}

function refused(message: string): CommandError {
  return new CommandError('login_refused', message, 'Run `masthead login` to try again.', 'denied')
}
