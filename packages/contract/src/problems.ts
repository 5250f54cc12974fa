/**
 * Every error the API can answer with. `code` is stable and made for programs, `title` is the same for every
 * occurrence, `fix` tells a person what to do; the sentence about this very occurrence is the `detail` of the
 * answer. The server, the client, the dashboard and docs/errors.md all read this one table.
 */
export const problems = {
  // What was sent cannot be read, or breaks the schema
  malformed_json: { status: 400, title: 'The body is not valid JSON', fix: 'Send whole JSON, in UTF-8.' },
  invalid_request: {
    status: 400,
    title: 'The request cannot be understood',
    fix: 'Check the address, the headers and the body against the reference at /docs.',
  },
  invalid_input: {
    status: 422,
    title: 'Some values are not valid',
    fix: 'Each entry of `errors` names a field and what is wrong with it.',
  },
  unsupported_media_type: {
    status: 415,
    title: 'This kind of body is not accepted here',
    fix: 'Send the Content-Type that the reference names for this route.',
  },
  body_too_large: {
    status: 413,
    title: 'The body is too large',
    fix: 'Send less in one request; files can be uploaded one by one.',
  },
  expectation_failed: {
    status: 417,
    title: 'What the Expect header asks for cannot be done',
    fix: 'Send `Expect: 100-continue`, or no Expect header.',
  },

  request_timeout: { status: 408, title: 'The request took too long', fix: 'Send it without a pause.' },
  headers_too_large: { status: 431, title: 'The headers are too large', fix: 'Send at most 16 KiB.' },

  // Who is asking
  unauthenticated: {
    status: 401,
    title: 'A key or a session is needed',
    fix: 'Send `Authorization: Bearer <key>` with a key that is neither revoked nor expired, or sign in.',
  },
  wrong_credentials: {
    status: 401,
    title: 'The email address or the password is wrong',
    fix: 'Check both and try again. An owner of the account can invite you anew.',
  },
  wrong_password: {
    status: 403,
    title: 'The current password is wrong',
    fix: 'Type the password that you sign in with now.',
  },
  reset_not_allowed: {
    status: 403,
    title: 'This password is reset by the operator',
    fix: 'The person belongs to other accounts too, or is an operator. Ask the operator of this server for a link.',
  },
  forbidden: {
    status: 403,
    title: 'This key or person may not do that',
    fix: 'Use a key with the scope that is named, or ask an owner of the account.',
  },
  no_account: {
    status: 403,
    title: 'You belong to no account',
    fix: 'Ask an owner of an account for an invitation and open its link.',
  },
  account_suspended: {
    status: 403,
    title: 'The account is suspended',
    fix: 'The reason is in `suspension`. Ask the operator of this server to restore the account.',
  },
  account_required: {
    status: 400,
    title: 'The request does not say which account it means',
    fix: 'Name one of your accounts in the Masthead-Account header; `GET /v1/session` lists them.',
  },
  wrong_account: {
    status: 403,
    title: 'The account that the request names is not the caller’s',
    fix: 'Name an account that you belong to, or the one that the key belongs to.',
  },
  origin_refused: {
    status: 403,
    title: 'The request came from another site',
    fix: 'Signed-in requests must come from the dashboard itself; programs use an API key.',
  },
  too_many_attempts: {
    status: 429,
    title: 'Too many attempts to sign in',
    fix: 'Wait for the time in Retry-After, then try again.',
  },
  rate_limited: {
    status: 429,
    title: 'The requests of this window are used up',
    fix: 'Wait for the time in Retry-After, then go on. A higher plan has higher limits.',
  },
  key_banned: {
    status: 429,
    title: 'The key is banned for a while',
    fix: 'It went on after being told to wait. Stop it, honour Retry-After, and wait for the end of the ban.',
  },
  too_many_streams: {
    status: 429,
    title: 'Too many streams are open',
    fix: 'Close those that nobody reads, or ask from time to time instead; what changed can always be read.',
  },
  too_many_uploads: {
    status: 429,
    title: 'Too many uploads are running',
    fix: 'Wait for the time in Retry-After, or for one of your uploads to end.',
  },
  link_invalid: {
    status: 410,
    title: 'This link is no longer valid',
    fix: 'Links work once and for a limited time. Ask for a new one, or restart the server for the first link.',
  },
  signup_closed: {
    status: 403,
    title: 'People join this server by invitation',
    fix: 'Ask an owner for an invitation, or set MASTHEAD_SIGNUP=open.',
  },

  // What is asked for
  not_found: {
    status: 404,
    title: 'There is nothing here',
    fix: 'Check the address; what belongs to another account is not shown.',
  },
  method_not_allowed: {
    status: 405,
    title: 'This address does not take that method',
    fix: 'The Allow header lists the methods that it takes.',
  },
  slug_taken: {
    status: 409,
    title: 'That slug is taken',
    fix: 'Slugs are shared by everyone on this server. Choose another.',
  },
  email_taken: {
    status: 409,
    title: 'That email address has an account already',
    fix: 'Sign in with it instead.',
  },
  already_member: {
    status: 409,
    title: 'The person is a member already',
    fix: 'Change their role on the members page instead.',
  },
  last_owner: { status: 409, title: 'An account needs an owner', fix: 'Make somebody else an owner first.' },
  account_has_domains: {
    status: 409,
    title: 'Custom domains of the account are being served',
    fix: 'Their names are in `domains`. Send `removeDomains=true` to delete the account with them.',
  },
  billing_external: {
    status: 403,
    title: 'Plans are changed by the operator here',
    fix: 'Ask whoever runs this server to change the plan.',
  },
  plan_agreed: {
    status: 403,
    title: 'This plan is agreed with the operator',
    fix: 'Ask whoever runs this server, who sets the plan and its limits for the account.',
  },
  idempotency_conflict: {
    status: 409,
    title: 'A request with this Idempotency-Key is still running',
    fix: 'Wait for the time in Retry-After and send the same request again.',
  },
  idempotency_mismatch: {
    status: 422,
    title: 'This Idempotency-Key was used for another request',
    fix: 'Use a new key for a new request; a retry must be the same to the byte.',
  },

  // Publishing
  archive_invalid: {
    status: 422,
    title: 'The archive cannot be read',
    fix: 'Send a tar.gz as application/gzip or a zip as application/zip.',
  },
  archive_truncated: {
    status: 422,
    title: 'The archive ends too early',
    fix: 'The upload was cut off, or the archive is incomplete. Make it again and resend it.',
  },
  deployment_empty: { status: 422, title: 'There are no files to publish', fix: 'Send at least one file.' },
  path_invalid: {
    status: 422,
    title: 'A file has a path that cannot be published',
    fix: 'Paths are relative, without `..`, backslashes or control characters.',
  },
  path_duplicate: {
    status: 422,
    title: 'Two files have the same path',
    fix: 'Keep one of the two. Unicode paths that look alike count as the same.',
  },
  path_collision: {
    status: 422,
    title: 'A path is a file and a folder at once',
    fix: 'Rename the file or the folder.',
  },
  entry_unsupported: {
    status: 422,
    title: 'The archive holds something that is not a file or a folder',
    fix: 'Links, devices and encrypted entries are refused. Replace links by what they point to.',
  },
  too_many_files: {
    status: 422,
    title: 'Too many files in one deployment',
    fix: 'Publish fewer files, or ask the operator for a higher limit.',
  },
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
    title: 'The archive unpacks to far more than it should',
    fix: 'Publish the files themselves, with `masthead deploy` or by dropping the folder on the dashboard.',
  },
  storage_full: {
    status: 403,
    title: 'The storage of the plan is used up',
    fix: 'Delete deployments or projects that are no longer needed (the space is free within a few minutes), or change to a plan with more storage.',
  },
  digest_mismatch: {
    status: 422,
    title: 'The content does not match its SHA-256',
    fix: 'The file changed while it was read, or was damaged on the way. Send it again.',
  },
  file_not_declared: {
    status: 422,
    title: 'The deployment does not list this file',
    fix: 'Upload only what the deployment was created with.',
  },
  files_missing: {
    status: 409,
    title: 'Some files have not been uploaded yet',
    fix: 'Upload every SHA-256 in `missing`, then finalize again.',
  },
  deployment_not_ready: {
    status: 409,
    title: 'The deployment is not ready',
    fix: 'Finalize it first; only a ready deployment can be served.',
  },
  deployment_active: {
    status: 409,
    title: 'The deployment is being served',
    fix: 'Activate another deployment first, or delete the project.',
  },
  deployment_finalized: {
    status: 409,
    title: 'The deployment is finalized',
    fix: 'A finalized deployment never changes. Create a new one.',
  },

  // Domains
  plan_required: {
    status: 403,
    title: 'The plan does not include this',
    fix: 'Change to the plan named in `requiredPlan`, at `upgradeUrl`.',
  },
  deployment_required: {
    status: 409,
    title: 'The project has nothing to serve yet',
    fix: 'Publish the project first, then add the domain.',
  },
  hostname_invalid: {
    status: 422,
    title: 'This is not a name that can be added',
    fix: 'Give a domain you own, such as acme.com or www.acme.com.',
  },
  domain_exists: {
    status: 409,
    title: 'The project has this domain already',
    fix: 'Open it in the settings, or ask for it by its name.',
  },
  domain_on_other_project: {
    status: 409,
    title: 'Another project of this account has this domain',
    fix: 'Send `move: true` to take it over as it is, or remove it there first.',
  },
  domain_limit_reached: {
    status: 403,
    title: 'The project has as many domains as the plan allows',
    fix: 'Remove one that is no longer needed, or change to a plan with more.',
  },
  domain_suspended: {
    status: 409,
    title: 'The domain is suspended',
    fix: 'Change to a plan with custom domains; it resumes by itself.',
  },
  domains_would_suspend: {
    status: 409,
    title: 'This plan would suspend custom domains',
    fix: 'The names are in `domains`. Send `suspendDomains: true` to go on; an upgrade resumes them.',
  },
  domain_config_invalid: {
    status: 422,
    title: 'The primary domain or a redirect cannot be as asked',
    fix: 'Each entry of `errors` names the place and what is wrong with it. Nothing was changed.',
  },
  domain_config_changed: {
    status: 412,
    title: 'Somebody changed the primary domain or the redirects meanwhile',
    fix: 'Look at what they are now and decide anew; a program sends their new ETag as If-Match. Nothing was changed.',
  },
  lab_off: {
    status: 404,
    title: 'This server has no lab',
    fix: 'The lab runs only where the platform domain is under .localhost and MASTHEAD_LAB_PORT is not off.',
  },
  lab_record_invalid: {
    status: 422,
    title: "The record cannot be set in the lab's DNS",
    fix: 'Give a name under .localhost and a value that fits the type.',
  },

  // Us
  unavailable: {
    status: 503,
    title: 'The service cannot answer right now',
    fix: 'Try again after the time in Retry-After. Published sites are not affected.',
  },
  internal: {
    status: 500,
    title: 'Something went wrong on our side',
    fix: 'Try again. If it stays, give the operator the request id.',
  },
} as const satisfies Record<string, ProblemKind>

export interface ProblemKind {
  status: number
  title: string
  fix: string
}

export type ProblemCode = keyof typeof problems
