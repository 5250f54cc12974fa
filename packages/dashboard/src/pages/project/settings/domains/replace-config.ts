import type { Client } from '@masthead/client/client.ts'
import { ProblemError } from '@masthead/client/problem-error.ts'
import { type Config, sameConfig } from './config-change.ts'

export interface Save {
  /** What the person saw when they decided. */
  seen: Config
  next: Config
}

type Found = Awaited<ReturnType<Client['getDomainConfig']>>

/** Somebody else was first: nothing was saved, and what they made of it is `current`. */
export class ConfigMoved extends Error {
  override readonly name = 'ConfigMoved'
  readonly current: Found

  constructor(current: Found) {
    super('Somebody changed this meanwhile, and nothing was saved. What is shown now is how it is.')
    this.current = current
  }
}

/** Replaces the configuration as a whole, unless it is no longer the one that was seen. */
export async function replaceConfig(
  client: Pick<Client, 'getDomainConfig' | 'putDomainConfig'>,
  params: { project: string },
  { seen, next }: Save,
): Promise<Found> {
  const current = await client.getDomainConfig({ params })
  if (!sameConfig(current.domains, seen)) throw new ConfigMoved(current)
  try {
    return await client.putDomainConfig({ params, body: { domains: next }, ifMatch: current.etag })
  } catch (error) {
    if (!(error instanceof ProblemError) || error.code !== 'domain_config_changed') throw error
    throw new ConfigMoved(await client.getDomainConfig({ params }))
  }
}
