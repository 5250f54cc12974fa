import { account, keys, people } from './endpoints/account.ts'
import { domains } from './endpoints/domains.ts'
import { operator } from './endpoints/operator.ts'
import { commandLine, person, session } from './endpoints/person.ts'
import { deployments, projects } from './endpoints/projects.ts'
import { lab, server } from './endpoints/server.ts'

/** All routes, in the groups and the order of the API reference. */
export const endpointGroups = {
  Server: server,
  Session: session,
  Person: person,
  'Command line': commandLine,
  Account: account,
  People: people,
  Keys: keys,
  Projects: projects,
  Deployments: deployments,
  Domains: domains,
  Lab: lab,
  Operator: operator,
} as const

export const endpoints = {
  ...server,
  ...session,
  ...person,
  ...commandLine,
  ...account,
  ...people,
  ...keys,
  ...projects,
  ...deployments,
  ...domains,
  ...lab,
  ...operator,
} as const

export type EndpointName = keyof typeof endpoints
