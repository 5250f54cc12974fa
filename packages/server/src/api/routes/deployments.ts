import type { IncomingMessage } from 'node:http'
import type { endpointGroups } from '@masthead/contract/endpoints.ts'
import type { Id } from '@masthead/contract/schemas/fields.ts'
import type { FastifyRequest } from 'fastify'
import { type AccountActor, eventActor } from '../../accounts/actor.ts'
import {
  activateDeployment,
  refuseDeploymentOfOther,
  refuseOtherLabel,
} from '../../deployments/activate-deployment.ts'
import { toDeployment } from '../../deployments/deployment.ts'
import { FileLists } from '../../deployments/listing/file-lists.ts'
import { listDeployments, listRules, readDeployment } from '../../deployments/read.ts'
import { deleteDeployment } from '../../deployments/remove-deployments.ts'
import { announceFiles } from '../../deployments/upload/announce-files.ts'
import { AnnouncedManifests } from '../../deployments/upload/announced-manifests.ts'
import { finalizeDeployment } from '../../deployments/upload/finalize-deployment.ts'
import { putFile, putFiles } from '../../deployments/upload/put-files.ts'
import { receiveDeployment } from '../../deployments/upload/receive-deployment.ts'
import { Problem } from '../../kernel/problem.ts'
import type { ProjectRow } from '../../projects/project.ts'
import { readProject } from '../../projects/read.ts'
import type { ApiParts, Handlers } from '../handler.ts'
import { archiveBody } from '../request/archive-body.ts'
import { archiveFormat, UploadLimiter } from '../request/uploads.ts'

