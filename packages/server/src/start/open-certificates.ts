import { readFile } from 'node:fs/promises'
import { hostname } from 'node:os'
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
import {
  createInternalIssuer,
  ensureInternalRoot,
  followInternalRoot,
} from '../certificates/internal-ca/internal-issuer.ts'
import type { CertificateContext, Issuer } from '../certificates/jobs/issuer.ts'
import { createAcmeIssuer } from '../certificates/orders/acme-issuer.ts'
import type { CaConfig, Config } from '../config/config.ts'
import type { NodeSettings } from '../database/migrate/live-versions.ts'
import type { Dns } from '../dns/dns.ts'
import { createDelegations } from '../domains/https/delegations.ts'
import type { Clock } from '../kernel/clock.ts'
import { readKeyRing } from '../secrets/master-key.ts'
import { describeMasterKey } from '../secrets/nodes-keys.ts'
import { type MasterKeySource, openSealing } from '../secrets/open-sealing.ts'
import type { Sealing } from '../secrets/sealing.ts'
import type { Storage } from './open-storage.ts'

export type CertificateConfig = Pick<
  Config,
  'dataFolder' | 'masterKey' | 'cas' | 'dnsListen' | 'platformDomain'
>

function masterKeySource({
  masterKey,
  dataFolder,
}: Pick<Config, 'dataFolder' | 'masterKey'>): MasterKeySource {
  return { given: masterKey === null ? null : readKeyRing(masterKey), dataFolder }
}

/** What nodes must agree on. */
export function nodeSettings(
  config: Pick<Config, 'dataFolder' | 'masterKey' | 'platformDomain'>,
): NodeSettings {
  return {
    host: hostname(),
    pid: process.pid,
    masterKey: describeMasterKey(masterKeySource(config)),
    platformDomain: config.platformDomain,
  }
}

/** The master keys that seal private keys. */
export function openSealingKeys(
  storage: Storage,
  config: Pick<Config, 'dataFolder' | 'masterKey'>,
  log?: { warn(message: string): void },
): Promise<Sealing> {
  return openSealing(storage, masterKeySource(config), log)
}

/** Null for the internal CA. */
function authorityOf({ name, budget, identities }: CaConfig): Authority | null {
  if (name === 'internal') return null
  const known: Readonly<Record<string, Authority>> = authorities
  const unbudgeted = known[name] ?? unknownAuthority(name)
  const authority = budget === null ? unbudgeted : withBudget(unbudgeted, budget === 'none' ? null : budget)
  return identities === null ? authority : { ...authority, identities }
}

export interface OpenAcme {
  authority: Authority
  client: AcmeClient
  ca: CaConfig
}

/** The configured CAs in order; empty for the internal one. */
export async function openAcme({ cas }: Pick<Config, 'cas'>, now: Clock): Promise<OpenAcme[]> {
  const opened = cas.map(async (ca) => {
    const authority = authorityOf(ca)
    if (authority === null) return []
    const fetchCa = ca.rootsFile === null ? fetch : fetchWithRoots(await readFile(ca.rootsFile, 'utf8'))
    const { directoryUrl } = authority
    return [{ ca, authority, client: createAcmeClient({ directoryUrl, fetch: fetchCa, now }) }]
  })
  return (await Promise.all(opened)).flat()
}

export interface Certificates extends CertificateContext {
  /** The internal CA's root; null with another CA. */
  root: (() => Promise<InternalRoot>) | null
}

/** The issuers of certificates, with everything they need. */
export async function openCertificates(
  storage: Storage,
  sealing: Sealing,
  dns: Dns,
  config: CertificateConfig,
  log: Pick<Logger, 'error' | 'warn'>,
): Promise<Certificates> {
  const issuing = { ...storage, sealing }
  const [first, ...others] = await openAcme(config, storage.now)
  if (first === undefined) {
    const root = await ensureInternalRoot(issuing)
    return {
      ...issuing,
      root: followInternalRoot(issuing, root),
      issuers: [createInternalIssuer(issuing, root)],
    }
  }
  const caaLookUp = createCaaLookUp(dns)
  const { platformDomain } = config
  const challengeDns = config.dnsListen !== null
  const delegations = createDelegations({ ...storage, dns }, { platformDomain, challengeDns })
  const openIssuer = ({ authority, client, ca }: OpenAcme): Issuer => {
    const { contact, chain, externalAccount } = ca
    if (externalAccount === null) {
      // Not awaited: a CA that is down at the start may be back before it is needed.
      missingExternalAccount(storage, client, authority).then(
        (problem) => problem !== null && log.error(problem),
        (err: unknown) =>
          log.warn({ err }, `could not ask ${authority.title} whether it requires an external account`),
      )
    }
    return createAcmeIssuer(issuing, {
      authority,
      client,
      caaLookUp,
      delegations,
      preferredIssuer: chain,
      ...(contact === null ? {} : { contact }),
      ...(externalAccount === null ? {} : { externalAccount }),
    })
  }
  return { ...issuing, root: null, issuers: [openIssuer(first), ...others.map(openIssuer)] }
}
