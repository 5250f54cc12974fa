import type { Endpoint } from '@masthead/contract/endpoints/endpoint.ts'
import { type EndpointName, endpoints } from '@masthead/contract/endpoints.ts'
import { type RouteSchemas, routes } from '@masthead/contract/routes.ts'
import { type Scope, scopeNames } from '@masthead/contract/scopes.ts'
import { z } from 'zod'

/** An endpoint as an assistant sees it. */
export interface EndpointTool {
  /** `list_projects` for `listProjects`. */
  name: string
  endpoint: EndpointName
  description: string
  /** Parameters of the path and the query by their names, and the JSON body as `body`. */
  input: z.ZodObject
  readOnly: boolean
  /** Whether a person has to agree to every call: it destroys, costs, or changes who may do what. */
  asksFirst: boolean
}

/** Calls that a person has to agree to besides every DELETE, and why. */
const consequential: Partial<Record<EndpointName, string>> = {
  changePlan: 'it changes what the account pays and may use',
  changeMember: 'it gives rights or takes them away',
  changeWebhook: 'events can go elsewhere, or are dropped while it is paused',
  changeProject: 'with a new slug, the old address stops working',
  setProtection: 'the password before it is lost',
  putDomainConfig: 'redirects that are not in it are removed',
}

/** What an assistant never gets, and why. */
const withheld: Partial<Record<EndpointName, string>> = {
  createKey: 'the answer contains a secret, which would become part of a conversation',
  addTrustedPublisher: 'it lets a program deploy for good',
  createWebhook: 'the answer contains a secret',
  uploadCertificate: 'the request contains a private key',
  rotateWebhookSecret: 'the answer contains a secret',
  createInvitation: 'the answer contains a link that lets anybody join',
  deleteAccount: 'there is no way back from it',
  finalizeDeployment: '`publish_folder` does it',
}

/** Tools for every endpoint that takes and answers JSON and whose scope is allowed. Reading always is. */
export function endpointTools(allowed: ReadonlySet<Scope>): EndpointTool[] {
  const names = Object.keys(endpoints) as EndpointName[]
  return names.filter((name) => isOffered(name, allowed)).map(describe)
}

function isOffered(name: EndpointName, allowed: ReadonlySet<Scope>): boolean {
  const { access, peopleOnly, body, answers }: Endpoint = endpoints[name]
  if (Object.hasOwn(withheld, name) || peopleOnly || body !== undefined || answers !== undefined) return false
  if (access === 'any' || access === 'read') return true
  const scope = scopeNames.find((known) => known === access)
  return scope !== undefined && allowed.has(scope)
}

function describe(name: EndpointName): EndpointTool {
  const endpoint: Endpoint = endpoints[name]
  const { params, query, body }: RouteSchemas = routes[name]
  const shape = { ...shapeOf(params), ...shapeOf(query) }
  return {
    name: name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    endpoint: name,
    description: `${endpoint.summary}. (${endpoint.route})`,
    input: z.strictObject(body instanceof z.ZodObject ? { ...shape, body } : shape),
    readOnly: endpoint.access === 'read' || endpoint.access === 'any',
    asksFirst: endpoint.route.startsWith('DELETE ') || Object.hasOwn(consequential, name),
  }
}

function shapeOf(schema: z.ZodType | undefined): z.ZodRawShape {
  return schema instanceof z.ZodObject ? schema.shape : {}
}

/** The arguments of a tool, as the parts of a request. */
export function requestParts({ endpoint }: Pick<EndpointTool, 'endpoint'>, given: Record<string, unknown>) {
  const { params, query, body }: RouteSchemas = routes[endpoint]
  const pick = (schema: z.ZodType | undefined) => {
    const names = Object.keys(shapeOf(schema)).filter((name) => given[name] !== undefined)
    return Object.fromEntries(names.map((name) => [name, given[name]]))
  }
  return {
    params: pick(params) as Record<string, string>,
    query: pick(query),
    ...(body instanceof z.ZodObject ? { body: given.body } : {}),
  }
}
