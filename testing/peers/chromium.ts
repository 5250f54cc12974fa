import { execFile } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type BrowserContext, type BrowserContextOptions, chromium } from 'playwright-core'
import { temporaryFolder } from '../temporary-folder.ts'
import { requirePeer } from './peers.ts'

/** Containers lack what the sandbox needs; the rest keeps the browser off the network but for the test's own. */
export const chromiumFlags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // A page lives for seconds: optimizing its scripts, and compiling axe again for the next one, takes more than it saves.
  '--js-flags=--no-opt --no-maglev --no-flush-bytecode',
]

export interface ChromiumOptions extends BrowserContextOptions {
  /** A certificate that this browser trusts as a root, in PEM. */
  root?: string
  /** Names that lead to this machine, such as `*.test`. */
  namesHere?: string
}

export interface RunningChromium extends AsyncDisposable {
  context: BrowserContext
  close(): Promise<void>
}

/** Debian's Chromium with a profile that nobody has used; `await using` closes it and removes the profile. */
export async function startChromium(options: ChromiumOptions = {}): Promise<RunningChromium> {
  const { root, namesHere, ...ofContext } = options
  const profile = await temporaryFolder('masthead-chromium')
  if (root !== undefined) await trust(root, profile.path)
  const context = await chromium.launchPersistentContext(profile.path, {
    ...ofContext,
    executablePath: requirePeer('chromium'),
    args:
      namesHere === undefined
        ? chromiumFlags
        : [...chromiumFlags, `--host-resolver-rules=MAP ${namesHere} 127.0.0.1`],
    ...(root !== undefined && { env: { ...process.env, HOME: profile.path } }),
    headless: true,
  })
  const close = async () => {
    await context.close()
    await profile.remove()
  }
  return { context, close, [Symbol.asyncDispose]: close }
}

/** As a person would have it trusted: in the store of roots below their home. */
async function trust(root: string, home: string): Promise<void> {
  const certutil = requirePeer('nss')
  const store = join(home, '.pki', 'nssdb')
  const file = join(home, 'root.pem')
  await mkdir(store, { recursive: true })
  await writeFile(file, root)
  const run = (...words: string[]) => promisify(execFile)(certutil, ['-d', `sql:${store}`, ...words])
  await run('-N', '--empty-password')
  await run('-A', '-t', 'C,,', '-n', 'root', '-i', file)
}
