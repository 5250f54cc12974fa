import type { Client } from '@masthead/client/client.ts'
import { CommandError } from './errors/command-error.ts'

/** The ID token of a job of GitLab, or of any other program. */
const ownVariable = 'MASTHEAD_ID_TOKEN'
const timeoutMs = 10_000

/** Whether the pipeline we run in can vouch for itself. */
export function canIdentify(env: NodeJS.ProcessEnv): boolean {
  return Boolean(env[ownVariable] || (env.ACTIONS_ID_TOKEN_REQUEST_URL && env.ACTIONS_ID_TOKEN_REQUEST_TOKEN))
}

/** Exchanges the token of the pipeline for a key that can deploy to this project for ten minutes. */
export async function exchangePipelineToken({
  client,
  server,
  project,
  env,
  signal,
}: {
  /** Without a key. */
  client: Client
  server: string
  project: string
  env: NodeJS.ProcessEnv
  signal: AbortSignal
}): Promise<string> {
  const token = env[ownVariable] || (await requestToken(env, server, signal))
  const { secret } = await client.exchangeToken({ body: { token: token.trim(), project }, signal })
  return secret
}

/** The runners of GitHub and Forgejo hand out a token for the audience that a job asks for. */
async function requestToken(env: NodeJS.ProcessEnv, audience: string, signal: AbortSignal): Promise<string> {
  try {
    const url = new URL(env.ACTIONS_ID_TOKEN_REQUEST_URL ?? '')
    url.searchParams.set('audience', audience)
    const response = await fetch(url, {
      headers: { authorization: `Bearer ${env.ACTIONS_ID_TOKEN_REQUEST_TOKEN}`, accept: 'application/json' },
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    })
    const { value } = (await response.json()) as { value?: unknown }
    if (typeof value === 'string') return value
    throw new Error(`status ${response.status}`)
  } catch (error) {
    signal.throwIfAborted()
    throw new CommandError(
      'no_pipeline_token',
      'The runner gave this job no ID token.',
      'Give the job the permission `id-token: write` (Forgejo: `enable-openid-connect: true`), or set MASTHEAD_KEY.',
      'denied',
      error,
    )
  }
}
