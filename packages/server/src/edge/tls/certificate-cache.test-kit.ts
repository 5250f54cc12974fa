import type { SecureContext } from 'node:tls'
import { createRoot } from '../../certificates/internal-ca/internal-ca.ts'
import { certificateFor } from '../https.test-kit.ts'
import {
  CertificateCache,
  type CertificateCacheOptions,
  type ServedCertificate,
} from './certificate-cache.ts'

export const acme = 'www.acme.com'
export const from = '192.0.2.1'
export const certificate = await certificateFor(await createRoot(Date.now()), acme)
/** Another object, and so another context. */
export const other = { ...certificate }

type Validation = Awaited<ReturnType<CertificateCacheOptions['source']['validation']>>

interface Wishes extends Partial<CertificateCacheOptions> {
  validations?: Record<string, Validation>
}

/** A cache whose certificates are in a map. */
export function openCache({ validations = {}, ...more }: Wishes = {}) {
  const certificates = new Map<string, ServedCertificate>([[acme, certificate]])
  const loads: string[] = []
  const logged: unknown[] = []
  const world = {
    isAway: false,
    now: Date.now(),
    onTheirWay: new Set<string>(),
    uncovered: new Set<string>(),
  }
  const load = async (name: string) => {
    loads.push(name)
    if (world.isAway) throw new Error('the database is away')
    return certificates.get(name) ?? null
  }
  const cache = new CertificateCache({
    platformDomain: 'masthead.test',
    dashboardHost: 'dash.test',
    source: {
      ofDomain: async (name) => (await load(name)) ?? (world.uncovered.has(name) ? 'uncovered' : null),
      isPending: async (name) => world.onTheirWay.has(name),
      ofPlatform: load,
      validation: async (name) => validations[name] ?? null,
    },
    log: { error: (...said: unknown[]) => void logged.push(said) },
    now: () => world.now,
    ...more,
  })
  return {
    cache,
    certificates,
    loads,
    world,
    logged,
    find: async (name: string) => cache.find(name, from),
    /** Every look-up, by name, except that of the wildcard over all of them. */
    asked: () => [...new Set(loads)].filter((name) => name !== '*.acme.com'),
  }
}

export const isContext = (found: unknown): found is SecureContext => typeof found === 'object'
