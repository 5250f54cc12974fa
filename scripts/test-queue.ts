/** What runs, in which order, in which process, and how much of the machine it takes. */

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { repositoryRoot } from './repository.ts'

/** Hundredths of a core, roughly as measured. On two cores, two journeys fit beside one that needs quiet. */
export const loads = {
  quiet: 110,
  busy: 100,
  browser: 80,
  unit: 65,
  journey: 45,
  waiting: 0,
} as const

/** These would be disturbed by many others, or disturb them: only what leaves them a core runs beside them. */
export const needsQuiet: Readonly<Record<string, string>> = {
  'journeys/api-flood.test.ts': 'loads the machine and bounds the memory that takes',
  'journeys/dashboard-two-browsers.test.ts': 'a change must be seen within a second',
  'journeys/large-upload.test.ts': 'fills the disk cache and bounds the memory that takes',
  'journeys/limits-redis.test.ts': 'counts are exact only while Redis answers within 50 milliseconds',
  'journeys/limits-restart.test.ts': 'counts must be written a second after the answer',
  'journeys/open-files.test.ts': 'thousands of connections, where none may time out',
  'journeys/stop.test.ts': 'a connection without a request for half a second counts as idle',
}

/** The files of such a folder share processes, and so do the journeys through the dashboard. */
const sharing = /^packages\/(?:server\/src\/)?[^/]+\/|^journeys\/dashboard-/

/** These would find what other files of their process did, or leave something to them. */
export const ownProcess: Readonly<Record<string, string>> = {
  'packages/server/src/database/query-plans.test.ts':
    'sees only queries that nothing else has compiled in its process',
  'packages/server/src/edge/assets/validators.test.ts':
    'publishes yesterday; the time of ids never goes back in a process',
  'packages/server/src/edge/http1/response-head.test.ts': 'reads a date that its module remembers',
  'packages/server/src/kernel/ids.test.ts': 'creates ids now; their time never goes back in a process',
}

/** These start one server after the other, several processes at once, or keep one busy that must answer in time. */
export const busy: readonly string[] = [
  'journeys/certificates-killed-often.test.ts',
  'journeys/certificates-many.test.ts',
  'journeys/cluster.test.ts',
  'journeys/kill.test.ts',
  'journeys/move-killed.test.ts',
  'journeys/rolling-restart.test.ts',
  'journeys/rolling-versions.test.ts',
  'journeys/workers.test.ts',
  'packages/server/src/config/reference-installations-run.test.ts',
  'packages/server/src/webhooks/whole-server.test.ts',
]

/** These wait for time limits of the product, which they are about, and may do so beside anything. */
export const waiting: readonly string[] = [
  'journeys/domains-killed-worker.test.ts',
  'journeys/limits-clients.test.ts',
  'packages/cli/src/commands/account/usage.test.ts',
  'scripts/run-test-files.test.ts',
]

/** The longest first: a long one begun last would run while the other cores have nothing left to do. */
export const longest: readonly string[] = [
  'journeys/limits-clients.test.ts',
  'scripts/run-test-files.test.ts',
  'packages/cli/src/commands/account/usage.test.ts',
  'journeys/domains-killed-worker.test.ts',
  'journeys/dashboard-pages.test.ts',
  'journeys/cluster.test.ts',
  'journeys/docs.test.ts',
  'journeys/rolling-restart.test.ts',
  'journeys/files-in-s3.test.ts',
  'journeys/edge-cache.test.ts',
  'journeys/clocks-apart.test.ts',
  'journeys/kill.test.ts',
  'journeys/workers.test.ts',
  'packages/server/src/webhooks/whole-server.test.ts',
  'journeys/certificates-many.test.ts',
  'packages/server/src/config/reference-installations-run.test.ts',
  'journeys/api-attacks.test.ts',
  'journeys/certificates-platform.test.ts',
  'journeys/redeploy.test.ts',
  'journeys/domains-several-edges.test.ts',
  'journeys/domains-moved.test.ts',
  'journeys/docs-commands.test.ts',
  'journeys/certificates-killed-often.test.ts',
  'journeys/dashboard-drop.test.ts',
  'journeys/certificates-shared.test.ts',
  'journeys/dashboard-person.test.ts',
]

/** Files of one process, run one after the other. */
export interface QueuedGroup {
  files: string[]
  load: number
  /** Beside it only what the cores have room for by their loads, even while they have time left. */
  needsQuiet: boolean
}

/** In a process that ran much of the product already, tests take up to a fifth less time. */
const mostFilesPerGroup = 64
/** Journeys through the dashboard, which take seconds each. */
const mostJourneysPerGroup = 5

/** What needs quiet, then the longest, the groups, the other journeys, and last single files, which are the shortest. */
export function queueTestFiles(files: readonly string[], cores: number): QueuedGroup[] {
  const shared = files.filter(sharesProcess)
  // Several groups for each core, so that no core has nothing left to do while another one has much.
  const size = Math.min(mostFilesPerGroup, Math.ceil(shared.length / (cores * 4)))
  const single = files.filter((file) => !sharesProcess(file)).map((file) => [file])
  return [...groupFiles(shared, size), ...single]
    .map((group) => ({
      files: group,
      load: Math.max(...group.map(loadOf)),
      needsQuiet: group.some((file) => file in needsQuiet),
    }))
    .sort((one, other) => rankOf(one) - rankOf(other))
}

/** By folder, as its files import the same things. Those of small folders share a process too. */
function groupFiles(files: readonly string[], size: number): string[][] {
  const folders = Object.values(Object.groupBy(files, (file) => sharingFolderOf(file) ?? file))
  const groups = folders.flatMap((of = []) => {
    const most = of[0]?.startsWith('journeys/') ? Math.min(size, mostJourneysPerGroup) : size
    return Array.from({ length: Math.ceil(of.length / most) }, (_, index) =>
      of.slice(index * most, (index + 1) * most),
    )
  })
  return joinSmall(groups, size)
}

function joinSmall(groups: readonly string[][], size: number): string[][] {
  const joined: string[][] = []
  const open = new Map<string | undefined, string[]>()
  for (const group of groups) {
    const place = /^packages\/[^/]+/.exec(group[0] ?? '')?.[0]
    const others = place === undefined ? undefined : open.get(place)
    if (others !== undefined && others.length + group.length <= size) others.push(...group)
    else {
      joined.push(group)
      if (group.length < size / 2) open.set(place, group)
    }
  }
  return joined
}

const sharingFolderOf = (path: string) => sharing.exec(path)?.[0]

/** Files that start servers of their own spend their time there: several of them in one process would gain little. */
const startsProduct = /\/masthead-process\.ts'/

function sharesProcess(path: string): boolean {
  if (
    sharingFolderOf(path) === undefined ||
    path in ownProcess ||
    path in needsQuiet ||
    waiting.includes(path) ||
    (path.startsWith('journeys/') && longest.includes(path))
  ) {
    return false
  }
  return !startsProduct.test(readFileSync(join(repositoryRoot, path), 'utf8'))
}

function loadOf(path: string): number {
  if (path in needsQuiet) return loads.quiet
  if (busy.includes(path)) return loads.busy
  if (waiting.includes(path)) return loads.waiting
  if (!path.startsWith('journeys/')) return loads.unit
  return path.startsWith('journeys/dashboard-') ? loads.browser : loads.journey
}

function rankOf({ files, needsQuiet }: QueuedGroup): number {
  const [first = ''] = files
  if (needsQuiet) return -1
  if (longest.includes(first)) return longest.indexOf(first)
  if (files.length > 1) return longest.length
  return longest.length + (first.startsWith('journeys/') ? 1 : 2)
}
