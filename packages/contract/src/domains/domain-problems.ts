export interface ProblemKind {
  status: number
  title: string
  fix: string
}

/** Errors of domains, part of the table in problems.ts. */
export const domainProblems = {
  plan_required: {
    status: 403,
    title: 'Your plan does not include this',
    fix: 'Upgrade to the plan in `requiredPlan`, at `upgradeUrl`.',
  },
  deployment_required: {
    status: 409,
    title: 'The project has nothing to serve yet',
    fix: 'Publish the project first, then add the domain.',
  },
  hostname_invalid: {
    status: 422,
    title: 'This name cannot be added',
    fix: 'Enter a domain you own, such as acme.com or www.acme.com.',
  },
  domain_exists: {
    status: 409,
    title: 'The project already has this domain',
    fix: 'Open it in the project settings, or get it by its name.',
  },
  domain_on_other_project: {
    status: 409,
    title: 'Another project of this account has this domain',
    fix: 'Send `move: true` to move it here, or remove it there first.',
  },
  domain_limit_reached: {
    status: 403,
    title: 'The project has reached the domain limit of the plan',
    fix: 'Remove a domain you no longer need, or change to a plan that allows more.',
  },
  domain_suspended: {
    status: 409,
    title: 'The domain is suspended',
    fix: 'Change to a plan with custom domains. The domain then resumes automatically.',
  },
  domains_would_suspend: {
    status: 409,
    title: 'This plan would suspend custom domains',
    fix: 'They are listed in `domains`. Send `suspendDomains: true` to continue. An upgrade resumes them.',
  },
  certificate_invalid: {
    status: 422,
    title: 'The certificate or its key cannot be used',
    fix: 'Each entry in `errors` says what is wrong. Nothing was changed.',
  },
  domain_config_invalid: {
    status: 422,
    title: 'The primary domain or a redirect is invalid',
    fix: 'Each entry in `errors` says where and what is wrong. Nothing was changed.',
  },
  domain_config_changed: {
    status: 412,
    title: 'The primary domain or the redirects changed in the meantime',
    fix: 'Nothing was changed. Read them again, then retry; programs send the new ETag as If-Match.',
  },
  lab_off: {
    status: 404,
    title: 'This server has no lab',
    fix: 'The lab needs a platform domain under .localhost, and MASTHEAD_LAB_PORT must not be off.',
  },
  lab_record_invalid: {
    status: 422,
    title: "The lab's DNS does not accept this record",
    fix: 'Use a name under .localhost and a value that fits the record type.',
  },
} as const satisfies Record<string, ProblemKind>
