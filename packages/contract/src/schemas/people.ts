import { z } from 'zod'
import { roleNames, scopeNames } from '../scopes.ts'
import { canonicalEmail } from '../text/email-address.ts'
import { account, accountName } from './account.ts'
import { idSchema, name } from './fields.ts'
import { key } from './key.ts'

export const email = z.string().overwrite(canonicalEmail).pipe(z.email().max(254))
export const personName = name.meta({ examples: ['Ada'] })
export const password = z.string().min(10).max(200).meta({ description: 'At least ten characters' })
export const role = z.enum(roleNames)
/** A secret that came in a link. */
export const linkToken = z.string().min(1).max(200)

export const person = z
  .object({ id: idSchema('person'), name: z.string(), email: z.string(), operator: z.boolean() })
  .meta({ id: 'Person' })

export const session = z
  .object({
    person,
    account: account.nullable().meta({ description: 'Null for a person without an account' }),
    role: role.nullable(),
    accounts: z.array(account.pick({ id: true, name: true, suspension: true }).extend({ role })),
    expiresAt: z.iso.datetime(),
  })
  .meta({ id: 'Session' })

export const newPerson = z.strictObject({
  name: personName,
  email,
  password,
  accountName: accountName.optional(),
})

export const member = z
  .object({ person: person.omit({ operator: true }), role, joinedAt: z.iso.datetime() })
  .meta({ id: 'Member' })

/** What happens to the keys, trusted publishers and webhooks of a member who leaves or loses the role for them. */
export const memberKeys = z
  .enum(['revoke', 'keep'])
  .default('revoke')
  .meta({
    description:
      '`keep`: keys of the account, trusted publishers and webhooks stay, and you become responsible for them. ' +
      'Keys created by `masthead login` are revoked in any case; invitations stay. Refused for yourself.',
  })
const revokedKeys = z
  .array(z.object({ id: idSchema('key'), name: z.string() }))
  .meta({ description: 'The keys that were revoked' })

const removedPublishers = z
  .array(z.object({ id: idSchema('publisher'), name: z.string() }))
  .meta({ description: 'The trusted publishers that were removed' })
const removedWebhooks = z
  .array(z.object({ id: idSchema('webhook'), host: z.string() }))
  .meta({ description: 'The webhooks that were removed' })

export const endedMembership = z
  .object({ revokedKeys, removedPublishers, removedWebhooks })
  .meta({ id: 'EndedMembership' })
export const changedMember = member.extend(endedMembership.shape).meta({ id: 'ChangedMember' })

export const invitation = z
  .object({
    id: idSchema('invitation'),
    email: z.string(),
    role,
    invitedBy: z.string(),
    createdAt: z.iso.datetime(),
    expiresAt: z.iso.datetime(),
  })
  .meta({ id: 'Invitation' })

export const createdInvitation = invitation
  .extend({ url: z.string().meta({ description: 'The link to send to the person; shown only once' }) })
  .meta({ id: 'CreatedInvitation' })

export const invitationPreview = z
  .object({
    accountName: z.string(),
    email: z.string(),
    role,
    personExists: z
      .boolean()
      .meta({ description: 'If true, sign in to accept; if false, choose a name and a password' }),
  })
  .meta({ id: 'InvitationPreview' })

/** Who a request is authenticated as. */
export const identity = z
  .object({
    kind: z.enum(['key', 'person', 'operator']),
    account: account.nullable(),
    person: person.nullable(),
    key: z.object({ id: idSchema('key'), name: z.string() }).nullable(),
    scopes: z.array(z.enum(scopeNames)),
  })
  .meta({ id: 'Identity' })

export const personDetails = person
  .extend({
    createdAt: z.iso.datetime(),
    accounts: session.shape.accounts,
  })
  .meta({ id: 'PersonDetails' })

export const personChange = z
  .strictObject({
    name: personName.optional(),
    email: email.optional(),
    current: z
      .string()
      .min(1)
      .max(200)
      .optional()
      .meta({ description: 'The current password; needed to change the email address' }),
  })
  .refine((change) => change.name !== undefined || change.email !== undefined, 'must name a field to change')

export const passwordChange = z.strictObject({ current: z.string().min(1).max(200), new: password })

export const personSession = z
  .object({
    id: idSchema('session'),
    current: z.boolean().meta({ description: 'Whether it is the session of this request' }),
    browser: z
      .string()
      .nullable()
      .meta({ examples: ['Firefox on Linux'] }),
    address: z.string().nullable().meta({ description: 'IP address it was last used from' }),
    createdAt: z.iso.datetime(),
    lastSeenAt: z.iso.datetime().meta({ description: 'Accurate to ten minutes' }),
    expiresAt: z.iso.datetime(),
  })
  .meta({ id: 'PersonSession' })

/** A key from `masthead login`. */
export const cliLogin = key
  .pick({ id: true, name: true, hint: true, createdAt: true, lastUsedAt: true })
  .extend({ account: account.pick({ id: true, name: true }) })
  .meta({ id: 'CliLogin' })

export const endedSessions = z
  .object({ sessionsEnded: z.number().int().meta({ description: 'How many other sessions ended' }) })
  .meta({ id: 'EndedSessions' })

export const passwordReset = z
  .object({
    email: z.string(),
    url: z.string().meta({ description: 'The link to send to the person; shown only once' }),
    expiresAt: z.iso.datetime(),
  })
  .meta({ id: 'PasswordReset' })

export const passwordResetPreview = z
  .object({ name: z.string(), email: z.string(), expiresAt: z.iso.datetime() })
  .meta({ id: 'PasswordResetPreview' })

export type PersonDetails = z.infer<typeof personDetails>
export type PersonSession = z.infer<typeof personSession>
export type CliLogin = z.infer<typeof cliLogin>
export type PasswordReset = z.infer<typeof passwordReset>
export type PasswordResetPreview = z.infer<typeof passwordResetPreview>
export type Session = z.infer<typeof session>
export type Person = z.infer<typeof person>
export type Member = z.infer<typeof member>
export type EndedMembership = z.infer<typeof endedMembership>
export type CreatedInvitation = z.infer<typeof createdInvitation>
export type Invitation = z.infer<typeof invitation>
export type Identity = z.infer<typeof identity>
