import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { BlobStore, StagedBlob } from '../../blobs/blob-store.ts'
import { onEachDatabase } from '../../database/each-database.test-kit.ts'
import { day } from '../../kernel/clock.ts'
import { Problem } from '../../kernel/problem.ts'
import type { ProjectRow } from '../../projects/project.ts'
import {
  by,
  digestOf,
  type Publishing,
  removeProject,
  type Site,
  startPublishing,
} from '../deployments.test-kit.ts'
import { encodeNextDeployment } from '../encode/encode-deployment.ts'
import { encodings } from '../manifest.ts'
import { readManifest } from '../manifest-document.ts'
import { type DeploymentRow, deleteDeployments } from '../store.ts'
import { claimTime, RemovalTooSlowError } from './removals.ts'
import { sweep } from './sweep.ts'

type Step =
  | { kind: 'upload'; as: 'files' | 'archive'; words: string[]; project: number }
  | { kind: 'announce'; words: string[]; project: number }
  | { kind: 'finish oldest' }
  | { kind: 'remove project'; project: number }
  | { kind: 'remove oldest' }
  | { kind: 'sweep' }
  | { kind: 'compress' }
  | { kind: 'wait'; ms: number }

const text = (word: string) => `${word} `.repeat(200)
const words = fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd'), { minLength: 1, maxLength: 3 })
const project = fc.nat({ max: 1 })
const upload = {
  kind: fc.constant('upload' as const),
  as: fc.constantFrom('files', 'archive'),
  words,
  project,
}
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: fc.record(upload) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('announce' as const), words, project }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('finish oldest' as const) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('remove oldest' as const) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('sweep' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('compress' as const) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('wait' as const),
      ms: fc.constantFrom(1, 30_000, claimTime / 2, claimTime),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('remove project' as const), project }) },
)

const injected = new Error('the store fails here')

interface Disturbance {
  scheduler: fc.Scheduler
  clock: { at: number }
  fails: () => boolean
  /** How many calls later a removal happens, after it has failed; null: it happens at once. */
  delay: () => number | null
}

/** Interleaves calls to the store, and makes some of them fail. A removal that failed may happen later. */
function unsteady(blobs: BlobStore, { scheduler, clock, fails, delay }: Disturbance) {
  const late: { calls: number; happen: () => Promise<void> }[] = []

  async function turn(): Promise<void> {
    await scheduler.schedule(Promise.resolve())
    for (const removal of late) if (removal.calls-- === 0) await removal.happen()
    if (fails()) throw injected
  }
  const after =
    <Args extends unknown[], Result>(call: (...args: Args) => Promise<Result>) =>
    async (...args: Args) => {
      await turn()
      return call(...args)
    }
  const unsteadyBlob = (staged: StagedBlob): StagedBlob => ({
    sha256: staged.sha256,
    size: staged.size,
    send: after((key) => staged.send(key)),
    commit: after((key) => staged.commit(key)),
    discard: () => staged.discard(),
  })
  const disturbed: BlobStore = {
    ...blobs,
    stage: async (...source) => {
      await turn()
      return unsteadyBlob(await blobs.stage(...source))
    },
    stageAll: async (batch) => {
      await turn()
      return (await blobs.stageAll(batch)).map(unsteadyBlob)
    },
    commitAll: after(blobs.commitAll),
    read: after(blobs.read),
    async remove(key, withinMs = Number.POSITIVE_INFINITY) {
      const deadline = clock.at + withinMs
      await scheduler.schedule(Promise.resolve())
      const calls = key.encoding === undefined ? delay() : null
      if (calls === null) return blobs.remove(key)
      const happen = async () => {
        if (clock.at < deadline) await blobs.remove(key)
      }
      late.push({ calls, happen })
      throw injected
    },
    writeDocument: after(blobs.writeDocument),
    readDocument: after(blobs.readDocument),
    removeDocument: after(blobs.removeDocument),
  }
  return {
    blobs: disturbed,
    async finish() {
      for (const { happen } of late) await happen()
    },
  }
}

function siteOf(chosen: string[]): Site {
  return Object.fromEntries(chosen.map((word, index) => [`/${index}.html`, text(word)]))
}

/** Deployments that were acknowledged as ready, with their expected contents. */
type Acknowledged = Map<string, Site>

/** An upload that is not finished. */
interface Unfinished extends Awaited<ReturnType<Publishing['announce']>> {
  site: Site
  of: ProjectRow
}

