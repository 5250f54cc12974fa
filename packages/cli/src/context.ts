import {
  type Client,
  type ClientOptions,
  createClient,
  createSender,
  type Send,
} from '@masthead/client/client.ts'
import { sleep } from '@masthead/client/retry.ts'
import { parseKey } from './api-key.ts'
import { chooseServer, isOnlyInProjectFile, type ServerSources } from './choose-server.ts'
import { createContact } from './contact.ts'
import {
  type Credentials,
  credentialsPath,
  prepareCredentials,
  readCredentials,
  writeCredentials,
} from './credentials.ts'
import { notSignedInError, serverNotChosenError } from './errors/command-error.ts'
import { retryNote } from './errors/failure.ts'
import { createOutageNotice } from './outage-notice.ts'
import { canIdentify, exchangePipelineToken } from './pipeline-token.ts'
import type { ProjectFile } from './project/project-file.ts'
import { readProjectFile } from './project/read-project-file.ts'
import type { AnswerCheck } from './recognize-answer.ts'
import { openBrowser, signIn } from './sign-in.ts'
import type { Output } from './terminal/output.ts'

/** What a command has to work with. */
export interface CommandContext {
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
  readonly out: Output
  readonly signal: AbortSignal
  readonly yes: boolean
  readonly server: string
  /** The masthead.json or masthead.yaml in use. Throws if it is broken. */
  readonly projectFile: ProjectFile | null
  readonly openBrowser: (url: string) => void
  /** From the environment or an earlier sign-in; null if there is none. Throws if it cannot be used. */
  storedKey(): string | null
  /** For a command that runs for long: the person may have signed in or out meanwhile. */
  rereadKeys(): Promise<void>
  /** Throws if only a project file names the server, so that it must not get a secret that is not stored for it. */
  assertServerChosen(secret: string): void
  client(key?: string): Client
  /** The stored key. Without one, asks for a sign-in at a terminal and fails elsewhere. */
  key(): Promise<string>
  /** A client with this key. With `project`, a pipeline that is trusted to deploy to it needs none. */
  signedIn(project?: string): Promise<Client>
  /** Whether the key came from the token of a pipeline, and can only deploy. */
  isTrustedPipeline(): boolean
  /** The same for requests that are not in the table of endpoints. */
  sender(): Promise<Send>
  /** Signs in through the browser, stores the key and returns it. */
  signIn(): Promise<string>
  /** Null forgets the key. */
  storeKey(key: string | null): Promise<void>
}

export interface ContextOptions {
  cwd: string
  env: NodeJS.ProcessEnv
  out: Output
  signal: AbortSignal
  yes: boolean
  server: string | undefined
  /** The server that this program came from. */
  origin: string | null
  answers: AnswerCheck
  /** Called with the version that the server names. */
  onVersion?: (version: string) => void
  /** Folders to look for a project file in; the first one found is used. */
  homes: readonly string[]
  /** Whether the server is chosen without a project file that cannot be read. */
  ignoresBrokenFile?: boolean
}

/** A server that was never reached is given up before anybody wonders. */
const unreachedMs = 1_000

export async function createContext(options: ContextOptions): Promise<CommandContext> {
  const { cwd, env, out, signal, yes } = options
  const path = credentialsPath(env)
  const { file, fault } = await findProjectFile(options.homes, cwd)
  const isServerGiven = Boolean(options.server || env.MASTHEAD_SERVER)
  // Another server than the one in the file would be the wrong one.
  if (fault !== undefined && !isServerGiven && !options.ignoresBrokenFile) throw fault
  let stored = await findCredentials(path)
  // The server to use may be in there.
  if (stored.fault !== undefined && !isServerGiven && options.origin === null) throw stored.fault
  const sources: ServerSources = {
    option: options.server,
    environment: env.MASTHEAD_SERVER,
    projectFile: file?.members.server,
    origin: options.origin,
    last: stored.credentials.last,
  }
  const server = chooseServer(sources)
  let quietUntil = 0
  const outage = createOutageNotice({ server, out, signal })
  const contact = outage.watch(createContact({ server, out, onVersion: options.onVersion ?? (() => {}) }))
  const optionsWith = (key: string | undefined): ClientOptions => ({
    server,
    key,
    fetch: contact,
    recognize: options.answers.recognize,
    retry: { unreachedMs },
    onRetry(retry) {
      if (outage.announce(retry)) return
      const note = retryNote(retry)
      // Concurrent requests wait together, so one note is enough.
      if (note === null || Date.now() < quietUntil) return
      quietUntil = Date.now() + retry.waitMs
      out.note(note)
    },
  })
  function keyInStore(): string | undefined {
    if (stored.fault !== undefined) throw stored.fault
    return stored.credentials.servers[server]?.key
  }

  function assertServerChosen(secret: string): void {
    if (!isOnlyInProjectFile(sources) || keyInStore() !== undefined) return
    throw serverNotChosenError(secret, server, file?.name ?? '')
  }

  function storedKey(): string | null {
    if (env.MASTHEAD_KEY?.trim()) {
      assertServerChosen('MASTHEAD_KEY')
      return parseKey(env.MASTHEAD_KEY, 'MASTHEAD_KEY')
    }
    const key = keyInStore()
    return key ? parseKey(key, `The stored key of ${server}`) : null
  }

  let isTrustedPipeline = false
  async function ownKey(project?: string): Promise<string> {
    const stored = storedKey()
    if (stored !== null) return stored
    if (project !== undefined && canIdentify(env)) {
      assertServerChosen('The ID token of this pipeline')
      isTrustedPipeline = true
      return exchangePipelineToken({ client: context.client(), server, project, env, signal })
    }
    if (!out.interactive) throw notSignedInError(server)
    return context.signIn()
  }

  const context: CommandContext = {
    cwd,
    env,
    out,
    signal,
    yes,
    server,
    get projectFile() {
      if (fault !== undefined) throw fault
      return file
    },
    openBrowser,
    storedKey,
    async rereadKeys() {
      stored = await findCredentials(path)
    },
    assertServerChosen,
    client: (key) => createClient(optionsWith(key)),
    key: () => ownKey(),
    signedIn: async (project) => context.client(await ownKey(project)),
    isTrustedPipeline: () => isTrustedPipeline,
    sender: async () => createSender(optionsWith(await ownKey())),
    async signIn() {
      await prepareCredentials(path)
      await readCredentials(path)
      const key = await signIn({ client: context.client(), out, signal, sleep, openBrowser })
      await context.storeKey(key)
      return key
    },
    async storeKey(key) {
      const { last, servers } = await readCredentials(path)
      if (key === null && servers[server] === undefined) return
      delete servers[server]
      if (key !== null) servers[server] = { key }
      const nextLast = key !== null ? server : last === server ? undefined : last
      await writeCredentials(path, { ...(nextLast === undefined ? {} : { last: nextLast }), servers })
    },
  }
  return context
}

/** A command with a server and a key of its own needs none of them, so what is wrong is told when one does. */
async function findCredentials(path: string | null): Promise<{ credentials: Credentials; fault?: unknown }> {
  try {
    return { credentials: await readCredentials(path) }
  } catch (fault) {
    return { credentials: { servers: {} }, fault }
  }
}

/** Most commands need nothing of a broken file, so its fault is told when one does. */
async function findProjectFile(
  homes: readonly string[],
  cwd: string,
): Promise<{ file: ProjectFile | null; fault?: unknown }> {
  try {
    for (const home of homes) {
      const file = await readProjectFile(home, cwd)
      if (file !== null) return { file }
    }
    return { file: null }
  } catch (fault) {
    return { file: null, fault }
  }
}
