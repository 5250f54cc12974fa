import { type Health, type HealthCheck, healthCheckNames } from '@masthead/contract/schemas/operator.ts'
import { countExpiringSoon } from '../../certificates/read-workload.ts'
import { isoTime } from '../../clock.ts'
import { countRows } from '../../database/count-rows.ts'
import { countDomainsByState } from '../../domains/read-workload.ts'
import { withinBudget } from '../../within-budget.ts'
import type { ApiParts } from '../api-parts.ts'
import { checks, deadline, type HealthParts } from './checks.ts'
import { oneAtATime } from './one-at-a-time.ts'

type Parts = HealthParts & Pick<ApiParts, 'version' | 'log'>

/** Tells how the server is. Whatever is wrong with a part is in the answer; none keeps the others from being told. */
export function createHealth(parts: Parts): () => Promise<Health> {
  const { context, version, log } = parts
  const startedAt = isoTime(context.now())
  const looks = healthCheckNames.map((name) => lookAt(parts, name))
  const count = oneAtATime(() => countAll(parts))

  return async () => {
    const counting = withinBudget(count(), deadline).catch((err: unknown) => {
      log.warn({ err }, 'what there is could not be counted')
      return null
    })
    return {
      version,
      startedAt,
      dialect: context.database.dialect,
      checks: await Promise.all(looks.map((look) => look())),
      counts: await counting,
    }
  }
}

function lookAt(parts: Parts, name: HealthCheck['name']): () => Promise<HealthCheck> {
  const { look, otherwise } = checks[name]
  const lookOnce = oneAtATime(() => look(parts))
  return async () => {
    try {
      return { name, ...(await withinBudget(lookOnce(), deadline)) }
    } catch (err) {
      parts.log.warn({ err, check: name }, 'a part of the server is not well')
      return { name, ok: false, message: otherwise }
    }
  }
}

async function countAll({ context }: HealthParts): Promise<NonNullable<Health['counts']>> {
  const [rows, domains, certificatesExpiringSoon] = await Promise.all([
    countRows(context.database),
    countDomainsByState(context),
    countExpiringSoon(context),
  ])
  return { ...rows, domains, certificatesExpiringSoon }
}
