import type { Domain } from '@masthead/contract/schemas/domains/domain.ts'
import type { Project } from '@masthead/contract/schemas/project.ts'
import type { MemberSession } from '../../api/session.ts'
import { paths } from '../../paths.ts'

export interface FindEntry {
  id: string
  kind: 'project' | 'domain' | 'page' | 'action'
  title: string
  /** Distinguishes entries with the same title; searched too. */
  detail?: string
  /** Other names to search by. */
  alsoCalled?: readonly string[]
  choose: FindChoice
}

export type FindChoice =
  | { go: string }
  /** Outside the dashboard, or a download if a file name is given. */
  | { open: string; download?: string }
  | FindAction

export const kindWords: Record<FindEntry['kind'], string> = {
  project: 'Project',
  domain: 'Domain',
  page: 'Page',
  action: 'Action',
}

/** Runs right away, with a label to show meanwhile. */
export interface FindAction {
  run: () => Promise<void>
  running: string
}

export interface FoundDomain {
  project: Project
  domain: Pick<Domain, 'hostname' | 'unicode'>
}

export function projectEntry({ id, name, slug }: Project): FindEntry {
  return {
    id,
    kind: 'project',
    title: name,
    ...(name.toLowerCase() === slug ? {} : { detail: slug }),
    choose: { go: paths.project(slug) },
  }
}

export function domainEntry({ project, domain }: FoundDomain): FindEntry {
  const { hostname, unicode } = domain
  return {
    id: `domain ${hostname} ${project.id}`,
    kind: 'domain',
    title: unicode,
    detail: unicode === hostname ? project.name : `${project.name} ${hostname}`,
    choose: { go: paths.domain(project.slug, hostname) },
  }
}

export function projectPages({ slug, name }: Pick<Project, 'slug' | 'name'>): FindEntry[] {
  const page = (title: string, to: string): FindEntry => ({
    id: `page ${to}`,
    kind: 'page',
    title,
    detail: name,
    choose: { go: to },
  })
  return [
    page('Overview', paths.project(slug)),
    page('Deployments', paths.deployments(slug)),
    page('Activity', paths.projectActivity(slug)),
    page('Settings', paths.settings(slug)),
    page('Domains', paths.domains(slug)),
    page('Serving', paths.serving(slug)),
    page('Danger zone', paths.dangerZone(slug)),
  ]
}

/** The pages of the account and, for operators, those of the server. */
export function accountPages({ account, person }: Pick<MemberSession, 'account' | 'person'>): FindEntry[] {
  const page = (title: string, to: string, detail?: string): FindEntry => ({
    id: `page ${to}`,
    kind: 'page',
    title,
    ...(detail === undefined ? {} : { detail }),
    choose: { go: to },
  })
  const ofAccount = [
    page('Projects', paths.projects(account.id)),
    page('Proved domains', paths.proofs(account.id)),
    page('API keys', paths.keys(account.id)),
    page('Webhooks', paths.webhooks(account.id)),
    page('Usage', paths.usage(account.id)),
    page('Activity', paths.activity(account.id)),
    page('Members', paths.members(account.id)),
    page('Plan', paths.plan(account.id)),
    page('Your profile', paths.person()),
  ]
  const docs: FindEntry = {
    id: 'docs',
    kind: 'page',
    title: 'Guides and API reference',
    choose: { open: paths.docs() },
  }
  if (!person.operator) return [...ofAccount, docs]
  return [
    ...ofAccount,
    page('Accounts', paths.operatorAccounts(), 'Operator'),
    page('Sites', paths.operatorSites(), 'Operator'),
    page('People', paths.operatorPeople(), 'Operator'),
    page('Bans', paths.operatorBans(), 'Operator'),
    page('Certificates', paths.operatorCertificates(), 'Operator'),
    page('Health', paths.operatorHealth(), 'Operator'),
    docs,
  ]
}
