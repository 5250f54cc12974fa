import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { type EndpointName, endpoints } from '@masthead/contract/endpoints.ts'
import { commands } from './commands.ts'

/**
 * The command for each endpoint. `api` is for what nobody does every day, and for what belongs to a signed-in person in
 * a browser; it sends any request with the key, and the server says if a key is not enough.
 */
const reachedBy = {
  getServer: 'deploy',
  getCaRoot: 'ca',
  setUp: 'api',
  getWhoami: 'whoami',
  signUp: 'api',
  signIn: 'api',
  getSession: 'api',
  setDefaultAccount: 'api',
  signOut: 'api',
  getPerson: 'api',
  changePerson: 'api',
  changePassword: 'api',
  listSessions: 'api',
  endSession: 'api',
  endOtherSessions: 'api',
  listCliLogins: 'api',
  revokeCliLogin: 'api',
  leaveAccount: 'api',
  lookUpPasswordReset: 'api',
  resetPassword: 'api',
  startLogin: 'login',
  claimLogin: 'login',
  getLogin: 'api',
  approveLogin: 'api',
  denyLogin: 'api',
  getAccount: 'plan',
  renameAccount: 'api',
  deleteAccount: 'api',
  changePlan: 'plan',
  getUsage: 'usage',
  listEvents: 'logs',
  streamChanges: 'webhooks',
  listMembers: 'members',
  changeMember: 'members',
  removeMember: 'members',
  createPasswordReset: 'api',
  listInvitations: 'invite',
  createInvitation: 'invite',
  revokeInvitation: 'invite',
  lookUpInvitation: 'api',
  acceptInvitation: 'api',
  listKeys: 'keys',
  createKey: 'keys',
  revokeKey: 'keys',
  listTrustedPublishers: 'trust',
  addTrustedPublisher: 'trust',
  removeTrustedPublisher: 'trust',
  exchangeToken: 'deploy',
  listProjects: 'projects',
  createProject: 'projects',
  getProject: 'open',
  changeProject: 'projects',
  deleteProject: 'projects',
  explainAddress: 'rules',
  listRules: 'api',
  setProtection: 'api',
  removeProtection: 'api',
  restoreProtection: 'api',
  enterSite: 'api',
  listDeployments: 'deployments',
  createDeployment: 'deploy',
  getDeployment: 'logs',
  listFiles: 'logs',
  putFiles: 'deploy',
  putFile: 'deploy',
  finalizeDeployment: 'deploy',
  activateDeployment: 'rollback',
  deleteDeployment: 'deployments',
  listDomains: 'domains',
  addDomain: 'domains',
  getDomain: 'domains',
  changeDomain: 'domains',
  removeDomain: 'domains',
  verifyDomain: 'domains',
  reverifyDomain: 'domains',
  uploadCertificate: 'domains',
  handOverCertificate: 'domains',
  listTimeline: 'domains',
  getDomainConfig: 'domains',
  putDomainConfig: 'domains',
  checkDomain: 'domains',
  listLabRecords: 'lab',
  setLabRecord: 'lab',
  removeLabRecord: 'lab',
  listWebhooks: 'webhooks',
  createWebhook: 'webhooks',
  getWebhook: 'api',
  changeWebhook: 'webhooks',
  removeWebhook: 'webhooks',
  rotateWebhookSecret: 'webhooks',
  testWebhook: 'webhooks',
  listDeliveries: 'webhooks',
  resendDelivery: 'webhooks',
  listProofs: 'domains',
  startProof: 'domains',
  verifyProof: 'domains',
  removeProof: 'domains',
  createAccount: 'api',
  listAccounts: 'api',
  setAccountPlan: 'api',
  inviteOwner: 'api',
  suspendAccount: 'api',
  restoreAccount: 'api',
  listSites: 'api',
  takeDownSite: 'api',
  restoreSite: 'api',
  listPeople: 'api',
  changeOperator: 'api',
  resetPasswordOf: 'api',
  liftBan: 'api',
  listBans: 'api',
  listCertificates: 'api',
  getHealth: 'api',
} as const satisfies Record<EndpointName, string>

const sources = globSync('**/*.ts', { cwd: import.meta.dirname })
  .filter((file) => !file.endsWith('.test.ts'))
  .map((file) => readFileSync(join(import.meta.dirname, file), 'utf8'))

test('every endpoint is reached by a command, which calls it', () => {
  const names = new Set(commands.map(({ name }) => name))
  assert.deepEqual(Object.keys(reachedBy).sort(), Object.keys(endpoints).sort())
  for (const [endpoint, command] of Object.entries(reachedBy)) {
    assert.ok(names.has(command), `${endpoint}: there is no command ${command}`)
    const isCalled = sources.some((source) =>
      new RegExp(`(?:client|\\))\\.${endpoint}\\b|'${endpoint}'`).test(source),
    )
    assert.ok(command === 'api' || isCalled, `${endpoint} is not called`)
  }
})
