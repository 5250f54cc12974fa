import type { Client } from '@masthead/client/client.ts'
import { ProblemError } from '@masthead/client/errors.ts'
import type { CreatedDeployment, Deployment } from '@masthead/contract/schemas/deployment.ts'
import type { MetaInput } from '@masthead/contract/schemas/deployment-meta.ts'
import type { Id } from '@masthead/contract/schemas/fields.ts'
import { Interrupted } from '../errors/command-error.ts'
import type { ProgressDisplay } from '../terminal/progress.ts'
import type { HashedFile } from './hash-files.ts'
import { uploadFiles } from './upload.ts'

/** How long Ctrl-C waits for the server to cancel the upload. */
const cancelTimeoutMs = 5_000

type DeploymentParams = { project: string; deployment: Id<'deployment'> }

/** Deletes an incomplete upload, which the server would otherwise keep for a day. */
async function cancelUpload(client: Client, params: DeploymentParams, signal: AbortSignal): Promise<void> {
  try {
    await client.deleteDeployment({ params, signal: AbortSignal.timeout(cancelTimeoutMs) })
  } catch (error) {
    // The deployment went live before its answer arrived.
    if (signal.aborted && error instanceof ProblemError && error.code === 'deployment_active') {
      throw new Interrupted(
        `Interrupted too late: the deployment is live. Run \`masthead rollback --project ${params.project}\` to go back.`,
      )
    }
  }
}

/** A signal that aborts `ms` after the given one. */
function delayAbort(signal: AbortSignal, ms: number): AbortSignal {
  const later = new AbortController()
  const abort = () => setTimeout(() => later.abort(signal.reason), ms).unref()
  if (signal.aborted) abort()
  else signal.addEventListener('abort', abort, { once: true })
  return later.signal
}

export interface PublishRequest {
  client: Client
  project: string
  files: readonly HashedFile[]
  meta: MetaInput
  activate: boolean
  compress: boolean
  progress: ProgressDisplay
  signal: AbortSignal
  /** Called before any file is uploaded; throws to stop. */
  announced: (deployment: CreatedDeployment) => Promise<void>
}

export interface Published {
  deployment: Deployment
  /** Number and total size of the contents that were sent. */
  uploaded: number
  uploadedBytes: number
}

/** Creates the deployment, uploads the missing contents and finalizes it. */
export async function publish(publication: PublishRequest): Promise<Published> {
  const { client, project, files, meta, signal } = publication
  const listed = Object.fromEntries(files.map(({ path, sha256, size }) => [path, { sha256, size }]))
  // Not aborted right away by Ctrl-C: without the ID, a started upload cannot be cancelled.
  const patient = delayAbort(signal, cancelTimeoutMs)
  const created = await client.createDeployment({
    params: { project },
    body: { files: listed, meta },
    signal: patient,
  })
  try {
    signal.throwIfAborted()
    await publication.announced(created)
    return await complete(publication, created)
  } catch (error) {
    await cancelUpload(client, { project, deployment: created.id }, signal)
    throw error
  }
}

async function complete(
  { client, project, files, activate, compress, progress, signal }: PublishRequest,
  created: CreatedDeployment,
): Promise<Published> {
  const params = { project, deployment: created.id }
  const query = { activate: activate ? 'true' : 'false' } as const
  const sent = { uploaded: 0, uploadedBytes: 0 }

  async function send(digests: readonly string[]): Promise<void> {
    if (digests.length === 0) return
    const byDigest = new Map(files.map((file) => [file.sha256, file]))
    const wanted = digests.flatMap((digest) => byDigest.get(digest) ?? [])
    const bytes = wanted.reduce((sum, { size }) => sum + size, 0)
    progress.begin({ doing: 'Uploading', files: wanted.length, bytes })
    await uploadFiles(wanted, { client, ...params, compress, signal }, progress.fileDone)
    sent.uploaded += wanted.length
    sent.uploadedBytes += bytes
  }

  await send(created.missing)
  const finalize = () => client.finalizeDeployment({ params, query, signal })
  const deployment = await finalize()
    .catch(async (error) => {
      // Contents that the server had at the start may have been swept since.
      await send(missingFiles(error))
      return finalize()
    })
    .catch(async (error) => {
      const finalized = await findFinalized({ client, activate, signal }, params)
      if (finalized === null) throw error
      return finalized
    })
  return { deployment, ...sent }
}

/** The deployment if it is as asked for: a proxy may have lost the answer. */
async function findFinalized(
  { client, activate, signal }: Pick<PublishRequest, 'client' | 'activate' | 'signal'>,
  params: DeploymentParams,
): Promise<Deployment | null> {
  if (signal.aborted) return null
  const found = await client.getDeployment({ params, signal }).catch(() => null)
  return found?.state === 'ready' && (found.active || !activate) ? found : null
}

function missingFiles(error: unknown): string[] {
  const missing =
    error instanceof ProblemError && error.code === 'files_missing' ? error.document.missing : null
  if (!Array.isArray(missing)) throw error
  return missing.filter((digest) => typeof digest === 'string')
}
