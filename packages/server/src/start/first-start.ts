import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import type { Id } from '@masthead/contract/schemas/fields.ts'
import { createAccount } from '../accounts/account-lifecycle.ts'
import { firstAccountId } from '../accounts/read.ts'
import type { StagedBlob } from '../blobs/blob-store.ts'
import { lock } from '../database/database.ts'
import type { DeploymentContext } from '../deployments/deployment.ts'
import { announceFiles } from '../deployments/upload/announce-files.ts'
import type { CommitBlob } from '../deployments/upload/commit-blobs.ts'
import { finalizeDeployment } from '../deployments/upload/finalize-deployment.ts'
import { listEvents } from '../events/list-events.ts'
import { system as by } from '../events/record-event.ts'
import { Problem } from '../kernel/problem.ts'
import { newSetupToken } from '../people/sign-in/set-up.ts'
import { createProject } from '../projects/create-project.ts'

/**
 * The token of the setup link until somebody has used it. The first start also creates the account behind it. Publishes
 * the sample unless the account has ever had a project: an earlier start may not have got that far.
 */
export async function prepareFirstLink(
  context: DeploymentContext,
  publishSample: (accountId: Id<'account'>) => Promise<void>,
): Promise<string | null> {
  const { database, now } = context
  const accountId = await database.write(async (tx) => {
    await lock(database, tx, 'first start')
    const first = await firstAccountId(tx)
    if (first !== null) return first
    return (await createAccount(tx, { name: 'My team', plan: 'free', by, at: now() })).id
  })
  const token = await newSetupToken(context, accountId)
  if (token === null) return null
  const { items } = await listEvents(context, accountId, { cursor: undefined, limit: 1, kind: 'project' })
  if (items.length === 0) await publishSample(accountId)
  return token
}

/** Publishes a folder as a new project, so that there is something to open. Does nothing if its slug is taken. */
export async function publishFolder(
  context: DeploymentContext,
  commitBlob: CommitBlob,
  { folder, slug, name, accountId }: { folder: string; slug: string; name: string; accountId: Id<'account'> },
): Promise<void> {
  const contents = new Map<string, Buffer>()
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const file = join(entry.parentPath, entry.name)
    if (entry.isFile()) contents.set(`/${relative(folder, file)}`, await readFile(file))
  }
  const files = Object.fromEntries(
    Array.from(contents, ([path, content]) => {
      const sha256 = createHash('sha256').update(content).digest('hex')
      return [path, { sha256, size: content.byteLength }]
    }),
  )
  await using staged = new AsyncDisposableStack()
  const blobs: StagedBlob[] = []
  // First: a store that does not respond must not leave a project that nobody finishes.
  for (const content of contents.values()) {
    const blob = await context.blobs.stage([content], content.byteLength)
    staged.defer(() => blob.discard())
    blobs.push(blob)
  }
  const settings = { htmlHandling: 'auto', singlePage: false } as const
  const project = await createProject(context, { slug, name, accountId, by, ...settings }).catch(
    (error: unknown) => {
      if (error instanceof Problem && error.code === 'slug_taken') return null
      throw error
    },
  )
  if (project === null) return
  const { deployment } = await announceFiles(context, { project, files, createdBy: by.name })
  for (const blob of blobs) await commitBlob(deployment, blob)
  await finalizeDeployment(context, { project, deployment, activate: true, by })
}
