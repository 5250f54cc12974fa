import { readFile } from 'node:fs/promises'
import { createAcmeClient } from './certificates/acme/acme-client.ts'
import { trustingFetch } from './certificates/acme/trusting-fetch.ts'
import { createAcmeIssuer } from './certificates/acme-issuer.ts'
import { type Authority, authorities, unknownAuthority } from './certificates/authorities.ts'
import type { CertificateContext } from './certificates/context.ts'
import type { InternalRoot } from './certificates/internal-ca/root.ts'
import { createInternalIssuer, ensureInternalRoot } from './certificates/internal-issuer.ts'
import { caaLookUpIn } from './certificates/look-up-caa.ts'
import { readKeyRing } from './certificates/master-key.ts'
import { openSealing } from './certificates/open-sealing.ts'
import type { Sealing } from './certificates/sealing.ts'
import type { Config } from './config.ts'
import type { Dns } from './dns/dns.ts'
import type { Storage } from './open-storage.ts'

export type CertificateConfig = Pick<Config, 'dataFolder' | 'masterKey' | 'ca' | 'caIdentities'>

/** The key that private keys are kept under. */
export function openKeys(storage: Storage, { masterKey, dataFolder }: CertificateConfig): Promise<Sealing> {
  return openSealing(storage, { given: masterKey === null ? null : readKeyRing(masterKey), dataFolder })
}

/** Null: certificates are those of the internal CA. */
export function authorityOf({ ca, caIdentities }: Pick<Config, 'ca' | 'caIdentities'>): Authority | null {
  if (ca.name === 'internal') return null
  const known: Readonly<Record<string, Authority>> = authorities
  const authority = known[ca.name] ?? unknownAuthority(ca.name)
  return caIdentities === null ? authority : { ...authority, identities: caIdentities }
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
): Promise<Certificates> {
  const issuing = { ...storage, sealing }
  const authority = authorityOf(config)
  if (authority === null) {
    const root = await ensureInternalRoot(issuing)
    return { ...issuing, root, issuer: createInternalIssuer(issuing, root) }
  }
  const { rootsFile, contact, externalAccount } = config.ca
  const client = createAcmeClient({
    directoryUrl: authority.directoryUrl,
    fetch: rootsFile === null ? fetch : trustingFetch(await readFile(rootsFile, 'utf8')),
    now: storage.now,
  })
  const issuer = createAcmeIssuer(issuing, {
    authority,
    client,
    caaLookUp: caaLookUpIn(dns),
    ...(contact === null ? {} : { contact }),
    ...(externalAccount === null ? {} : { externalAccount }),
  })
  return { ...issuing, root: null, issuer }
}
