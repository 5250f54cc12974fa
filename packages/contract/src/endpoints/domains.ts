import type { Endpoints } from './endpoint.ts'

export const domains = {
  listDomains: {
    route: 'GET /v1/projects/{project}/domains',
    access: 'read',
    summary: 'The domains of a project, by name',
  },
  addDomain: {
    route: 'POST /v1/projects/{project}/domains',
    access: 'domains',
    summary: 'Add a domain; the response shows the DNS records to set',
    status: 201,
    problems: [
      'plan_required',
      'deployment_required',
      'hostname_invalid',
      'domain_exists',
      'domain_on_other_project',
      'domain_limit_reached',
      'domain_proved_elsewhere',
    ],
  },
  getDomain: {
    route: 'GET /v1/projects/{project}/domains/{hostname}',
    access: 'read',
    summary: 'A domain: its state, its records and the last check',
  },
  changeDomain: {
    route: 'PATCH /v1/projects/{project}/domains/{hostname}',
    access: 'domains',
    summary: 'Let a domain show a branch, or mark it as behind a proxy or CDN',
  },
  removeDomain: {
    route: 'DELETE /v1/projects/{project}/domains/{hostname}',
    access: 'domains',
    summary: 'Remove a domain; it stops being served immediately',
  },
  verifyDomain: {
    route: 'POST /v1/projects/{project}/domains/{hostname}/verify',
    access: 'domains',
    summary: 'Check DNS now',
    problems: ['domain_suspended'],
  },
  reverifyDomain: {
    route: 'POST /v1/projects/{project}/domains/{hostname}/reverify',
    access: 'domains',
    summary: 'Check DNS now and request a new certificate, unless you uploaded the current one',
    status: 202,
    problems: ['domain_suspended'],
  },
  uploadCertificate: {
    route: 'PUT /v1/projects/{project}/domains/{hostname}/certificate',
    access: 'domains',
    summary: 'Use a certificate of your own; its key is encrypted and never shown again',
    problems: ['certificate_invalid'],
  },
  handOverCertificate: {
    route: 'DELETE /v1/projects/{project}/domains/{hostname}/certificate',
    access: 'domains',
    summary: 'Let Masthead take over; your certificate is served until a new one is installed',
  },
  listTimeline: {
    route: 'GET /v1/projects/{project}/domains/{hostname}/timeline',
    access: 'read',
    summary: 'Every check, attempt and change of the last 90 days, newest first',
  },
  getDomainConfig: {
    route: 'GET /v1/projects/{project}/domain-config',
    access: 'read',
    summary: 'The primary domain and the redirects',
    versioned: true,
  },
  putDomainConfig: {
    route: 'PUT /v1/projects/{project}/domain-config',
    access: 'domains',
    summary: 'Replace the primary domain and the redirects, all or nothing',
    versioned: true,
    // A thousand redirects between names of maximum length.
    json: { bytes: 1024 ** 2, entries: 5_000 },
    problems: ['domain_config_invalid', 'domain_config_changed'],
  },
  checkDomain: {
    route: 'POST /v1/domain-checks',
    access: 'read',
    summary: 'Check the DNS of a name, also before adding it; nothing is saved',
    problems: ['hostname_invalid'],
  },
} as const satisfies Endpoints