export function deploymentRoutes(parts: ApiParts): Handlers<keyof (typeof endpointGroups)['Deployments']> {
  const { context, addresses, commitBlob } = parts
  const announced = new AnnouncedManifests(context.blobs)
  const fileLists = new FileLists(context.blobs)
  const uploads = new UploadLimiter(context.limits.bytesPerDeployment)

  async function find(actor: AccountActor, params: { project: string; deployment: Id<'deployment'> }) {
    const project = await readProject(context, actor.account.id, params.project)
    return { project, deployment: await readDeployment(context, project, params.deployment) }
  }

  /** Reads both again: the active deployment has just changed, and the slug may have changed during the upload. */
  async function describeNow({ account_id, id }: ProjectRow, deploymentId: Id<'deployment'>) {
    const project = await readProject(context, account_id, id)
    return toDeployment(await readDeployment(context, project, deploymentId), project, addresses)
  }

  const inDeploy =
    <Call, Result>(handle: (call: Call) => Promise<Result>) =>
    (call: Call) =>
      context.deploys.run(() => handle(call))

  return {
    listDeployments: async ({ actor, params, query }) => {
      const project = await readProject(context, actor.account.id, params.project)
      return listDeployments(context, project, addresses, query)
    },
    createDeployment: inDeploy(async ({ actor, params, query, body, request, authorizeAgain }) => {
      const project = await readProject(context, actor.account.id, params.project)
      const { activate: asked, ...inQuery } = query
      const activate = flagOf(asked)
      const meta = { ...inQuery, ...body?.meta }
      if (actor.kind === 'key') refuseOtherLabel(project, actor.key, meta.branch)
      if (body !== undefined) {
        const createdBy = eventActor(actor).name
        const input = { project, files: body.files, createdBy, meta, activate }
        const { deployment, missing, ...files } = await announceFiles(context, input)
        announced.keep(deployment.id, files)
        return { ...toDeployment(deployment, project, addresses), missing }
      }
      const format = archiveFormat(request.headers['content-type'])
      const received = { format, body: archiveBody(uploadOf(request), format), activate, meta }
      const upload = { project, ...whoPublishes(actor), authorizeAgain, ...received }
      const { id } = await uploads.run(actor.account.id, (arriving) =>
        receiveDeployment(context, { ...upload, arriving }),
      )
      return { ...(await describeNow(project, id)), missing: [] }
    }),
    getDeployment: async ({ actor, params }) => {
      const { project, deployment } = await find(actor, params)
      return toDeployment(deployment, project, addresses)
    },
    listFiles: async ({ actor, params, query }) => {
      const { deployment } = await find(actor, params)
      return fileLists.list(deployment, query)
    },
    listRules: async ({ actor, params, query }) => {
      const { deployment } = await find(actor, params)
      return listRules(context, deployment, query)
    },
    explainAddress: async ({ actor, query }) => {
      const { url: address, deployment, language, country } = query
      const url = URL.canParse(address) ? new URL(address) : null
      const explained =
        url === null || !/^https?:$/.test(url.protocol)
          ? null
          : await parts.explain({
              ...{ accountId: actor.account.id, url, deployment, country },
              acceptLanguage: language,
            })
      if (explained !== null) return explained
      const what =
        deployment === undefined
          ? 'is not an address'
          : `has no deployment ${deployment}, or is not an address`
      throw new Problem(
        'not_found',
        `${JSON.stringify(address.slice(0, 200))} ${what} of a site of this account.`,
      )
    },
    putFiles: inDeploy(async ({ actor, params, request }) => {
      const { deployment } = await find(actor, params)
      const format = archiveFormat(request.headers['content-type'])
      if (format === 'zip') {
        const detail = 'Send the files as a tar, as application/x-tar, or as a tar.gz, as application/gzip.'
        throw new Problem('unsupported_media_type', detail)
      }
      const body = archiveBody(uploadOf(request), format, ['tar', 'tar.gz'])
      const upload = { deployment, format, body }
      const received = await uploads.run(actor.account.id, (arriving) =>
        putFiles(context, announced, { ...upload, arriving }),
      )
      return { received }
    }),
    putFile: inDeploy(async ({ actor, params, request }) => {
      const { deployment } = await find(actor, params)
      const upload = { deployment, sha256: params.sha256, content: uploadOf(request) }
      await uploads.run(actor.account.id, (arriving) =>
        putFile(context, announced, commitBlob, { ...upload, arriving }),
      )
      return undefined
    }),
    finalizeDeployment: inDeploy(async ({ actor, params, query }) => {
      const { project, deployment } = await find(actor, params)
      if (actor.kind === 'key') refuseDeploymentOfOther(project, actor.key, deployment)
      const activate = flagOf(query.activate)
      const input = { project, deployment, activate, ...whoPublishes(actor) }
      const files = await announced.find(deployment.id)
      // Also if it failed: the manifest may be another one by now, without files that have passwords.
      await finalizeDeployment(context, { ...input, announced: files }).finally(() =>
        announced.forget(deployment.id),
      )
      return describeNow(project, deployment.id)
    }),
    activateDeployment: async ({ actor, params, body }) => {
      const project = await readProject(context, actor.account.id, params.project)
      const deploymentId = params.deployment
      await activateDeployment(context, { project, deploymentId, ...body, ...whoPublishes(actor) })
      return describeNow(project, deploymentId)
    },
    deleteDeployment: async ({ actor, params }) => {
      const { project, deployment } = await find(actor, params)
      if (actor.kind === 'key') refuseDeploymentOfOther(project, actor.key, deployment)
      await deleteDeployment(context, { project, deploymentId: params.deployment, by: eventActor(actor) })
      fileLists.forget(params.deployment)
      return undefined
    },
  }
}

function whoPublishes(actor: AccountActor) {
  return { by: eventActor(actor), liveBranch: actor.kind === 'key' ? actor.key.liveBranch : null }
}

function flagOf(word: 'true' | 'false' | undefined): boolean | undefined {
  return word === undefined ? undefined : word === 'true'
}

/** Keeps the connection open if reading stops early, so that the response can be sent. */
function uploadOf(request: FastifyRequest): AsyncIterable<Uint8Array> {
  const body = request.body as IncomingMessage | undefined
  if (body === undefined || typeof body.iterator !== 'function') {
    throw new Problem('unsupported_media_type', 'Send the bytes of the file as application/octet-stream.')
  }
  return body.iterator({ destroyOnReturn: false })
}
