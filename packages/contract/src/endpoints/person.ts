import type { Endpoints } from './endpoint.ts'

export const session = {
  signUp: {
    route: 'POST /v1/signup',
    access: 'public',
    summary: 'Sign up and create an account, if sign-up is open',
    status: 201,
    problems: ['signup_closed', 'email_taken', 'too_many_attempts'],
    oneTime: true,
  },
  signIn: {
    route: 'POST /v1/session',
    access: 'public',
    summary: 'Sign in',
    status: 201,
    problems: ['wrong_credentials', 'too_many_attempts'],
  },
  getSession: {
    route: 'GET /v1/session',
    access: 'session',
    summary: 'The signed-in person, their accounts, and the account and role of this request',
  },
  setDefaultAccount: {
    route: 'PATCH /v1/session',
    access: 'session',
    summary: 'Choose the default account',
    problems: ['not_found'],
  },
  signOut: {
    route: 'DELETE /v1/session',
    access: 'session',
    summary: 'Sign out',
    status: 204,
    doneIf: ['unauthenticated'],
  },
  enterSite: {
    route: 'POST /v1/site-entries',
    access: 'session',
    summary: 'Enter a protected site as a member of its account, without its password',
    status: 201,
    problems: ['not_found', 'site_elsewhere', 'link_invalid'],
  },
} as const satisfies Endpoints

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
    oneTime: true,
  },
  listSessions: {
    route: 'GET /v1/person/sessions',
    access: 'session',
    summary: 'Active sessions of the person, newest first',
  },
  endSession: {
    route: 'DELETE /v1/person/sessions/{session}',
    access: 'session',
    summary: 'End a session',
    status: 204,
    problems: ['not_found'],
    doneIf: ['unauthenticated'],
  },
  endOtherSessions: {
    route: 'DELETE /v1/person/sessions',
    access: 'session',
    summary: 'End all sessions but this one',
  },
  listCliLogins: {
    route: 'GET /v1/person/keys',
    access: 'session',
    summary: 'Keys that the person got by `masthead login`, in all accounts, newest first',
  },
  revokeCliLogin: {
    route: 'DELETE /v1/person/keys/{key}',
    access: 'session',
    summary: 'Revoke a key that the person got by `masthead login`',
    status: 204,
    problems: ['not_found'],
  },
  leaveAccount: {
    route: 'DELETE /v1/person/accounts/{account}',
    access: 'session',
    summary: 'Leave an account',
    status: 204,
    problems: ['not_found', 'last_owner'],
    doneIf: ['wrong_account'],
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
    summary: 'Set a new password with a reset link and sign in; all earlier sessions end',
    status: 201,
    problems: ['link_invalid'],
    oneTime: true,
  },
} as const satisfies Endpoints

export const commandLine = {
  startLogin: {
    route: 'POST /v1/logins',
    access: 'public',
    summary: 'Ask for a key; a person approves it in the browser',
    status: 201,
    problems: ['too_many_attempts'],
  },
  claimLogin: {
    route: 'POST /v1/logins/claim',
    access: 'public',
    summary: 'Collect the key once it is approved',
    problems: ['link_invalid'],
    oneTime: true,
  },
  getLogin: { route: 'GET /v1/logins/{code}', access: 'session', summary: 'The program that asks for a key' },
  approveLogin: {
    route: 'POST /v1/logins/{code}/approve',
    access: 'session',
    summary: 'Approve it: create a key with your scopes',
    inAccount: true,
    status: 204,
  },
  denyLogin: { route: 'POST /v1/logins/{code}/deny', access: 'session', summary: 'Deny it', status: 204 },
} as const satisfies Endpoints
