/** What runs, in which order, and how much of the machine each file takes. */

/** Hundredths of a core, roughly as measured. */
const loads = {
  alone: Number.POSITIVE_INFINITY,
  busy: 100,
  browser: 80,
  unit: 65,
  journey: 50,
  waiting: 0,
} as const

/** These would be disturbed by others, or disturb them: they run while nothing else does. */
export const runAlone: Readonly<Record<string, string>> = {
  'journeys/api-flood.test.ts': 'loads the machine and bounds the memory that takes',
  'journeys/dashboard-two-browsers.test.ts': 'a change must be seen within a second',
  'journeys/large-upload.test.ts': 'fills the disk cache and bounds the memory that takes',
  'journeys/limits-redis.test.ts': 'counts are exact only while Redis answers within 50 milliseconds',
  'journeys/limits-restart.test.ts': 'counts must be written a second after the answer',
  'journeys/open-files.test.ts': 'thousands of connections, where none may time out',
}

/** These start one server after the other, or several processes at once. */
export const busy: readonly string[] = [
  'journeys/certificates-killed-often.test.ts',
  'journeys/cluster.test.ts',
  'journeys/kill.test.ts',
  'journeys/rolling-restart.test.ts',
  'journeys/rolling-versions.test.ts',
  'journeys/stop.test.ts',
  'journeys/workers.test.ts',
]

/** These wait for time limits of the product, which they are about, and may do so beside anything. */
export const waiting: readonly string[] = [
  'journeys/limits-clients.test.ts',
  'packages/cli/src/commands/usage.test.ts',
]

/** The longest first: a long one begun last would run while the other cores have nothing left to do. */
export const longest: readonly string[] = [
  'journeys/stop.test.ts',
  'journeys/cluster.test.ts',
  'journeys/kill.test.ts',
  'journeys/limits-clients.test.ts',
  'packages/cli/src/commands/usage.test.ts',
  'journeys/dashboard-accessible.test.ts',
  'journeys/domains-killed-worker.test.ts',
  'journeys/workers.test.ts',
  'journeys/certificates-killed-often.test.ts',
  'journeys/api-attacks.test.ts',
  'journeys/dashboard-keyboard.test.ts',
  'journeys/certificates-platform.test.ts',
  'journeys/dashboard-drop.test.ts',
  'journeys/domains-several-edges.test.ts',
  'journeys/dashboard-person.test.ts',
  'journeys/certificates-killed.test.ts',
  'journeys/dashboard-two-accounts.test.ts',
  'journeys/dashboard-phone.test.ts',
  'journeys/certificates-troubled-ca.test.ts',
  'journeys/certificates-many.test.ts',
]

export interface QueuedFile {
  path: string
  load: number
}

/** Those that run alone, then the longest, then the other journeys, then the rest. */
export function queueTestFiles(files: readonly string[]): QueuedFile[] {
  return files
    .map((path) => ({ path, load: loadOf(path) }))
    .sort((one, other) => rankOf(one.path) - rankOf(other.path))
}

function loadOf(path: string): number {
  if (path in runAlone) return loads.alone
  if (busy.includes(path)) return loads.busy
  if (waiting.includes(path)) return loads.waiting
  if (!path.startsWith('journeys/')) return loads.unit
  return path.startsWith('journeys/dashboard-') ? loads.browser : loads.journey
}

function rankOf(path: string): number {
  if (path in runAlone) return -1
  if (longest.includes(path)) return longest.indexOf(path)
  return longest.length + (path.startsWith('journeys/') ? 0 : 1)
}
