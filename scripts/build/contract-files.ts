import { deploymentStates } from '@masthead/contract/deployments.ts'
import { findings } from '@masthead/contract/domains/findings.ts'
import { domainStates, domainTransitions } from '@masthead/contract/domains/states.ts'
import { endpoints } from '@masthead/contract/endpoints.ts'
import { events } from '@masthead/contract/events.ts'
import { openApiDocument } from '@masthead/contract/openapi.ts'
import { plans } from '@masthead/contract/plans.ts'
import { problems } from '@masthead/contract/problems.ts'
import { idPrefixes } from '@masthead/contract/schemas/fields.ts'
import { roles, scopes } from '@masthead/contract/scopes.ts'
import { deliveryStates, webhookFormats } from '@masthead/contract/webhooks/webhooks.ts'
import { comment, typeOfSchema, typeOfValue } from './schema-types.ts'

/** The tables for programs outside, and what their keys are called. All of them are plain data. */
const tables: readonly { name: string; value: object; keys: string; about: string }[] = [
  { name: 'endpoints', value: endpoints, keys: 'EndpointName', about: 'Every route' },
  { name: 'problems', value: problems, keys: 'ProblemCode', about: 'Every error, with what to do about it' },
  { name: 'events', value: events, keys: 'EventType', about: 'What is recorded in an account’s activity' },
  { name: 'scopes', value: scopes, keys: 'Scope', about: 'What a key can be allowed to do' },
  { name: 'roles', value: roles, keys: 'Role', about: 'What a member can be' },
  { name: 'plans', value: plans, keys: 'PlanName', about: 'What each plan includes' },
  { name: 'deploymentStates', value: deploymentStates, keys: 'DeploymentState', about: 'Of a deployment' },
  { name: 'domainStates', value: domainStates, keys: 'DomainState', about: 'Of a domain' },
  { name: 'domainTransitions', value: domainTransitions, keys: '', about: 'Which state can follow which' },
  { name: 'findings', value: findings, keys: 'FindingCode', about: 'What a DNS check can find' },
  { name: 'webhookFormats', value: webhookFormats, keys: 'WebhookFormat', about: 'Of what a webhook sends' },
  { name: 'deliveryStates', value: deliveryStates, keys: 'DeliveryState', about: 'Of a webhook’s delivery' },
  { name: 'idPrefixes', value: idPrefixes, keys: 'IdKind', about: 'How the ids of each kind begin' },
]

type Json = { [name: string]: unknown }

interface Operation {
  operationId: string
  summary: string
  parameters: { name: string; in: string; required: boolean; description?: string; schema: Json }[]
  requestBody?: { required?: boolean; content: Record<string, { schema: Json }> }
  responses: Record<string, { content?: Record<string, { schema: Json }> }>
}

/** The contract as plain JavaScript, its types, and the OpenAPI document: no dependencies, and nothing of zod. */
export function contractFiles(version: string): Map<string, string> {
  const document = openApiDocument({ version, server: 'https://masthead.example' })
  const module = tables.map(({ name, value }) => `export const ${name} = ${JSON.stringify(value, null, 2)}\n`)
  return new Map([
    ['index.js', module.join('\n')],
    ['index.d.ts', contractTypes(document)],
    ['openapi.json', JSON.stringify(document)],
  ])
}

function contractTypes(document: Json): string {
  const { schemas } = document.components as { schemas: Record<string, Json> }
  const operations = Object.values(document.paths as Json).flatMap((path) =>
    Object.values(path as Record<string, Operation>),
  )
  return [
    ...tables.map(
      ({ name, value, keys, about }) =>
        `${comment({ description: about })}export declare const ${name}: ${typeOfValue(value)}\n${
          keys === '' ? '' : `export type ${keys} = keyof typeof ${name}\n`
        }`,
    ),
    ...Object.entries(schemas).map(
      ([name, schema]) => `${comment(schema)}export type ${name} = ${typeOfSchema(schema)}\n`,
    ),
    `/** What each route takes and answers with. */\nexport interface Routes {\n${operations.map(routeType).join('\n')}\n}\n`,
    generic,
  ].join('\n')
}

/** The names by which the client uses them. */
const generic = `type Part<N extends EndpointName, P extends string> = P extends keyof Routes[N] ? Routes[N][P] : undefined
/** What a route takes. */
export type Sends<N extends EndpointName, P extends 'params' | 'query' | 'body'> = Part<N, P>
/** What a route answers with. */
export type Answer<N extends EndpointName> = Part<N, 'answer'>
export type Id<K extends IdKind> = \`\${(typeof idPrefixes)[K]}_\${string}\`
export type ProblemDocument = Problem
/** Lists come in pages: follow \`next\` until it is null. */
export interface Page<T> {
items: T[]
next: string | null
}
`

function routeType({ operationId, summary, parameters, requestBody, responses }: Operation): string {
  const body = requestBody?.content['application/json']?.schema
  const [answer] = Object.entries(responses)
    .filter(([status]) => status.startsWith('2'))
    .flatMap(([, { content = {} }]) => Object.values(content))
  const parts = [
    ...parametersType('params', 'path', parameters),
    ...parametersType('query', 'query', parameters),
    ...(body === undefined
      ? []
      : [`body: ${typeOfSchema(body)}${requestBody?.required ? '' : ' | undefined'}`]),
    ...(answer === undefined ? [] : [`answer: ${typeOfSchema(answer.schema)}`]),
  ]
  return `${comment({ description: summary })}${operationId}: {\n${parts.join('\n')}\n}`
}

function parametersType(part: string, where: string, parameters: Operation['parameters']): string[] {
  const some = parameters.filter((parameter) => parameter.in === where)
  if (some.length === 0) return []
  const properties = Object.fromEntries(some.map(({ name, schema }) => [name, schema]))
  const required = some.filter((parameter) => parameter.required).map(({ name }) => name)
  return [`${part}: ${typeOfSchema({ type: 'object', properties, required })}`]
}
