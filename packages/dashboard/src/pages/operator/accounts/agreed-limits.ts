import type { AgreedLimits } from '@masthead/contract/schemas/account.ts'

/** What was typed into the fields; no number of domains is any number. */
export function agreedLimits(values: Record<string, string>): AgreedLimits {
  const { perMinute, perDay, domainsPerProject = '' } = values
  return {
    perMinute: Number(perMinute),
    perDay: Number(perDay),
    ...(domainsPerProject === '' ? {} : { domainsPerProject: Number(domainsPerProject) }),
  }
}
