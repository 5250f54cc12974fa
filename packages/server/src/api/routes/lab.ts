import type { endpointGroups } from '@masthead/contract/endpoints.ts'
import type { Lab } from '../../lab/lab.ts'
import { Problem } from '../../problem.ts'
import type { ApiParts } from '../api-parts.ts'
import type { Handlers } from '../call.ts'

export function labRoutes({ lab }: ApiParts): Handlers<keyof (typeof endpointGroups)['Lab']> {
  function theLab(): Lab {
    if (lab === null) throw new Problem('lab_off', 'This server has no DNS of its own.')
    return lab
  }
  return {
    listLabRecords: async ({ query }) => theLab().list(query),
    setLabRecord: async ({ params, body }) => theLab().set({ ...params, ...body }),
    removeLabRecord: async ({ params }) =>
      theLab()
        .remove(params.name, params.type)
        .then(() => undefined),
  }
}
