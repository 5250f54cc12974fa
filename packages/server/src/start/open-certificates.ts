import { readFile } from 'node:fs/promises'
import type { Logger } from 'pino'
import { type AcmeClient, createAcmeClient } from '../certificates/acme/acme-client.ts'
import { fetchWithRoots } from '../certificates/acme/fetch-with-roots.ts'
import { missingExternalAccount } from '../certificates/acme-account/registration.ts'
import {
  type Authority,
  authorities,
  unknownAuthority,
  withBudget,
} from '../certificates/authorities/authorities.ts'
import { createCaaLookUp } from '../certificates/caa/look-up-caa.ts'
import type { InternalRoot } from '../certificates/internal-ca/internal-ca.ts'
import { createInternalIssuer, ensureInternalRoot } from '../certificates/internal-ca/internal-issuer.ts'
import type { CertificateContext } from '../certificates/jobs/issuer.ts'
import { createAcmeIssuer } from '../certificates/orders/acme-issuer.ts'
import type { Config } from '../config/config.ts'
import type { Dns } from '../dns/dns.ts'
import type { Clock } from '../kernel/clock.ts'
import { readKeyRing } from '../secrets/master-key.ts'
import { openSealing } from '../secrets/open-sealing.ts'
import type { Sealing } from '../secrets/sealing.ts'
import type { Storage } from './open-storage.ts'

export type CertificateConfig = Pick<Config, 'dataFolder' | 'masterKey' | 'ca' | 'caIdentities'>

/** The master keys that seal private keys. */
export function openSealingKeys(
  storage: Storage,
  { masterKey, dataFolder }: CertificateConfig,
  log?: { warn(message: string): void },
): Promise<Sealing> {
  const given = masterKey === null ? null : readKeyRing(masterKey)
  return openSealing(storage, { given, dataFolder }, log)
}

/** Null for the internal CA. */
function authorityOf({ ca, caIdentities }: Pick<Config, 'ca' | 'caIdentities'>): Authority | null {
  if (ca.name === 'internal') return null
  const known: Readonly<Record<string, Authority>> = authorities
  const unbudgeted = known[ca.name] ?? unknownAuthority(ca.name)
  const { budget } = ca
  const authority = budget === null ? unbudgeted : withBudget(unbudgeted, budget === 'none' ? null : budget)
  return caIdentities === null ? authority : { ...authority, identities: caIdentities }
}

/** The configured CA; null for the internal one. */
export async function openAcme(
  config: CertificateConfig,
  now: Clock,
): Promise<{ authority: Authority; client: AcmeClient } | null> {
  const authority = authorityOf(config)
  if (authority === null) return null
  const { rootsFile } = config.ca
  const fetchCa = rootsFile === null ? fetch : fetchWithRoots(await readFile(rootsFile, 'utf8'))
  const { directoryUrl } = authority
  return { authority, client: createAcmeClient({ directoryUrl, fetch: fetchCa, now }) }
}

export interface Certificates extends CertificateContext {
  /** The internal CA's root; null with another CA. */
  root: InternalRoot | null
}

/** The issuer of certificates, with everything it needs. */
export async function openCertificates(
  storage: Storage,
  sealing: Sealing,
  dns: Dns,
  config: CertificateConfig,
  log: Pick<Logger, 'error' | 'warn'>,
): Promise<Certificates> {
  const issuing = { ...storage, sealing }
  const acme = await openAcme(config, storage.now)
  if (acme === null) {
    const root = await ensureInternalRoot(issuing)
    return { ...issuing, root, issuer: createInternalIssuer(issuing, root) }
  }
  const { authority, client } = acme
  const { contact, chain, externalAccount } = config.ca
  const issuer = createAcmeIssuer(issuing, {
    authority,
    client,
    caaLookUp: createCaaLookUp(dns),
    preferredIssuer: chain,
    ...(contact === null ? {} : { contact }),
    ...(externalAccount === null ? {} : { externalAccount }),
  })
  if (externalAccount === null) {
    // Not awaited: a CA that is down at the start may be back before it is needed.
    missingExternalAccount(storage, client, authority).then(
      (problem) => problem !== null && log.error(problem),
      (err: unknown) =>
        log.warn({ err }, 'could not ask the certificate authority whether it requires an external account'),
    )
  }
  return { ...issuing, root: null, issuer }
}
