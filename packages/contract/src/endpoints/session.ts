import type { Endpoints } from './endpoint.ts'

export const session = {
  signUp: {
    route: 'POST /v1/signup',
    access: 'public',
    summary: 'Make a person with an account of their own, where sign-up is open',
    status: 201,
    problems: ['signup_closed', 'email_taken', 'too_many_attempts'],
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
    summary: 'The signed-in person, their accounts, and the account and role that the request acts in',
  },
  setDefaultAccount: {
    route: 'PATCH /v1/session',
    access: 'session',
    summary: 'Choose the account to open where an address names none',
    problems: ['not_found'],
  },
  signOut: { route: 'DELETE /v1/session', access: 'session', summary: 'Sign out', status: 204 },
} as const satisfies Endpoints
