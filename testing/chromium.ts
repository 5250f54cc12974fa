import { type BrowserContext, type BrowserContextOptions, chromium } from 'playwright-core'
import { requirePeer } from './peers.ts'
import { temporaryFolder } from './temporary-folder.ts'

/** Containers lack what the sandbox needs; the rest keeps the browser off the network but for the test's own. */
const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

export interface RunningChromium extends AsyncDisposable {
  context: BrowserContext
  close(): Promise<void>
}

/** Debian's Chromium with a profile that nobody has used; `await using` closes it and removes the profile. */
export async function startChromium(options: BrowserContextOptions = {}): Promise<RunningChromium> {
  const profile = await temporaryFolder('masthead-chromium')
  const context = await chromium.launchPersistentContext(profile.path, {
    ...options,
    executablePath: requirePeer('chromium'),
    args: flags,
    headless: true,
  })
  const close = async () => {
    await context.close()
    await profile.remove()
  }
  return { context, close, [Symbol.asyncDispose]: close }
}
