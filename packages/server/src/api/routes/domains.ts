import type { endpointGroups } from '@masthead/contract/endpoints.ts'
import type { DomainConfig } from '@masthead/contract/schemas/domains/domain-config.ts'
import type { FastifyReply } from 'fastify'
import { type AccountActor, eventActor } from '../../accounts/actor.ts'
import type { AskedChecks } from '../../domains/checks/asked-checks.ts'
import { checkName } from '../../domains/checks/check-domain.ts'
import { reverifyDomain, type VerifyInput, verifyDomain } from '../../domains/checks/verify-domain.ts'
import { addDomain } from '../../domains/claims/add-domain.ts'
import { describeDomain, listDomains, readDomain } from '../../domains/claims/read-domain.ts'
import { removeDomain } from '../../domains/claims/remove-domain.ts'
import { putConfig } from '../../domains/config/change-config.ts'
import { configTag } from '../../domains/config/domain-config.ts'
import { followBranch } from '../../domains/config/follow-branch.ts'
import { markProxied } from '../../domains/config/mark-proxied.ts'
import { readConfig } from '../../domains/config/read-config.ts'
import type { DomainRow } from '../../domains/domain.ts'
import { handOverCertificate } from '../../domains/own-certificate/hand-over-certificate.ts'
import { uploadCertificate } from '../../domains/own-certificate/upload-certificate.ts'
import { pauseBetweenChecks } from '../../domains/schedule.ts'
import { listTimeline } from '../../domains/timeline/timeline.ts'
import { Problem } from '../../kernel/problem.ts'
import { pausingSingleFlight } from '../../kernel/single-flight.ts'
import type { Lab } from '../../lab/lab.ts'
import { readProject } from '../../projects/read.ts'
import type { ApiParts, Handlers } from '../handler.ts'
import { isLimitedKey } from '../identity/limited-key.ts'

export function domainRoutes(
  { context, sealing }: ApiParts,
  asked: AskedChecks,
): Handlers<keyof (typeof endpointGroups)['Domains']> {
  const projectOf = (actor: AccountActor, { project }: { project: string }) =>
    readProject(context, actor.account.id, project)

  /** The domain of a route, and the input for its verbs. */
  async function find(actor: AccountActor, params: { project: string; hostname: string }) {
    const project = await projectOf(actor, params)
    const row = await readDomain(context, project, params.hostname)
    return { row, input: { project, hostname: row.hostname, by: eventActor(actor) } }
  }

  const verify = pausingSingleFlight(
    async (_id: DomainRow['id'], input: VerifyInput) =>
      describeDomain(context, await asked.run(input.project.account_id, () => verifyDomain(context, input))),
    pauseBetweenChecks,
  )
  const reverify = pausingSingleFlight(
    async (_id: DomainRow['id'], input: VerifyInput) =>
      describeDomain(
        context,
        await asked.run(input.project.account_id, () => reverifyDomain(context, input)),
      ),
    pauseBetweenChecks,
  )

  return {
    listDomains: async ({ actor, params, query }) =>
      listDomains(context, await projectOf(actor, params), query),
    addDomain: async ({ actor, params, body }) => {
      if (body.move && isLimitedKey(actor)) {
        throw new Problem('forbidden', `The key ${actor.key.name} can't take a domain from another project.`)
      }
      const project = await projectOf(actor, params)
      const input = { ...body, project, isLimited: isLimitedKey(actor), by: eventActor(actor) }
      return describeDomain(context, await addDomain(context, input))
    },
    getDomain: async ({ actor, params }) => describeDomain(context, (await find(actor, params)).row),
    changeDomain: async ({ actor, params, body }) => {
      const { input, row } = await find(actor, params)
      const { branch, proxied } = body
      const followed = branch === undefined ? row : await followBranch(context, { ...input, branch })
      const changed = proxied === undefined ? followed : await markProxied(context, { ...input, proxied })
      return describeDomain(context, changed)
    },
    removeDomain: async ({ actor, params }) => removeDomain(context, (await find(actor, params)).input),
    verifyDomain: async ({ actor, params }) => {
      const { row, input } = await find(actor, params)
      return verify(row.id, input)
    },
    reverifyDomain: async ({ actor, params }) => {
      const { row, input } = await find(actor, params)
      return reverify(row.id, input)
    },
    uploadCertificate: async ({ actor, params, body }) => {
      const { input } = await find(actor, params)
      return describeDomain(context, await uploadCertificate({ ...context, sealing }, { ...input, ...body }))
    },
    handOverCertificate: async ({ actor, params }) => {
      const { input } = await find(actor, params)
      return describeDomain(context, await handOverCertificate({ ...context, sealing }, input))
    },
    listTimeline: async ({ actor, params, query }) =>
      listTimeline(context, (await find(actor, params)).row, query),
    getDomainConfig: async ({ actor, params, reply }) =>
      tagged(reply, await readConfig(context, await projectOf(actor, params))),
    putDomainConfig: async ({ actor, params, body, request, reply }) => {
      const project = await projectOf(actor, params)
      const { 'if-match': ifMatch, 'if-none-match': ifNoneMatch } = request.headers
      const input = { project, input: body, by: eventActor(actor), ifMatch, ifNoneMatch }
      return tagged(reply, await putConfig(context, input))
    },
    checkDomain: ({ actor: { account }, body }) =>
      asked.run(account.id, () => checkName(context, account.id, body.hostname)),
  }
}

function tagged(reply: FastifyReply, config: DomainConfig): DomainConfig {
  reply.header('ETag', configTag(config.domains))
  return config
}

export function labRoutes({ lab }: ApiParts): Handlers<keyof (typeof endpointGroups)['Lab']> {
  function requireLab(): Lab {
    if (lab === null) throw new Problem('lab_off', 'The DNS lab is off on this server.')
    return lab
  }
  return {
    listLabRecords: async ({ query }) => requireLab().list(query),
    setLabRecord: async ({ params, body }) => requireLab().set({ ...params, ...body }),
    removeLabRecord: async ({ params }) =>
      requireLab()
        .remove(params.name, params.type)
        .then(() => undefined),
  }
}
