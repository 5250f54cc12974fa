import type { KeyPair } from '../x509/key-pair.ts'
import {
  type AcmeAccount,
  accountRefusal,
  changeKey,
  findAccount,
  type Registration,
  register,
} from './account.ts'
import { answerChallenge, type Challenge, readAuthorization } from './authorization.ts'
import { AcmeConnection, type ConnectionOptions } from './connection.ts'
import { download, finalize, listOrders, type NewOrder, newOrder, type Order, readOrder } from './order.ts'
import { readRenewalInfo } from './renewal-info.ts'

export type AcmeClient = ReturnType<typeof createAcmeClient>

/**
 * The steps of RFC 8555, one call each, so that the caller can store its progress between any two; `nextStep` says
 * which comes next. The client keeps only the directory and nonces. Failures are thrown as AcmeProblem.
 */
export function createAcmeClient(options: ConnectionOptions) {
  const connection = new AcmeConnection(options)
  return {
    directory: connection.directory,
    register: (registration: Registration) => register(connection, registration),
    findAccount: (key: KeyPair) => findAccount(connection, key),
    accountRefusal: (account: AcmeAccount) => accountRefusal(connection, account),
    changeKey: (account: AcmeAccount, newKey: KeyPair) => changeKey(connection, account, newKey),
    newOrder: (account: AcmeAccount, order: NewOrder) => newOrder(connection, account, order),
    readOrder: (account: AcmeAccount, url: string) => readOrder(connection, account, url),
    listOrders: (account: AcmeAccount) => listOrders(connection, account),
    readAuthorization: (account: AcmeAccount, url: string) => readAuthorization(connection, account, url),
    answerChallenge: (account: AcmeAccount, challenge: Pick<Challenge, 'url'>) =>
      answerChallenge(connection, account, challenge),
    finalize: (account: AcmeAccount, order: Pick<Order, 'url' | 'finalize'>, request: Uint8Array) =>
      finalize(connection, account, order, request),
    download: (account: AcmeAccount, url: string) => download(connection, account, url),
    readRenewalInfo: (id: string) => readRenewalInfo(connection, id),
  }
}
