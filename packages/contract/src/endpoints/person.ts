import type { Endpoints } from './endpoint.ts'

export const person = {
  getPerson: {
    route: 'GET /v1/person',
    access: 'session',
    summary: 'The signed-in person and their accounts',
  },
  changePerson: {
    route: 'PATCH /v1/person',
    access: 'session',
    summary: 'Change the name or, with the current password, the email address',
    problems: ['wrong_password', 'email_taken', 'too_many_attempts'],
  },
  changePassword: {
    route: 'PUT /v1/person/password',
    access: 'session',
    summary: 'Change the password; all other sessions end',
    problems: ['wrong_password', 'too_many_attempts'],
  },
  listSessions: {
    route: 'GET /v1/person/sessions',
    access: 'session',
    summary: 'Where the person is signed in, newest first',
  },
  endSession: {
    route: 'DELETE /v1/person/sessions/{session}',
    access: 'session',
    summary: 'End a session',
    status: 204,
    problems: ['not_found'],
  },
  endOtherSessions: {
    route: 'DELETE /v1/person/sessions',
    access: 'session',
    summary: 'End all sessions but this one',
  },
  leaveAccount: {
    route: 'DELETE /v1/person/accounts/{account}',
    access: 'session',
    summary: 'Leave an account',
    status: 204,
    problems: ['not_found', 'last_owner'],
  },
  lookUpPasswordReset: {
    route: 'POST /v1/password-resets/lookup',
    access: 'public',
    summary: 'Whose password a reset link is for',
    problems: ['link_invalid'],
  },
  resetPassword: {
    route: 'POST /v1/password-resets/use',
    access: 'public',
    summary: 'Set a new password by a reset link and sign in; all earlier sessions end',
    status: 201,
    problems: ['link_invalid'],
  },
} as const satisfies Endpoints
