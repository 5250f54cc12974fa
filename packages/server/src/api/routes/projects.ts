import type { endpointGroups } from '@masthead/contract/endpoints.ts'
import type { Project } from '@masthead/contract/schemas/project.ts'
import { eventActor } from '../../accounts/actor.ts'
import { toDeployment } from '../../deployments/deployment.ts'
import { readActiveDeployments } from '../../deployments/read.ts'
import { removeProject } from '../../domains/claims/remove-project.ts'
import { readPrimaryUrls } from '../../domains/config/read-config.ts'
import { changeProject } from '../../projects/change-project.ts'
import { createProject } from '../../projects/create-project.ts'
import { type ProjectRow, toProject } from '../../projects/project.ts'
import { removeProtection, restoreProtection, setProtection } from '../../projects/protect-project.ts'
import { readFormerUses, readProject, readProjects } from '../../projects/read.ts'
import type { ApiParts, Handlers } from '../handler.ts'
import { ProjectLists } from '../project-lists.ts'

export function projectRoutes({
  context,
  addresses,
}: ApiParts): Handlers<keyof (typeof endpointGroups)['Projects']> {
  const lists = new ProjectLists(context.changes)

  async function describe(rows: ProjectRow[]): Promise<Project[]> {
    const [active, primaryUrls, formerUses] = await Promise.all([
      readActiveDeployments(context, rows),
      readPrimaryUrls(context, rows),
      readFormerUses(context, rows),
    ])
    return rows.map((row) => {
      const deployment = active.get(row.active_deployment_id ?? '')
      const activeDeployment = deployment ? toDeployment(deployment, row, addresses) : null
      const primaryUrl = primaryUrls.get(row.id) ?? null
      const slugUsedUntil = formerUses.get(row.slug)
      return toProject(row, { activeDeployment, primaryUrl, slugUsedUntil }, addresses)
    })
  }

  async function describeOne(row: ProjectRow): Promise<Project> {
    const [project] = await describe([row])
    if (project === undefined) throw new Error('A project was not described')
    return project
  }

  return {
    listProjects: ({ actor, query, serialize }) =>
      lists.get(actor.account.id, query, async () => {
        const { items, next } = await readProjects(context, actor.account.id, query)
        return serialize({ items: await describe(items), next })
      }),
    createProject: async ({ actor, body }) =>
      describeOne(
        await createProject(context, { ...body, accountId: actor.account.id, by: eventActor(actor) }),
      ),
    getProject: async ({ actor, params }) =>
      describeOne(await readProject(context, actor.account.id, params.project)),
    changeProject: async ({ actor, params, body }) => {
      const project = await readProject(context, actor.account.id, params.project)
      return describeOne(await changeProject(context, { project, change: body, by: eventActor(actor) }))
    },
    deleteProject: async ({ actor, params }) => {
      const project = await readProject(context, actor.account.id, params.project)
      await removeProject(context, { project, by: eventActor(actor) })
      return undefined
    },
    setProtection: async ({ actor, params, body }) => {
      const project = await readProject(context, actor.account.id, params.project)
      return describeOne(await setProtection(context, { project, input: body, by: eventActor(actor) }))
    },
    removeProtection: async ({ actor, params }) => {
      const project = await readProject(context, actor.account.id, params.project)
      await removeProtection(context, { project, by: eventActor(actor) })
      return undefined
    },
    restoreProtection: async ({ actor, params }) => {
      const project = await readProject(context, actor.account.id, params.project)
      return describeOne(await restoreProtection(context, { project, by: eventActor(actor) }))
    },
  }
}
