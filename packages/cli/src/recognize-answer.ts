import type { Success } from '@masthead/client/client.ts'
import type { Endpoint } from '@masthead/contract/endpoints/endpoint.ts'
import { type EndpointName, endpoints } from '@masthead/contract/endpoints.ts'
import type { RouteSchemas } from '@masthead/contract/routes.ts'
import manifest from '../package.json' with { type: 'json' }
import { otherVersionError } from './errors/command-error.ts'

/** Finds answers that are not of the contract. Its schemas take longer to load than most commands run. */
export class AnswerCheck {
  readonly #trusted = new Map<EndpointName, Success>()

  /** Trusts what names Masthead's version. Other answers are of another program, or a proxy has removed the header. */
  readonly recognize = async (success: Success): Promise<boolean> => {
    if (success.version === null) return isOfContract(success)
    this.#trusted.set(success.endpoint, success)
    return true
  }

  /** The version of Masthead that gave an answer which this program does not expect; null if all were as expected. */
  async findOtherVersion(): Promise<string | null> {
    for (const success of this.#trusted.values()) {
      if (!(await isOfContract(success))) return success.version
    }
    return null
  }
}

async function isOfContract({ endpoint, status, answer }: Success): Promise<boolean> {
  const expected: Endpoint = endpoints[endpoint]
  if (status !== (expected.status ?? 200)) return false
  const { routes } = await import('@masthead/contract/routes.ts')
  const schemas: RouteSchemas = routes[endpoint]
  return schemas.answer === undefined || schemas.answer.safeParse(answer).success
}

/** A crash may be the fault of an answer of another version. */
export async function explainCrash(error: unknown, server: string, answers: AnswerCheck): Promise<unknown> {
  if (!(error instanceof TypeError || error instanceof RangeError)) return error
  const other = await answers.findOtherVersion()
  return other === null ? error : otherVersionError(server, other, manifest.version, error)
}
