/** What the package offers to programs outside. */
export { type Client, type ClientOptions, createClient, type Retry } from './client.ts'
export {
  ConnectionError,
  EndlessListError,
  LostAnswerError,
  ProblemError,
  UnexpectedAnswerError,
} from './errors.ts'
export { listAll, paginate } from './paginate.ts'
export type { Bytes, CallInput } from './request.ts'
export { defaultRetryPolicy, type RetryPolicy } from './retry.ts'
export { type PackedFile, packTar } from './upload.ts'
