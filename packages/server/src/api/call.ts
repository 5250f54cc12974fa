import type { Readable } from 'node:stream'
import type { EndpointName, endpoints } from '@masthead/contract/endpoints.ts'
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

type Given<N extends EndpointName> = (typeof endpoints)[N] extends { answers: 'text/event-stream' }
  ? Readable
  : Answer<N>

export type Handler<N extends EndpointName> = (call: Call<N>) => Promise<Given<N>>
export type Handlers<N extends EndpointName> = { [Name in N]: Handler<Name> }
