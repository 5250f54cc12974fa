import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { createSecureContext } from 'node:tls'
import type { ZoneContent } from '@masthead/testing/peers/name-server.ts'
import type { IssuingContext } from '../certificates/context.ts'
import { createInternalIssuer, ensureInternalRoot } from '../certificates/internal-ca/internal-issuer.ts'
import type { CertificateContext, Issuer } from '../certificates/jobs/issuer.ts'
import { startCertificateWorker } from '../certificates/jobs/worker.ts'
import { findCertificate } from '../certificates/read.ts'
import type { Database } from '../database/database.ts'
import { minute } from '../kernel/clock.ts'
import { createSealing } from '../secrets/sealing.ts'
import { log, startChecking, type Tenant } from './checking.test-kit.ts'
import type { DomainContext } from './context.ts'
import type { DomainRow } from './domain.ts'
import { createDomainHooks } from './https/domain-hooks.ts'
import { reconcileDue } from './lifecycle.ts'

export type Certifying = Awaited<ReturnType<typeof startCertifyingDomains>>

export interface CertifyingOptions {
  /** The internal CA unless given. */
  issuer?: (context: IssuingContext) => Issuer | Promise<Issuer>
  /** Asked if the first cannot issue. */
  others?: NonNullable<CertifyingOptions['issuer']>[]
  /** False if the worker dies before it probes a new certificate. */
  followsUp?: boolean
  naming?: Partial<DomainContext['naming']>
}

/** Domains with real DNS, a real CA, a worker that orders certificates, and an edge that serves them. */
export async function startCertifyingDomains(
  database: Database,
  zones: Record<string, ZoneContent>,
  { issuer = internalIssuer, others = [], followsUp = true, naming = {} }: CertifyingOptions = {},
) {
  const checking = await startChecking(database, zones)
  // Certificates are validated against the clock of the machine.
  checking.clock.at = Date.now()
  const context: DomainContext = {
    ...checking.context,
    naming: { ...checking.context.naming, ...naming },
  }
  const sealing = createSealing([randomBytes(32)])
  const issuing: IssuingContext = { ...context, sealing }
  const certifying: CertificateContext = {
    ...issuing,
    issuers: [await issuer(issuing), ...(await Promise.all(others.map((open) => open(issuing))))],
  }
  const edge = await startEdge(issuing)
  const probing = { edgeAt: edge.at, publicPort: edge.at.port }
  const hooks = createDomainHooks(context, probing)
  const worker = startCertificateWorker(certifying, {
    ...hooks,
    onInstalled: followsUp ? hooks.onInstalled : async () => {},
    log,
  })

  return {
    ...checking,
    context,
    issuing,
    certifying,
    edge,
    reconcile: () => reconcileDue(context, { owner: 'worker', log, probing }),
    /** Polls until the domain matches. */
    async until(
      tenant: Tenant,
      hostname: string,
      isSo: (row: DomainRow) => boolean | Promise<boolean>,
    ): Promise<DomainRow> {
      for (const end = Date.now() + minute; Date.now() < end; ) {
        const row = await tenant.row(hostname)
        if (await isSo(row)) return row
        await sleep(10)
      }
      assert.fail(`It never came so: ${JSON.stringify(await tenant.row(hostname))}`)
    },
    async [Symbol.asyncDispose]() {
      await worker.stop()
      edge.close()
      await checking[Symbol.asyncDispose]()
    },
  }
}

async function internalIssuer(context: IssuingContext): Promise<Issuer> {
  return createInternalIssuer(context, await ensureInternalRoot(context))
}

/** Serves the stored certificate, as the edge does, and can be made to fail for a while. */
async function startEdge(issuing: IssuingContext) {
  const edge = { inOrder: true }
  const server = createServer(
    {
      SNICallback(name, done) {
        const found = edge.inOrder ? findCertificate(issuing, name) : Promise.resolve(null)
        found.then(
          (one) =>
            done(null, one === null ? undefined : createSecureContext({ cert: one.chain, key: one.keyPem })),
          (error) => done(error),
        )
      },
    },
    (_, response) => response.end('served'),
  )
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  return Object.assign(edge, { at: { host: '127.0.0.1', port }, close: () => void server.close() })
}
