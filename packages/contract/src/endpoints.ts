import { account } from './endpoints/account.ts'
import { commandLine } from './endpoints/command-line.ts'
import { deployments } from './endpoints/deployments.ts'
import { domains } from './endpoints/domains.ts'
import { keys } from './endpoints/keys.ts'
import { lab } from './endpoints/lab.ts'
import { operator } from './endpoints/operator.ts'
import { people } from './endpoints/people.ts'
import { person } from './endpoints/person.ts'
import { projects } from './endpoints/projects.ts'
import { server } from './endpoints/server.ts'
import { session } from './endpoints/session.ts'

/** All routes, in the groups and the order in which the reference shows them. */
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
