import { visitDashboard } from '@masthead/testing/clients/dashboard-visit.ts'
import { useSharedChromium } from '@masthead/testing/clients/shared-chromium.ts'
import type { BrowserContextOptions } from 'playwright-core'

/** A visit with a server of its own, in the Chromium that all files of a process share. */
export const visitInSharedBrowser = (env: Record<string, string> = {}, look: BrowserContextOptions = {}) =>
  visitDashboard(env, look, useSharedChromium)
