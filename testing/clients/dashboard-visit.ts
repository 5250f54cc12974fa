import type { BrowserContextOptions, Page } from 'playwright-core'
import { freeDnsPort } from '../free-port.ts'
import { MastheadProcess } from '../masthead-process.ts'
import { type RunningChromium, startChromium } from '../peers/chromium.ts'
import { tarGz } from './tar-gz.ts'

export const person = { name: 'Ada Lovelace', email: 'ada@example.com', password: 'a long password' }

export interface DashboardVisit extends AsyncDisposable {
  masthead: MastheadProcess
  browser: RunningChromium
  page: Page
  /** What went wrong in the browser: exceptions, and whatever its console called an error. */
  faults: string[]
  /** Opens an address of the dashboard. */
  open(path: string): Promise<void>
  /** The API, as the person who is signed in. */
  call<T>(route: string, body?: unknown): Promise<T>
  /** Publishes files to a project: live, or as a preview of a branch. */
  publish(slug: string, files: Record<string, string>, branch?: string): Promise<{ id: string }>
}

/** A server of its own with the lab's DNS, and a browser whose person, owner and operator, is signed in. */
export async function visitDashboard(
  env: Record<string, string> = {},
  look: BrowserContextOptions = {},
  openBrowser: (look: BrowserContextOptions) => Promise<RunningChromium> = startChromium,
): Promise<DashboardVisit> {
  await using started = new AsyncDisposableStack()
  const MASTHEAD_LAB_PORT = String(await freeDnsPort('127.0.0.1'))
  const masthead = started.use(await MastheadProcess.start({ env: { MASTHEAD_LAB_PORT, ...env } }))
  const browser = started.use(await openBrowser(look))
  const page = await browser.context.newPage()
  const faults: string[] = []
  collectPageErrors(page, faults)
  await page.goto(masthead.firstLink)
  await page.getByLabel('Your name').fill(person.name)
  await page.getByLabel('Email').fill(person.email)
  await page.getByRole('textbox', { name: 'Password' }).fill(person.password)
  await page.getByRole('button', { name: 'Create account' }).click()
  await page.getByRole('heading', { name: 'Projects', level: 1 }).waitFor()

  async function send<T>(route: string, type: string | null, body?: string | Uint8Array<ArrayBuffer>) {
    const [method = '', path] = route.split(' ')
    const cookies = await browser.context.cookies(masthead.origin)
    const headers = {
      cookie: cookies.map(({ name, value }) => `${name}=${value}`).join('; '),
      origin: masthead.origin,
      ...(type !== null && { 'content-type': type }),
    }
    const response = await fetch(masthead.origin + path, { method, headers, ...(body && { body }) })
    const text = await response.text()
    if (!response.ok) throw new Error(`${route}: ${response.status} ${text}`)
    return (text === '' ? null : JSON.parse(text)) as T
  }

  const running = started.move()
  return {
    masthead,
    browser,
    page,
    faults,
    async open(path) {
      await page.goto(masthead.origin + path)
    },
    call: <T>(route: string, body?: unknown) =>
      body === undefined ? send<T>(route, null) : send<T>(route, 'application/json', JSON.stringify(body)),
    publish: (slug, files, branch) => {
      const query = branch === undefined ? '' : `?branch=${encodeURIComponent(branch)}`
      return send(`POST /v1/projects/${slug}/deployments${query}`, 'application/gzip', tarGz(files))
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  }
}

export function collectPageErrors(page: Page, faults: string[]): void {
  page.on('pageerror', (error) => faults.push(error.message))
  page.on('console', (message) => {
    // What the API refuses is for the page to tell; the browser writes it down all the same.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      faults.push(message.text())
  })
}
