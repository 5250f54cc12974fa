import { readFile } from 'node:fs/promises'
import type { Logger } from 'pino'
import { type AcmeClient, createAcmeClient } from './certificates/acme/acme-client.ts'
import { trustingFetch } from './certificates/acme/trusting-fetch.ts'
import { createAcmeIssuer } from './certificates/acme-issuer.ts'
import { type Authority, authorities, unknownAuthority, withBudget } from './certificates/authorities.ts'
import type { CertificateContext } from './certificates/context.ts'
import { lackingExternalAccount } from './certificates/external-account.ts'
import type { InternalRoot } from './certificates/internal-ca/root.ts'
import { createInternalIssuer, ensureInternalRoot } from './certificates/internal-issuer.ts'
import { caaLookUpIn } from './certificates/look-up-caa.ts'
import { readKeyRing } from './certificates/master-key.ts'
import { openSealing } from './certificates/open-sealing.ts'
import type { Sealing } from './certificates/sealing.ts'
import type { Clock } from './clock.ts'
import type { Config } from './config.ts'
import type { Dns } from './dns/dns.ts'
import type { Storage } from './open-storage.ts'

export type CertificateConfig = Pick<Config, 'dataFolder' | 'masterKey' | 'ca' | 'caIdentities'>

/** The key that private keys are kept under. */
export function openKeys(storage: Storage, { masterKey, dataFolder }: CertificateConfig): Promise<Sealing> {
  return openSealing(storage, { given: masterKey === null ? null : readKeyRing(masterKey), dataFolder })
}

/** Null: certificates are those of the internal CA. */
function authorityOf({ ca, caIdentities }: Pick<Config, 'ca' | 'caIdentities'>): Authority | null {
  if (ca.name === 'internal') return null
  const known: Readonly<Record<string, Authority>> = authorities
  const unbudgeted = known[ca.name] ?? unknownAuthority(ca.name)
  const { budget } = ca
  const authority = budget === null ? unbudgeted : withBudget(unbudgeted, budget === 'none' ? null : budget)
  return caIdentities === null ? authority : { ...authority, identities: caIdentities }
}

/** The CA as it is set; null: the internal one. */
export async function openAcme(
  config: CertificateConfig,
  now: Clock,
): Promise<{ authority: Authority; client: AcmeClient } | null> {
  const authority = authorityOf(config)
  if (authority === null) return null
  const { rootsFile } = config.ca
  const trusting = rootsFile === null ? fetch : trustingFetch(await readFile(rootsFile, 'utf8'))
  const { directoryUrl } = authority
  return { authority, client: createAcmeClient({ directoryUrl, fetch: trusting, now }) }
}

export interface Certificates extends CertificateContext {
  /** Of the internal CA; null where another one signs. */
  root: InternalRoot | null
}

/** Who signs certificates, with everything they need. */
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
    caaLookUp: caaLookUpIn(dns),
    preferredIssuer: chain,
    ...(contact === null ? {} : { contact }),
    ...(externalAccount === null ? {} : { externalAccount }),
  })
  if (externalAccount === null) {
    // Nothing waits for it: a CA that is away at the start may be back before it is needed.
    lackingExternalAccount(storage, client, authority).then(
      (lacks) => lacks !== null && log.error(lacks),
      (err: unknown) => log.warn({ err }, 'the certificate authority could not be asked what it needs'),
    )
  }
  return { ...issuing, root: null, issuer }
}
