import type { endpointGroups } from '@masthead/contract/endpoints.ts'
import { toAccount } from '../../accounts/account.ts'
import { Problem } from '../../kernel/problem.ts'
import type { OpenedSession } from '../../people/sign-in/session.ts'
import { isSetUp, setUp } from '../../people/sign-in/set-up.ts'
import type { ApiParts, Handlers } from '../handler.ts'
import { readDevice } from '../identity/cookies.ts'
import { runOneTime } from '../one-time-requests.ts'
import { beginSession } from './session.ts'

export function serverRoutes(parts: ApiParts): Handlers<keyof (typeof endpointGroups)['Server']> {
  const { context, config, version } = parts
  const { commandLine } = parts.packages
  return {
    getServer: async () => ({
      version,
      platformDomain: config.platformDomain,
      setupNeeded: !(await isSetUp(context)),
      signup: config.signup,
      billing: config.billing,
      internalCa: parts.internalRoot !== null,
      lab: parts.lab !== null,
      commandLine: commandLine && {
        url: commandLine.url,
        sha256: commandLine.sha256,
        version: commandLine.version,
      },
      mail: config.mail !== null,
      uploadLimits: context.limits,
    }),
    getCaRoot: async () => {
      const { internalRoot } = parts
      if (internalRoot !== null) return (await internalRoot()).certificatePem
      throw new Problem('not_found', 'This server does not use its own CA.')
    },
    setUp: async (call) => {
      const input = { ...call.body, device: readDevice(call.request), serverName: config.platformDomain }
      const opened = await runOneTime<OpenedSession>(context, call, (keep) => setUp(context, input, keep))
      return beginSession(context, call, opened)
    },
    getWhoami: async ({ actor }) => {
      const account = actor.kind === 'operator' || actor.account === null ? null : toAccount(actor.account)
      const person = actor.kind === 'person' ? actor.person : null
      const key = actor.kind === 'key' ? actor.key : null
      const scopes = actor.kind === 'operator' ? [] : [...actor.scopes]
      return { kind: actor.kind, account, person, key, scopes }
    },
  }
}
