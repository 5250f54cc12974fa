/** Trusted publishing: pipelines exchange the token of their provider for a key that lives ten minutes. */
export const trustLimits = {
  perAccount: 50,
  issuerLength: 300,
  claims: 10,
  claimNameLength: 100,
  claimValueLength: 300,
  /** Tokens of GitHub and GitLab have one to two kilobytes. */
  tokenLength: 16 * 1024,
  /** GitLab's tokens live as long as their job may run. */
  tokenHours: 24,
  keyMinutes: 10,
} as const

export interface PublisherPreset {
  title: string
  /** Null if every installation has its own. */
  issuer: string | null
  /** What the issuer looks like, for those with their own installation. */
  issuerExample: string
  /** The claim with the repository, and what it looks like. */
  repository: { claim: string; example: string }
  /** The claims that name a branch. */
  branch: (name: string) => Record<string, string>
  /** Null if its tokens do not name one. */
  environment: string | null
  /** One of these must be set: without it, everybody who has an account at the provider would be trusted. */
  identifying: readonly string[]
}

export const publisherPresets = {
  github: {
    title: 'GitHub Actions',
    issuer: 'https://token.actions.githubusercontent.com',
    issuerExample: 'https://token.actions.githubusercontent.com',
    repository: { claim: 'repository', example: 'acme/website' },
    branch: (name) => ({ ref: `refs/heads/${name}` }),
    environment: 'environment',
    identifying: ['repository', 'repository_id', 'sub'],
  },
  gitlab: {
    title: 'GitLab CI/CD',
    issuer: 'https://gitlab.com',
    issuerExample: 'https://gitlab.example.com',
    repository: { claim: 'project_path', example: 'acme/website' },
    // A tag can have the name of a branch.
    branch: (name) => ({ ref: name, ref_type: 'branch' }),
    environment: 'environment',
    identifying: ['project_path', 'project_id', 'sub'],
  },
  forgejo: {
    title: 'Forgejo Actions',
    issuer: null,
    issuerExample: 'https://codeberg.org/api/actions',
    repository: { claim: 'repository', example: 'acme/website' },
    branch: (name) => ({ ref: `refs/heads/${name}` }),
    environment: null,
    identifying: ['repository', 'sub'],
  },
} as const satisfies Record<string, PublisherPreset>

export type PresetName = keyof typeof publisherPresets
export const presetNames = Object.keys(publisherPresets) as [PresetName, ...PresetName[]]

/** The claims for what people enter. */
export function presetClaims(
  name: PresetName,
  { repository, branch, environment }: { repository: string; branch?: string; environment?: string },
): Record<string, string> {
  const preset: PublisherPreset = publisherPresets[name]
  return {
    [preset.repository.claim]: repository,
    ...(branch ? preset.branch(branch) : {}),
    ...(environment && preset.environment !== null ? { [preset.environment]: environment } : {}),
  }
}

/** Every token has these, or their meaning is fixed: comparing them says nothing about who sent it. */
const registered = ['iss', 'aud', 'exp', 'nbf', 'iat', 'jti']
/** They tell parts of one repository apart, and are the same in everybody's. */
const sharedByEverybody = [
  'ref',
  'ref_type',
  'ref_protected',
  'environment',
  'event_name',
  'base_ref',
  'head_ref',
]

/** Why these claims cannot be trusted, as the end of "must …"; null if they can. */
export function claimsError(issuer: string, claims: Readonly<Record<string, string>>): string | null {
  const names = Object.keys(claims)
  const fixed = names.find((name) => registered.includes(name))
  if (fixed !== undefined) return `must not contain ${fixed}, which we always check`
  const preset = Object.values(publisherPresets).find((one) => one.issuer === issuer)
  const isIdentified = (name: string) =>
    preset === undefined ? !sharedByEverybody.includes(name) : preset.identifying.some((one) => one === name)
  if (names.some(isIdentified)) return null
  return preset === undefined
    ? 'must contain a claim that only your pipeline has, such as repository or sub'
    : `must contain ${preset.identifying.join(', ').replace(/, (?=\w+$)/, ' or ')}, or anybody at ${preset.title} could deploy`
}

/** Why a token was refused. Programs find the name in `reason`. */
const tokenFaults = {
  malformed: 'It is not a JSON Web Token',
  algorithm: 'It is not signed, or with an algorithm that we do not accept',
  issuer: 'No trusted publisher of the project has its issuer',
  key: 'Its issuer has no such key',
  signature: 'Its signature is wrong',
  expired: 'It has expired',
  not_yet_valid: 'It is not valid yet',
  lifetime: 'It does not say when it was issued and when it ends, or lives too long',
  audience: 'It was made for another server',
  claims: 'It is from another repository, branch or environment',
  replayed: 'It was used before',
} as const

export type TokenFault = keyof typeof tokenFaults
