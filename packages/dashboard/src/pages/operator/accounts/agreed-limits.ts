import type { AgreedLimits } from '@masthead/contract/schemas/account.ts'

const bytesPerGigabyte = 1e9

/** What was typed into the fields; no number of domains is any number, no storage is that of the largest plan. */
export function agreedLimits(values: Record<string, string>): AgreedLimits {
  const { perMinute, perDay, domainsPerProject = '', storage = '' } = values
  return {
    perMinute: Number(perMinute),
    perDay: Number(perDay),
    ...(domainsPerProject === '' ? {} : { domainsPerProject: Number(domainsPerProject) }),
    ...(storage === '' ? {} : { storageBytes: Math.round(Number(storage) * bytesPerGigabyte) }),
  }
}

export function gigabytes(bytes: number): number {
  return bytes / bytesPerGigabyte
}
