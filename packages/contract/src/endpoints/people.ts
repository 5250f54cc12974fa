import type { Endpoints } from './endpoint.ts'

export const people = {
  listMembers: { route: 'GET /v1/members', access: 'read', summary: 'Who belongs to the account' },
  changeMember: {
    route: 'PATCH /v1/members/{person}',
    access: 'admin',
    summary: 'Give a person another role',
    problems: ['last_owner'],
  },
  removeMember: {
    route: 'DELETE /v1/members/{person}',
    access: 'admin',
    summary: 'Remove a person from the account',
    problems: ['last_owner'],
  },
  createPasswordReset: {
    route: 'POST /v1/members/{person}/password-reset',
    access: 'admin',
    peopleOnly: true,
    summary: 'Create a link by which a member of this account alone sets a new password',
    status: 201,
    problems: ['not_found', 'reset_not_allowed'],
  },
  listInvitations: { route: 'GET /v1/invitations', access: 'admin', summary: 'Invitations that are open' },
  createInvitation: {
    route: 'POST /v1/invitations',
    access: 'admin',
    summary: 'Invite a person; the answer holds the link to send',
    status: 201,
    problems: ['already_member'],
  },
  revokeInvitation: {
    route: 'DELETE /v1/invitations/{invitation}',
    access: 'admin',
    summary: 'Take an invitation back',
    status: 204,
  },
  lookUpInvitation: {
    route: 'POST /v1/invitations/lookup',
    access: 'public',
    summary: 'What an invitation is for',
    problems: ['link_invalid'],
  },
  acceptInvitation: {
    route: 'POST /v1/invitations/accept',
    access: 'public',
    summary: 'Join the account',
    status: 201,
    problems: ['link_invalid', 'email_taken'],
  },
} as const satisfies Endpoints