async function take(
  publishing: Publishing,
  step: Step,
  { acknowledged, unfinished }: { acknowledged: Acknowledged; unfinished: Unfinished[] },
): Promise<void> {
  const { context } = publishing
  const { database } = context
  if (step.kind === 'sweep') return sweep(context)
  if (step.kind === 'wait') {
    publishing.clock.at += step.ms
    return
  }
  if (step.kind === 'compress') return void (await encodeNextDeployment(context))
  if (step.kind === 'remove oldest') {
    const query = database.read
      .selectFrom('deployments')
      .select('id')
      .where('state', '=', 'ready')
      .orderBy('id')
    const oldest = await query.executeTakeFirst()
    if (oldest === undefined) return
    acknowledged.delete(oldest.id)
    return database.write((tx) => deleteDeployments(tx, [oldest.id]))
  }
  if (step.kind === 'finish oldest') {
    const upload = unfinished.shift()
    if (upload === undefined) return
    const { deployment, missing, site, of } = upload
    for (const content of new Set(Object.values(site)))
      if (missing.includes(digestOf(content)))
        await publishing.put(deployment, content, digestOf(content), context)
    await publishing.finalize(deployment, { of, activate: false, using: context })
    acknowledged.set(deployment.id, site)
    return
  }
  const slug = `site-${step.project}`
  const known = await database.read
    .selectFrom('projects')
    .selectAll()
    .where('slug', '=', slug)
    .executeTakeFirst()
  const of = known ?? (await publishing.addProject(slug, publishing.account.id))
  if (step.kind === 'remove project') return removeProject(context, { project: of, by })
  const site = siteOf(step.words)
  if (step.kind === 'announce') {
    unfinished.push({ ...(await publishing.announce(site, of, context)), site, of })
    return
  }
  const publish = step.as === 'files' ? publishing.publish : publishing.sendArchive
  const deployment = await publish(site, { of, activate: false, using: context })
  acknowledged.set(deployment.id, site)
}

/** What must be on disk: the manifests of ready deployments, their files, and the compressed forms of those. */
async function expectedFiles({ context }: Publishing, deployments: DeploymentRow[]): Promise<string[]> {
  const endings = { br: '.br', zstd: '.zst', gzip: '.gz' }
  const files = new Set<string>()
  const rows = await context.database.read.selectFrom('blobs').selectAll().execute()
  for (const { id, account_id: account } of deployments) {
    files.add(`documents/manifests/${id}.json`)
    for (const { sha256 } of (await readManifest(context.blobs, id))?.values() ?? []) {
      const place = `${account}/${sha256.slice(0, 2)}/${sha256}`
      files.add(place)
      const encoded = rows.find((row) => row.sha256 === sha256)?.encoded ?? '{}'
      for (const encoding of encodings)
        if (encoding in JSON.parse(encoded)) files.add(place + endings[encoding])
    }
  }
  return [...files].sort()
}

/** Expected: a project is removed during an upload, or created by two people at once; or a file is being removed. */
function assertExpected(error: unknown): void {
  for (const cause of error instanceof AggregateError ? error.errors : [error]) {
    if (cause === injected || cause instanceof RemovalTooSlowError) continue
    if (!(cause instanceof Problem)) throw cause
    assert.match(cause.code, /^(not_found|slug_taken|unavailable)$/)
  }
}

async function assertNothingLost(publishing: Publishing, acknowledged: Acknowledged): Promise<void> {
  const { context, clock } = publishing
  const rows = await context.database.read.selectFrom('deployments').selectAll().execute()
  const ready = rows.filter(({ state }) => state === 'ready')
  for (const deployment of ready) {
    const site = await publishing.contents(deployment)
    assert.deepEqual(site, acknowledged.get(deployment.id) ?? site)
    assert.ok(Object.keys(site).length > 0)
  }
  clock.at += 2 * day
  await sweep(context)
  // Interrupted compression leaves forms behind until it runs again.
  while (await encodeNextDeployment(context));
  for (const deployment of ready) await publishing.contents(deployment)
  assert.deepEqual(await publishing.onDisk(), await expectedFiles(publishing, ready))
}

onEachDatabase('any interleaving of uploads, removals and sweeps', ({ dialect, open }) => {
  test('leaves every deployment with all its files, and after a last sweep no other file', async () => {
    const people = fc.array(fc.array(step, { minLength: 1, maxLength: 6 }), { minLength: 2, maxLength: 3 })
    const chances = fc.infiniteStream(fc.nat({ max: 40 }))
    const property = fc.asyncProperty(fc.scheduler(), people, chances, async (scheduler, scripts, chance) => {
      await using database = await open()
      await using publishing = await startPublishing(database)
      const { context, clock } = publishing
      const fails = () => chance.next().value === 0
      const delay = () => {
        const drawn = chance.next().value ?? 0
        return drawn < 20 ? drawn : null
      }
      const { blobs, finish } = unsteady(context.blobs, { scheduler, clock, fails, delay })
      const disturbed = { ...publishing, context: { ...context, blobs, removalWait: 0 } }
      const acknowledged: Acknowledged = new Map()
      const unfinished: Unfinished[] = []
      const unused = await publishing.publish(siteOf(['a', 'b']))
      await database.write((tx) => deleteDeployments(tx, [unused.id]))
      const walks = scripts.map(async (steps) => {
        for (const step of steps)
          await take(disturbed, step, { acknowledged, unfinished }).catch(assertExpected)
      })
      await scheduler.waitFor(Promise.all(walks))
      await finish()
      await assertNothingLost(publishing, acknowledged)
    })
    await fc.assert(property, { numRuns: dialect === 'sqlite' ? 60 : 20 })
  })
})
