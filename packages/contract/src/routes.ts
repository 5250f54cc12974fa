import { z } from 'zod'
import { maxListedFiles } from './deployments.ts'
import { accountHeader } from './endpoints/endpoint.ts'
import type { EndpointName } from './endpoints.ts'
import {
  account,
  accountDeletion,
  accountName,
  customLimits,
  deletedAccount,
  event,
  eventKind,
  plan,
} from './schemas/account.ts'
import {
  activateQuery,
  activation,
  createdDeployment,
  createQuery,
  deployment,
  deploymentFile,
  newDeployment,
  sha256,
} from './schemas/deployment.ts'
import { certificateUpload } from './schemas/domains/certificate.ts'
import { domainCheck } from './schemas/domains/dns-check.ts'
import {
  domain,
  domainChange,
  hostnameInput,
  newDomain,
  removedDomain,
  timelineEntry,
} from './schemas/domains/domain.ts'
import { domainConfig, domainConfigInput } from './schemas/domains/domain-config.ts'
import { proofRoutes } from './schemas/domains/proof.ts'
import { idSchema, noBody, pageLimit, pageOf, pageQuery, projectParam } from './schemas/fields.ts'
import {
  claimedLogin,
  createdKey,
  exchangedKey,
  key,
  login,
  loginCode,
  newKey,
  newLogin,
  newTrustedPublisher,
  startedLogin,
  tokenExchange,
  trustedPublisher,
} from './schemas/key.ts'
import { labRecord, labRecordInput, labRecordParams } from './schemas/lab.ts'
import {
  health,
  operatorAccount,
  operatorAccountsQuery,
  operatorBan,
  operatorCertificate,
  operatorCertificatesQuery,
  operatorPeopleQuery,
  operatorPerson,
  operatorSite,
  operatorSitesQuery,
  server,
  suspension,
  takedownInput,
} from './schemas/operator.ts'
import {
  changedMember,
  cliLogin,
  createdInvitation,
  email,
  endedMembership,
  endedSessions,
  identity,
  invitation,
  invitationPreview,
  linkToken,
  member,
  memberKeys,
  newPerson,
  password,
  passwordChange,
  passwordReset,
  passwordResetPreview,
  personChange,
  personDetails,
  personName,
  personSession,
  role,
  session,
} from './schemas/people.ts'
import { newProject, project, projectChange, projectsQuery, protectionInput } from './schemas/project.ts'
import { explainQuery, explanation, rulesQuery, siteRule } from './schemas/site-rule.ts'
import { usage } from './schemas/usage.ts'
import { createdWebhook, delivery, newWebhook, webhook, webhookChange } from './schemas/webhook.ts'

/** The schemas of a route's input and output. */
export interface RouteSchemas {
  params?: z.ZodType
  query?: z.ZodType
  body?: z.ZodType
  /** Left out if the response has no body. */
  answer?: z.ZodType
}

const inProject = z.object({ project: projectParam })
const inDeployment = inProject.extend({ deployment: idSchema('deployment') })
const inDomain = inProject.extend({
  hostname: z.string().min(1).max(260).meta({ description: 'The hostname, in Unicode or ASCII form' }),
})
const inWebhook = z.object({ webhook: idSchema('webhook') })

