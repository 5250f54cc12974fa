import { mkdir } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { visitDashboard } from '@masthead/testing/clients/dashboard-visit.ts'
import { seedAccount, signedOutPaths } from './dashboard-data.ts'
import { waitForPage } from './dashboard-page.ts'

/** Screenshots of every page for the documentation: `node journeys/screens.ts`. */
const folder = fileURLToPath(new URL('../docs/screens/', import.meta.url))
const widths = { wide: 1440, narrow: 390 }
/** These two also get a dark version. */
const alsoDark = ['usage', 'domains']

await mkdir(folder, { recursive: true })
await using visit = await visitDashboard()
const { page, open } = visit
for (const path of await seedAccount(visit)) await shootPage(path)
await visit.browser.context.clearCookies()
for (const path of signedOutPaths) await shootPage(path)

async function shootPage(path: string): Promise<void> {
  await open(path)
  await waitForPage(page)
  await page.waitForLoadState('networkidle', { timeout: 3_000 }).catch(() => {})
  for (const [name, width] of Object.entries(widths)) {
    await page.setViewportSize({ width, height: 900 })
    // Resize to the whole page: content outside the window, such as a preview, is not drawn.
    const height = await page.evaluate<number>('document.documentElement.scrollHeight')
    await page.setViewportSize({ width, height })
    await page.waitForLoadState('networkidle', { timeout: 3_000 }).catch(() => {})
    const shoot = async (colorScheme: 'light' | 'dark') => {
      await page.emulateMedia({ colorScheme })
      const file = `${fileName(path)}-${name}${colorScheme === 'dark' ? '-dark' : ''}.png`
      await page.screenshot({ path: folder + file, animations: 'disabled' })
      console.log(file)
    }
    await shoot('light')
    if (alsoDark.some((end) => path.endsWith(`/${end}`))) await shoot('dark')
  }
}

function fileName(path: string): string {
  if (path === '/') return 'projects'
  if (path.endsWith('/handbook/activity')) return 'project-activity'
  const words = path.split('/').filter((part) => part !== '' && part !== 'handbook' && part !== 'projects')
  return words.length === 0 ? 'overview' : words.join('-').replace(/dpl_\w+/, 'one')
}
