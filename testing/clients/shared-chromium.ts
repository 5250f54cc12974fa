import { type Browser, type BrowserContextOptions, chromium } from 'playwright-core'
import { afterAllFiles } from '../after-all-files.ts'
import { chromiumFlags, type RunningChromium } from '../peers/chromium.ts'
import { requirePeer } from '../peers/peers.ts'

let started: Promise<Browser> | undefined

/**
 * A new person's browser for a test: no cookies, nothing stored or cached. The Chromium behind it starts once per process
 * and ends after the last file. Without motion, because every transition paints ten frames that no test looks at.
 */
export async function useSharedChromium(options: BrowserContextOptions = {}): Promise<RunningChromium> {
  started ??= startOnce()
  const context = await (await started).newContext({ reducedMotion: 'reduce', ...options })
  const close = () => context.close()
  return { context, close, [Symbol.asyncDispose]: close }
}

async function startOnce(): Promise<Browser> {
  const browser = await chromium.launch({ executablePath: requirePeer('chromium'), args: chromiumFlags })
  afterAllFiles(() => browser.close())
  return browser
}
