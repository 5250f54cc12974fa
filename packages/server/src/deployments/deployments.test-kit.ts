import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import type { MetaInput } from '@masthead/contract/schemas/deployment-meta.ts'
import type { Id } from '@masthead/contract/schemas/fields.ts'
import { temporaryFolder } from '@masthead/testing/temporary-folder.ts'
import { createAccount } from '../accounts/account-lifecycle.ts'
import type { BlobStore } from '../blobs/blob-store.ts'
import { createFileStore } from '../blobs/files/file-store.ts'
import type { Database } from '../database/database.ts'
import { type Change, openChangeFeed } from '../events/change-feed.ts'
import type { EventActor } from '../events/record-event.ts'
import { createProject } from '../projects/create-project.ts'
import type { ProjectRow } from '../projects/project.ts'
import { inChunks } from './archive/archive.test-kit.ts'
import { tarGz } from './archive/tar.test-kit.ts'
import type { DeploymentContext } from './deployment.ts'
import { DeploysUnderWay } from './deploys-under-way.ts'
import { encodings } from './manifest.ts'
import { readManifest } from './manifest-document.ts'
import { removeProjectIn } from './remove-deployments.ts'
import { type DeploymentRow, findDeployment } from './store.ts'
import { announceFiles } from './upload/announce-files.ts'
import { AnnouncedManifests } from './upload/announced-manifests.ts'
import { ArrivingBytes } from './upload/arriving-bytes.ts'
import { createBlobCommitter } from './upload/commit-blobs.ts'
import { finalizeDeployment } from './upload/finalize-deployment.ts'
import { putFile } from './upload/put-files.ts'
import { receiveDeployment } from './upload/receive-deployment.ts'

/** Contents by path. */
export type Site = Record<string, string>
export type Publishing = Awaited<ReturnType<typeof startPublishing>>

export const by: EventActor = { kind: 'key', id: 'key_1', name: 'The test' }
export const limits = { files: 20, bytesPerFile: 10_000, bytesPerDeployment: 30_000 }
/** An upload beside which there is no other. */
export const alone = new ArrivingBytes(0).of('acc_test')
export const digestOf = (content: string) => hash('sha256', content)

/** As when a whole project is removed. */
export async function removeProject(
  context: DeploymentContext,
  input: { project: ProjectRow; by: EventActor },
): Promise<void> {
  await context.database.write((tx) => removeProjectIn(context, tx, { ...input, at: context.now() }))
}

const defaultFor = (meta: MetaInput | undefined) => (meta === undefined ? true : undefined)

const decode = { br: brotliDecompressSync, zstd: zstdDecompressSync, gzip: gunzipSync }

/** Everything that publishing needs, real except for the clock: an account with an empty project. */
export async function startPublishing(database: Database, blobs?: BlobStore) {
  const folder = await temporaryFolder('masthead-publishing')
  const clock = { at: Date.UTC(2030, 0, 1) }
  const now = () => clock.at
  const changes = await openChangeFeed({ database, now }, { warn: (details) => assert.fail(String(details)) })
  /** The changes that an edge would see. */
  const heard: (Change | null)[] = []
  changes.subscribe((change) => change?.kind !== 'account' && heard.push(change))
  const context: DeploymentContext = {
    database,
    now,
    changes,
    blobs: blobs ?? (await createFileStore(folder.path)),
    limits,
    deploys: new DeploysUnderWay(),
    spoolFolder: blobs === undefined ? join(folder.path, 'staging') : folder.path,
  }
  const hold = createBlobCommitter(context)
  const announced = new AnnouncedManifests(context.blobs)

  const addAccount = () =>
    database.write((tx) => createAccount(tx, { name: 'Team', plan: 'free', by, at: now() }))
  const addProject = (slug: string, accountId: Id<'account'>) =>
    createProject(context, { slug, accountId, by, htmlHandling: 'auto', singlePage: false })
  const account = await addAccount()
  const project = await addProject('site', account.id)

  const announce = (site: Site, of: ProjectRow = project, using = context, meta?: MetaInput) => {
    const files = Object.entries(site).map(([path, content]) => [
      path,
      { sha256: digestOf(content), size: Buffer.byteLength(content) },
    ])
    const input = { project: of, files: Object.fromEntries(files), createdBy: by.name, meta }
    return announceFiles(using, input)
  }

  const put = (deployment: DeploymentRow, content: string, as = digestOf(content), using = context) =>
    putFile(using, announced, hold, {
      ...{ deployment, sha256: as, content: inChunks(Buffer.from(content)), arriving: alone },
    })

  const finalize = (
    deployment: DeploymentRow,
    { meta, activate = defaultFor(meta), of = project, using = context }: Options = {},
  ) => finalizeDeployment(using, { project: of, deployment, activate, by })

  /** As the command line does: announce, upload missing files, finalize. */
  async function publish(site: Site, options: Options = {}): Promise<DeploymentRow> {
    const { of = project, using = context } = options
    const { deployment, missing } = await announce(site, of, using, options.meta)
    for (const content of new Set(Object.values(site))) {
      if (missing.includes(digestOf(content))) await put(deployment, content, digestOf(content), using)
    }
    return finalize(deployment, options)
  }

  const sendArchive = (
    site: Site | Buffer,
    { meta, activate = defaultFor(meta), of = project, using = context }: Options = {},
  ) => {
    const parts = Object.entries(site).map(([path, content]) => ({ name: path.slice(1), content }))
    const body = inChunks(Buffer.isBuffer(site) ? site : tarGz(...parts))
    return receiveDeployment(using, {
      ...{ project: of, format: 'tar.gz', body, arriving: alone, activate, meta, by },
    })
  }

  async function onDisk(): Promise<string[]> {
    const entries = await readdir(folder.path, { recursive: true, withFileTypes: true })
    const files = entries.filter((entry) => entry.isFile())
    return files.map((entry) => relative(folder.path, join(entry.parentPath, entry.name))).sort()
  }

  /** The contents of a deployment, checked against its manifest, including compressed forms. */
  async function contents({ id, account_id: accountId }: DeploymentRow): Promise<Site> {
    const site: Site = {}
    for (const [path, { sha256, size, encoded }] of (await readManifest(context.blobs, id)) ?? []) {
      const plain = await context.blobs.read({ accountId, sha256 })
      assert.deepEqual([hash('sha256', plain), plain.byteLength], [sha256, size])
      for (const encoding of encodings) {
        if (encoded?.[encoding] === undefined) continue
        const form = await context.blobs.read({ accountId, sha256, encoding })
        assert.deepEqual([form.byteLength, decode[encoding](form)], [encoded[encoding], plain])
      }
      site[path] = plain.toString()
    }
    return site
  }

  async function active(of: ProjectRow = project): Promise<string | null> {
    const query = database.read.selectFrom('projects').select('active_deployment_id').where('id', '=', of.id)
    return (await query.executeTakeFirst())?.active_deployment_id ?? null
  }

  return {
    context,
    clock,
    folder: folder.path,
    heard,
    hold,
    account,
    project,
    addAccount,
    addProject,
    announce,
    put,
    finalize,
    publish,
    sendArchive,
    onDisk,
    contents,
    active,
    find: (id: Id<'deployment'>) => findDeployment(database.read, id),
    async [Symbol.asyncDispose]() {
      changes.close()
      await folder.remove()
    },
  }
}

export interface Options {
  /** By default true, or up to the branch if there is metadata. */
  activate?: boolean
  meta?: MetaInput
  of?: ProjectRow
  /** A context with parts replaced, to make them fail or wait. */
  using?: DeploymentContext
}