export const routes = {
  getServer: { answer: server },
  getCaRoot: { answer: z.string() },
  setUp: { body: newPerson.extend({ token: linkToken }), answer: session },
  getWhoami: { answer: identity },

  signUp: { body: newPerson, answer: session },
  signIn: { body: z.strictObject({ email, password: z.string().min(1).max(200) }), answer: session },
  getSession: { answer: session },
  setDefaultAccount: { body: z.strictObject({ accountId: idSchema('account') }), answer: session },
  signOut: {},
  enterSite: {
    body: z.strictObject({
      request: z.string().max(2_000).meta({ description: 'From the link on the sign-in page of the site' }),
      to: z.string().max(2_000).default('/').meta({ description: 'Where to go on the site' }),
    }),
    answer: z.object({
      url: z.string().meta({ description: 'Open it within a minute, once: it signs in to the site' }),
      host: z.string(),
    }),
  },

  getPerson: { answer: personDetails },
  changePerson: { body: personChange, answer: personDetails },
  changePassword: { body: passwordChange, answer: endedSessions },
  listSessions: { query: pageQuery, answer: pageOf(personSession) },
  endSession: { params: z.object({ session: idSchema('session') }) },
  endOtherSessions: { answer: endedSessions },
  listCliLogins: { query: pageQuery, answer: pageOf(cliLogin) },
  revokeCliLogin: { params: z.object({ key: idSchema('key') }) },
  leaveAccount: { params: z.object({ account: idSchema('account') }) },
  lookUpPasswordReset: { body: z.strictObject({ token: linkToken }), answer: passwordResetPreview },
  resetPassword: { body: z.strictObject({ token: linkToken, password }), answer: session },

  startLogin: { body: newLogin, answer: startedLogin },
  claimLogin: { body: z.strictObject({ secret: linkToken }), answer: claimedLogin },
  getLogin: { params: z.object({ code: loginCode }), answer: login },
  approveLogin: { params: z.object({ code: loginCode }), body: noBody },
  denyLogin: { params: z.object({ code: loginCode }), body: noBody },

  getAccount: { answer: account },
  renameAccount: { body: z.strictObject({ name: accountName }), answer: account },
  deleteAccount: { query: accountDeletion, answer: deletedAccount },
  changePlan: { body: z.strictObject({ plan, suspendDomains: z.boolean().default(false) }), answer: account },
  getUsage: { answer: usage },
  listEvents: {
    query: pageQuery.extend({ kind: eventKind.optional(), project: projectParam.optional() }),
    answer: pageOf(event),
  },
  streamChanges: {
    query: z.strictObject({
      account: z
        .string()
        .max(60)
        .optional()
        .meta({ description: `Like ${accountHeader}, which an EventSource cannot send` }),
    }),
  },

  listMembers: { query: pageQuery, answer: pageOf(member) },
  changeMember: {
    params: z.object({ person: idSchema('person') }),
    body: z.strictObject({ role, keys: memberKeys }),
    answer: changedMember,
  },
  removeMember: {
    params: z.object({ person: idSchema('person') }),
    query: z.strictObject({ keys: memberKeys }),
    answer: endedMembership,
  },
  createPasswordReset: {
    params: z.object({ person: idSchema('person') }),
    body: noBody,
    answer: passwordReset,
  },
  listInvitations: { query: pageQuery, answer: pageOf(invitation) },
  createInvitation: { body: z.strictObject({ email, role }), answer: createdInvitation },
  revokeInvitation: { params: z.object({ invitation: idSchema('invitation') }) },
  lookUpInvitation: { body: z.strictObject({ token: linkToken }), answer: invitationPreview },
  acceptInvitation: {
    body: z.strictObject({ token: linkToken, name: personName.optional(), password: password.optional() }),
    answer: session,
  },

  listKeys: { query: pageQuery, answer: pageOf(key) },
  createKey: { body: newKey, answer: createdKey },
  revokeKey: { params: z.object({ key: idSchema('key') }) },

  listTrustedPublishers: { query: pageQuery, answer: pageOf(trustedPublisher) },
  addTrustedPublisher: { body: newTrustedPublisher, answer: trustedPublisher },
  removeTrustedPublisher: { params: z.object({ publisher: idSchema('publisher') }) },
  exchangeToken: { body: tokenExchange, answer: exchangedKey },
  ...proofRoutes,
  listWebhooks: { query: pageQuery, answer: pageOf(webhook) },
  createWebhook: { body: newWebhook, answer: createdWebhook },
  getWebhook: { params: inWebhook, answer: webhook },
  changeWebhook: { params: inWebhook, body: webhookChange, answer: webhook },
  removeWebhook: { params: inWebhook },
  rotateWebhookSecret: { params: inWebhook, body: noBody, answer: createdWebhook },
  testWebhook: { params: inWebhook, body: noBody, answer: delivery },
  listDeliveries: { params: inWebhook, query: pageQuery, answer: pageOf(delivery) },
  resendDelivery: {
    params: inWebhook.extend({ delivery: idSchema('delivery') }),
    body: noBody,
    answer: delivery,
  },

  listProjects: { query: projectsQuery, answer: pageOf(project) },
  createProject: { body: newProject, answer: project },
  getProject: { params: inProject, answer: project },
  changeProject: { params: inProject, body: projectChange, answer: project },
  deleteProject: { params: inProject },
  setProtection: { params: inProject, body: protectionInput, answer: project },
  removeProtection: { params: inProject },
  restoreProtection: { params: inProject, body: noBody, answer: project },

  listDeployments: { params: inProject, query: pageQuery, answer: pageOf(deployment) },
  createDeployment: {
    params: inProject,
    query: createQuery,
    body: newDeployment,
    answer: createdDeployment,
  },
  getDeployment: { params: inDeployment, answer: deployment },
  listFiles: {
    params: inDeployment,
    query: pageQuery.extend({ limit: pageLimit(maxListedFiles) }),
    answer: pageOf(deploymentFile),
  },
  listRules: { params: inDeployment, query: pageQuery.extend(rulesQuery.shape), answer: pageOf(siteRule) },
  explainAddress: { query: explainQuery, answer: explanation },
  putFiles: {
    params: inDeployment,
    answer: z.object({
      received: z.number().int().meta({ description: 'Number of distinct files received' }),
    }),
  },
  putFile: { params: inDeployment.extend({ sha256 }) },
  finalizeDeployment: { params: inDeployment, query: activateQuery, body: noBody, answer: deployment },
  activateDeployment: { params: inDeployment, body: activation, answer: deployment },
  deleteDeployment: { params: inDeployment },

  listDomains: { params: inProject, query: pageQuery, answer: pageOf(domain) },
  addDomain: { params: inProject, body: newDomain, answer: domain },
  getDomain: { params: inDomain, answer: domain },
  changeDomain: { params: inDomain, body: domainChange, answer: domain },
  removeDomain: { params: inDomain, answer: removedDomain },
  verifyDomain: { params: inDomain, body: noBody, answer: domain },
  reverifyDomain: { params: inDomain, body: noBody, answer: domain },
  uploadCertificate: { params: inDomain, body: certificateUpload, answer: domain },
  handOverCertificate: { params: inDomain, answer: domain },
  listTimeline: { params: inDomain, query: pageQuery, answer: pageOf(timelineEntry) },
  getDomainConfig: { params: inProject, answer: domainConfig },
  putDomainConfig: { params: inProject, body: domainConfigInput, answer: domainConfig },
  checkDomain: { body: z.strictObject({ hostname: hostnameInput }), answer: domainCheck },

  listLabRecords: { query: pageQuery, answer: pageOf(labRecord) },
  setLabRecord: { params: labRecordParams, body: labRecordInput, answer: labRecord },
  removeLabRecord: { params: labRecordParams },

  createAccount: {
    body: z.strictObject({
      name: accountName,
      plan: plan.default('free'),
      ownerEmail: email.optional().meta({ description: 'Invite this person as the owner' }),
    }),
    answer: z.object({
      account,
      key: createdKey,
      invitation: createdInvitation
        .nullable()
        .meta({ description: 'The invitation for `ownerEmail`, with its link; null if no email was given' }),
    }),
  },
  inviteOwner: {
    params: z.object({ account: idSchema('account') }),
    body: z.strictObject({ email }),
    answer: createdInvitation,
  },
  suspendAccount: {
    params: z.object({ account: idSchema('account') }),
    body: suspension,
    answer: account,
  },
  restoreAccount: { params: z.object({ account: idSchema('account') }), answer: account },
  listSites: { query: operatorSitesQuery, answer: pageOf(operatorSite) },
  takeDownSite: { params: inProject, body: takedownInput, answer: operatorSite },
  restoreSite: { params: inProject, answer: operatorSite },
  listPeople: { query: operatorPeopleQuery, answer: pageOf(operatorPerson) },
  changeOperator: {
    params: z.object({ person: idSchema('person') }),
    body: z.strictObject({ operator: z.boolean() }),
    answer: operatorPerson,
  },
  resetPasswordOf: {
    params: z.object({ person: idSchema('person') }),
    body: noBody,
    answer: passwordReset,
  },
  listAccounts: { query: operatorAccountsQuery, answer: pageOf(operatorAccount) },
  listBans: { query: pageQuery, answer: pageOf(operatorBan) },
  listCertificates: { query: operatorCertificatesQuery, answer: pageOf(operatorCertificate) },
  getHealth: { answer: health },
  liftBan: { params: z.object({ key: idSchema('key') }) },
  setAccountPlan: {
    params: z.object({ account: idSchema('account') }),
    body: z
      .strictObject({ plan, limits: customLimits.optional() })
      .refine((change) => (change.plan === 'enterprise') === (change.limits !== undefined), {
        path: ['limits'],
        message: 'is required for the enterprise plan, and allowed only there',
      })
      .meta({ examples: [{ plan: 'enterprise', limits: { perMinute: 5_000, perDay: 1_000_000 } }] }),
    answer: account,
  },
} as const satisfies Record<EndpointName, RouteSchemas>

type Sent<T> = T extends z.ZodType ? z.input<T> : undefined
type Read<T> = T extends z.ZodType ? z.output<T> : undefined
type Schema<N extends EndpointName, Part extends keyof RouteSchemas> = Part extends keyof (typeof routes)[N]
  ? (typeof routes)[N][Part]
  : undefined

/** What a caller sends. */
export type Sends<N extends EndpointName, Part extends 'params' | 'query' | 'body'> = Sent<Schema<N, Part>>
/** What a handler gets: validated, with defaults filled in. */
export type Receives<N extends EndpointName, Part extends 'params' | 'query' | 'body'> = Read<Schema<N, Part>>
export type Answer<N extends EndpointName> = Read<Schema<N, 'answer'>>
