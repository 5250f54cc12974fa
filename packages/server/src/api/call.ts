import type { EndpointName } from '@masthead/contract/endpoints.ts'
import type { Answer, Receives } from '@masthead/contract/routes.ts'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ActorFor } from './access.ts'

/** What a handler is given: everything checked. */
export interface Call<N extends EndpointName> {
  params: Receives<N, 'params'>
  query: Receives<N, 'query'>
  body: Receives<N, 'body'>
  actor: ActorFor<N>
  request: FastifyRequest
  reply: FastifyReply
}

export type Handler<N extends EndpointName> = (call: Call<N>) => Promise<Answer<N>>
export type Handlers<N extends EndpointName> = { [Name in N]: Handler<Name> }
