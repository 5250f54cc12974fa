import { account, keys, people, trustedPublishing } from './endpoints/account.ts'
import { domains } from './endpoints/domains.ts'
import { operator } from './endpoints/operator.ts'
import { commandLine, person, session } from './endpoints/person.ts'
import { deployments, projects } from './endpoints/projects.ts'
import { proofs } from './endpoints/proofs.ts'
import { lab, server } from './endpoints/server.ts'
import { webhooks } from './endpoints/webhooks.ts'

/** All routes, in the groups and the order of the API reference. */
export const endpointGroups = {
  Server: server,
  Session: session,
  Person: person,
  'Command line': commandLine,
  Account: account,
  People: people,
  Keys: keys,
  'Trusted publishing': trustedPublishing,
  Webhooks: webhooks,
  Projects: projects,
  Deployments: deployments,
  Domains: domains,
  Proofs: proofs,
  Lab: lab,
  Operator: operator,
} as const

/** What each group is about. */
export const groupSummaries: Record<keyof typeof endpointGroups, string> = {
  Server: 'What this server is and offers',
  Session: 'Signing in and out in a browser',
  Person: 'The person who is signed in',
  'Command line': 'Signing in from a terminal',
  Account: 'The account, its plan, its use and what happened in it',
  People: 'Members of the account and invitations',
  Keys: 'Keys for programs',
  'Trusted publishing': 'Deploying from pipelines without a stored secret',
  Webhooks: 'Sending events to programs, Slack or Discord',
  Projects: 'Projects and how their sites are served',
  Deployments: 'Publishing, previews and going back',
  Domains: 'Domains, their DNS and their certificates',
  Proofs: 'Proving whole domains once, for the account',
  Lab: 'DNS records for trying out domains without a domain',
  Operator: 'What operators of this server can do',
}

export const endpoints = {
  ...server,
  ...session,
  ...person,
  ...commandLine,
  ...account,
  ...people,
  ...keys,
  ...trustedPublishing,
  ...webhooks,
  ...projects,
  ...deployments,
  ...domains,
  ...proofs,
  ...lab,
  ...operator,
} as const

export type EndpointName = keyof typeof endpoints
