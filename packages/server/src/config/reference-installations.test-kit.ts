import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseAllDocuments, parseDocument } from 'yaml'

export const repository = join(import.meta.dirname, '../../../..')
export const read = (file: string) => readFileSync(join(repository, file), 'utf8')

export type Variables = Record<string, string>

/** `NAME=value` lines; those that are commented out too, as somebody would use them. */
export function variablesIn(file: string, { commented = false } = {}): Variables {
  const pattern = commented ? /^#?([A-Z][A-Z0-9_]*)=(.*)$/gm : /^([A-Z][A-Z0-9_]*)=(.*)$/gm
  return Object.fromEntries(
    [...read(file).matchAll(pattern)].map(([, name = '', value = '']) => [name, value]),
  )
}

interface Compose {
  services: Record<
    string,
    {
      environment?: Variables
      command?: string[]
      healthcheck?: { test: string[] }
      stop_grace_period?: string
      volumes?: string[]
      depends_on?: unknown
      build?: { dockerfile: string }
    }
  >
  volumes: Record<string, null>
  configs: Record<string, { content: string }>
}

export function readCompose(): Compose {
  const document = parseDocument(read('deploy/compose.yaml'), { merge: true })
  assert.deepEqual([document.errors, document.warnings], [[], []])
  return document.toJS() as Compose
}

/** With the values that somebody puts into the file of variables. */
export function fill(values: Variables, given: Variables = {}): Variables {
  const known: Variables = {
    ...variablesIn('deploy/compose.env.example'),
    MASTER_KEY: 'A'.repeat(43),
    OPERATOR_KEY: 'x'.repeat(64),
    POSTGRES_PASSWORD: 'p',
    REDIS_PASSWORD: 'r',
    S3_SECRET_KEY: 's',
    ...given,
  }
  const filled = Object.entries(values).map(([name, value]) => [
    name,
    String(value).replace(/\$\{(\w+)\}/g, (_, key: string) => known[key] ?? ''),
  ])
  return Object.fromEntries(filled)
}

interface Probe {
  httpGet: { path: string; port: string }
}

interface Resource {
  kind: string
  metadata: { name: string }
  data?: Variables
  stringData?: Variables
  spec: {
    selector: Record<string, unknown>
    ports: { name: string; port: number; targetPort: string }[]
    template: {
      metadata: { labels: Variables }
      spec: {
        terminationGracePeriodSeconds: number
        securityContext: { runAsUser: number }
        containers: {
          env: { name: string; value: string }[]
          ports: { name: string; containerPort: number }[]
          readinessProbe: Probe
          livenessProbe: Probe
          startupProbe: Probe
          volumeMounts: { name: string; mountPath: string }[]
        }[]
        volumes: { name: string }[]
      }
    }
  }
}

export type Resources = (kind: string) => Resource[]

export function readKubernetes(): Resources {
  const documents = parseAllDocuments(read('deploy/kubernetes.yaml'))
  assert.ok(Array.isArray(documents))
  assert.deepEqual(
    documents.flatMap(({ errors, warnings }) => [...errors, ...warnings]),
    [],
  )
  const resources = documents.map((document) => document.toJS() as Resource)
  return (kind) => resources.filter((resource) => resource.kind === kind)
}

/** Of a container, with secrets that somebody has filled in. */
export function variablesOf(
  all: Resources,
  { env }: Resource['spec']['template']['spec']['containers'][number],
): Variables {
  const examples: Variables = { MASTHEAD_MASTER_KEY: 'A'.repeat(43), MASTHEAD_OPERATOR_KEY: 'x'.repeat(64) }
  const secrets = Object.entries(all('Secret')[0]?.stringData ?? {}).map(([name, value]) => [
    name,
    value || (examples[name] ?? 'secret'),
  ])
  const own = env.map(({ name, value }) => [name, value])
  return { ...all('ConfigMap')[0]?.data, ...Object.fromEntries([...secrets, ...own]) }
}
