import { domainProblems, type ProblemKind } from './domains/domain-problems.ts'
import { trustProblems } from './trust/problems.ts'

/**
 * Every error the API can return. `code` is stable and meant for programs, `title` is the same every time, and `fix`
 * tells people what to do. What happened in this particular case goes into `detail` of the response. The server, the
 * client, the dashboard and docs/errors.md all use this table.
 */
export const problems = {
  // The request is malformed or fails validation
  malformed_json: { status: 400, title: 'The body is not valid JSON', fix: 'Send complete JSON in UTF-8.' },
  invalid_request: {
    status: 400,
    title: 'The request could not be understood',
    fix: 'Check the address, headers and body against the API reference at /docs.',
  },
  invalid_input: {
    status: 422,
    title: 'Some values are invalid',
    fix: 'Each entry in `errors` names a field and what is wrong with it.',
  },
  unsupported_media_type: {
    status: 415,
    title: 'This content type is not supported here',
    fix: 'Send the Content-Type that the API reference lists for this route.',
  },
  body_too_large: {
    status: 413,
    title: 'The body is too large',
    fix: 'Send less per request. Files can be uploaded one at a time.',
  },
  expectation_failed: {
    status: 417,
    title: 'The Expect header asks for something we do not support',
    fix: 'Send `Expect: 100-continue`, or no Expect header.',
  },
  request_timeout: { status: 408, title: 'The request took too long', fix: 'Send it without pausing.' },
  headers_too_large: { status: 431, title: 'The headers are too large', fix: 'Send at most 16 KiB.' },

  // Authentication, permissions and limits
  unauthenticated: {
    status: 401,
    title: 'An API key or a session is required',
    fix: 'Sign in, or send `Authorization: Bearer <key>` with a key that is not revoked or expired.',
  },
  wrong_credentials: {
    status: 401,
    title: 'Wrong email or password',
    fix: 'Check both and try again. If you forgot your password, ask an owner of your account for a reset link.',
  },
  wrong_password: {
    status: 403,
    title: 'The current password is wrong',
    fix: 'Enter the password you sign in with now.',
  },
  reset_not_allowed: {
    status: 403,
    title: 'Only the operator can reset this password',
    fix: 'The person also belongs to other accounts, or is an operator. Ask the operator of this server for a reset link.',
  },
  forbidden: {
    status: 403,
    title: 'This key or person is not allowed to do that',
    fix: 'Use a key with the scope named in `detail`, or ask an owner of the account.',
  },
  no_account: {
    status: 403,
    title: 'You are not a member of any account',
    fix: 'Ask an account owner for an invitation and open its link.',
  },
  account_suspended: {
    status: 403,
    title: 'The account is suspended',
    fix: 'The reason is in `suspension`. Ask the operator of this server to restore the account.',
  },
  account_required: {
    status: 400,
    title: 'The request does not say which account to use',
    fix: 'Name one of your accounts in the Masthead-Account header. `GET /v1/session` lists them.',
  },
  wrong_account: {
    status: 403,
    title: 'The request names an account that is not yours',
    fix: 'Name an account you belong to, or the account of the key.',
  },
  origin_refused: {
    status: 403,
    title: 'The request came from another site',
    fix: 'Signed-in requests must come from the dashboard. Programs use an API key.',
  },
  too_many_attempts: {
    status: 429,
    title: 'Too many sign-in attempts',
    fix: 'Wait for the time in Retry-After, then try again.',
  },
  rate_limited: {
    status: 429,
    title: 'Rate limit reached',
    fix: 'Wait for the time in Retry-After, then continue. A higher plan has higher limits.',
  },
  key_banned: {
    status: 429,
    title: 'The key is temporarily banned',
    fix: 'It kept sending requests after being told to wait. Stop it, respect Retry-After, and wait for the ban to end.',
  },
  too_many_streams: {
    status: 429,
    title: 'Too many open streams',
    fix: 'Close the streams you no longer read, or poll instead.',
  },
  too_many_uploads: {
    status: 429,
    title: 'Too many uploads at once',
    fix: 'Wait for the time in Retry-After, or for one of your uploads to finish.',
  },
  link_invalid: {
    status: 410,
    title: 'This link is no longer valid',
    fix: 'Links work once and expire. Get a new one where you got this one.',
  },
  site_elsewhere: {
    status: 409,
    title: 'This address does not lead to the site',
    fix: 'Open the site at another of its addresses, and sign in there. If the domain should show the site, correct its DNS record.',
  },
  signup_closed: {
    status: 403,
    title: 'This server is invitation-only',
    fix: 'Ask an account owner for an invitation. The operator can open sign-up with MASTHEAD_SIGNUP=open.',
  },

  // Resources
  not_found: {
    status: 404,
    title: 'There is nothing here',
    fix: 'Check the address. Anything that belongs to another account is not shown.',
  },
  method_not_allowed: {
    status: 405,
    title: 'This address does not accept that method',
    fix: 'The Allow header lists the methods it accepts.',
  },
  slug_taken: {
    status: 409,
    title: 'That slug is taken',
    fix: 'Slugs are unique on this server. Choose another.',
  },
  email_taken: {
    status: 409,
    title: 'That email address is already registered',
    fix: 'Sign in with it instead.',
  },
  already_member: {
    status: 409,
    title: 'The person is already a member',
    fix: 'Change their role on the members page instead.',
  },
  last_owner: { status: 409, title: 'An account needs an owner', fix: 'Make another member an owner first.' },
  last_operator: {
    status: 409,
    title: 'The server needs an operator',
    fix: 'Make another person an operator first.',
  },
  account_has_domains: {
    status: 409,
    title: 'The account still serves custom domains',
    fix: 'They are listed in `domains`. Send `removeDomains=true` to delete them with the account.',
  },
  billing_external: {
    status: 403,
    title: 'Only the operator can change plans here',
    fix: 'Ask the operator of this server to change the plan.',
  },
  plan_agreed: {
    status: 403,
    title: 'This plan is set by the operator',
    fix: 'Ask the operator of this server to change the plan or its limits.',
  },
  ...trustProblems,
  proof_limit_reached: {
    status: 403,
    title: 'Too many proofs of domains',
    fix: 'Remove one you do not need, or change to a higher plan.',
  },
  domain_proved_elsewhere: {
    status: 409,
    title: 'Another account has proved this domain',
    fix: 'If you own it, prove it for this account: `masthead domains prove` shows the record to set.',
  },
  webhook_limit_reached: { status: 403, title: 'Too many webhooks', fix: 'Remove one you do not need.' },
  webhook_disabled: { status: 409, title: 'The webhook is disabled', fix: 'Enable it first.' },
  idempotency_conflict: {
    status: 409,
    title: 'A request with this Idempotency-Key is still running',
    fix: 'Wait for the time in Retry-After and send the same request again.',
  },
  idempotency_mismatch: {
    status: 422,
    title: 'This Idempotency-Key was already used for another request',
    fix: 'Use a new key for a new request. A retry needs the same route, query, content type, account and values; an archive needs the same bytes.',
  },

  // Publishing
  archive_invalid: {
    status: 422,
    title: 'The archive could not be read',
    fix: 'Send a tar.gz as application/gzip, a tar as application/x-tar, or a zip as application/zip.',
  },
  archive_truncated: {
    status: 422,
    title: 'The archive is incomplete',
    fix: 'The upload was cut off, or the archive is damaged. Create it again and resend it.',
  },
  deployment_empty: { status: 422, title: 'There are no files to publish', fix: 'Send at least one file.' },
  path_invalid: {
    status: 422,
    title: 'A file path is not allowed',
    fix: 'Use relative paths without `..`, backslashes or control characters.',
  },
  path_duplicate: {
    status: 422,
    title: 'Two files have the same path',
    fix: 'Keep one of them. Unicode paths that look alike count as the same.',
  },
  path_collision: {
    status: 422,
    title: 'A path is both a file and a folder',
    fix: 'Rename the file or the folder.',
  },
  entry_unsupported: {
    status: 422,
    title: 'The archive contains something other than files and folders',
    fix: 'Links, devices and encrypted entries are not accepted. Replace links with what they point to.',
  },
  too_many_files: {
    status: 422,
    title: 'Too many files in one deployment',
    fix: 'Publish fewer files, or ask the operator for a higher limit.',
  },
  site_rules_too_large: { status: 422, title: 'Too many site rules', fix: 'Combine or remove rules.' },
  file_too_large: {
    status: 422,
    title: 'A file is too large',
    fix: 'Publish a smaller file, or ask the operator for a higher limit.',
  },
  deployment_too_large: {
    status: 422,
    title: 'The deployment is too large',
    fix: 'Publish less, or ask the operator for a higher limit.',
  },
  archive_expands_too_much: {
    status: 422,
    title: 'The archive expands to far more than its size suggests',
    fix: 'Publish the files directly: run `masthead deploy`, or drop the folder on the dashboard.',
  },
  storage_full: {
    status: 403,
    title: 'Your storage is full',
    fix: 'Delete deployments or projects you no longer need (space is freed within a few minutes), or change to a plan with more storage.',
  },
  digest_mismatch: {
    status: 422,
    title: 'The content does not match its SHA-256 or its size',
    fix: 'The file changed while it was being read, was damaged in transit, or is listed with a wrong size. Send it again, or list it with its size.',
  },
  file_not_declared: {
    status: 422,
    title: 'The file is not part of the deployment',
    fix: 'Upload only the files listed when the deployment was created.',
  },
  files_missing: {
    status: 409,
    title: 'Some files have not been uploaded yet',
    fix: 'Upload every SHA-256 in `missing`, then finalize again.',
  },
  deployment_not_ready: {
    status: 409,
    title: 'The deployment is not ready',
    fix: 'Finalize it first. Only a ready deployment can go live.',
  },
  branch_refused: {
    status: 403,
    title: 'This pipeline runs for another branch',
    fix: 'Publish a preview of its own branch with `activate=false`, or trust the branch, tags or an environment by name: see /docs/pipelines.',
  },
  deployment_active: {
    status: 409,
    title: 'The deployment is live',
    fix: 'Activate another deployment first, or delete the project.',
  },
  deployment_not_active: {
    status: 409,
    title: 'Another deployment is live now',
    fix: 'Look at it before you replace it.',
  },
  deployment_finalized: {
    status: 409,
    title: 'The deployment is already finalized',
    fix: 'Finalized deployments are immutable. Create a new one.',
  },

  ...domainProblems,

  // Server errors
  unavailable: {
    status: 503,
    title: 'The service is temporarily unavailable',
    fix: 'Try again after the time in Retry-After. Published sites are not affected.',
  },
  internal: {
    status: 500,
    title: 'Something went wrong on our side',
    fix: 'Try again. If it keeps happening, give the operator the request id.',
  },
} as const satisfies Record<string, ProblemKind>

export type ProblemCode = keyof typeof problems
