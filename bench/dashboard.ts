import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { type DashboardVisit, visitDashboard } from '@masthead/testing/clients/dashboard-visit.ts'
import { median, milliseconds, type Table } from './report.ts'

const dashboard = fileURLToPath(new URL('../packages/dashboard', import.meta.url))
const vite = fileURLToPath(new URL('../node_modules/vite/bin/vite.js', import.meta.url))
const rounds = 7
/** The budget for the first load. */
const budget = 150_000

const pages = [
  { name: 'sign in', path: '/sign-in', signedIn: false },
  { name: 'projects', path: '/', signedIn: true },
  { name: 'domains of a project', path: '/projects/hello/settings/domains', signedIn: true },
  { name: 'usage', path: '/usage', signedIn: true },
] as const

interface Load {
  script: number
  all: number
  painted: number
  ready: number
}

/** What a browser with an empty cache loads of the dashboard, and how soon it shows something. */
export async function measureDashboard(): Promise<Table> {
  await promisify(execFile)(process.execPath, [vite, 'build', '--logLevel', 'warn'], { cwd: dashboard })
  await using visit = await visitDashboard()
  const rows: string[][] = []
  for (const { name, path, signedIn } of pages) {
    const loads: Load[] = []
    for (let round = 0; round < rounds; round++) loads.push(await firstLoad(visit, path, signedIn))
    const of = (figure: keyof Load) => median(loads.map((load) => load[figure]))
    rows.push([
      name,
      kilobytes(of('script')),
      `${((100 * of('script')) / budget).toFixed(0)} %`,
      kilobytes(of('all')),
      milliseconds(of('painted')),
      milliseconds(of('ready')),
    ])
  }
  return {
    title: 'The dashboard, loaded for the first time',
    columns: ['page', 'script', 'of 150 KB', 'everything', 'first paint', 'heading shown'],
    rows,
    notes: [
      'Bytes as they came over the wire, compressed, without headers; everything: script, style, typefaces and answers',
      `of the API. Times in Debian's Chromium with an empty cache on the same machine, the median of ${rounds}.`,
    ],
  }
}

async function firstLoad({ masthead, browser }: DashboardVisit, path: string, signedIn: boolean) {
  const { context } = browser
  const cookies = signedIn ? [] : await context.cookies()
  if (!signedIn) await context.clearCookies()
  const page = await context.newPage()
  try {
    const session = await context.newCDPSession(page)
    await session.send('Network.setCacheDisabled', { cacheDisabled: true })
    await page.goto(masthead.origin + path)
    await page.locator('h1').waitFor()
    return await read(page)
  } finally {
    await page.close()
    if (!signedIn) await context.addCookies(cookies)
  }
}

async function read(page: DashboardVisit['page']): Promise<Load> {
  const figures = await page.evaluate<Omit<Load, 'painted'>>(`(() => {
    const resources = performance.getEntriesByType('resource')
    const sum = (entries) => entries.reduce((bytes, { encodedBodySize }) => bytes + encodedBodySize, 0)
    const scripts = resources.filter(({ name }) => name.endsWith('.js'))
    return { script: sum(scripts), all: sum(resources), ready: performance.now() }
  })()`)
  // The browser reports it a moment later.
  const painted = await page.evaluate<number>(`new Promise((resolve) => {
    const told = (list) => {
      const [paint] = list.getEntriesByName('first-contentful-paint')
      if (paint !== undefined) resolve(paint.startTime)
    }
    new PerformanceObserver(told).observe({ type: 'paint', buffered: true })
  })`)
  return { ...figures, painted }
}

const kilobytes = (bytes: number) => `${(bytes / 1000).toFixed(1)} KB`
