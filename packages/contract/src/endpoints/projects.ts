import type { Endpoints } from './endpoint.ts'

export const projects = {
  listProjects: { route: 'GET /v1/projects', access: 'read', summary: 'Projects, newest first' },
  createProject: {
    route: 'POST /v1/projects',
    access: 'deploy',
    summary: 'Create a project',
    status: 201,
    problems: ['slug_taken'],
  },
  getProject: { route: 'GET /v1/projects/{project}', access: 'read', summary: 'One project, by id or slug' },
  changeProject: {
    route: 'PATCH /v1/projects/{project}',
    access: 'deploy',
    summary: 'Change the name, the slug or how the site is served',
    problems: ['slug_taken'],
  },
  deleteProject: {
    route: 'DELETE /v1/projects/{project}',
    access: 'admin',
    summary: 'Delete a project; it stops being served immediately',
    status: 204,
  },
  setProtection: {
    route: 'PUT /v1/projects/{project}/protection',
    access: 'deploy',
    summary: 'Protect the site, its previews or some paths with a password, or change that',
  },
  removeProtection: {
    route: 'DELETE /v1/projects/{project}/protection',
    access: 'deploy',
    summary: 'Let everyone in without a password; can be undone for a day',
    status: 204,
  },
  restoreProtection: {
    route: 'POST /v1/projects/{project}/protection/restore',
    access: 'deploy',
    summary: 'Undo the removal: the same password protects the same again',
  },
} as const satisfies Endpoints

const uploadProblems = [
  'too_many_uploads',
  'archive_invalid',
  'archive_truncated',
  'deployment_empty',
  'path_invalid',
  'path_duplicate',
  'path_collision',
  'entry_unsupported',
  'too_many_files',
  'file_too_large',
  'deployment_too_large',
  'archive_expands_too_much',
  'storage_full',
  'site_rules_too_large',
] as const

export const deployments = {
  listDeployments: {
    route: 'GET /v1/projects/{project}/deployments',
    access: 'read',
    summary: 'Deployments, newest first',
  },
  createDeployment: {
    route: 'POST /v1/projects/{project}/deployments',
    access: 'deploy',
    summary: 'Publish an archive in one request, or list the files first and upload only what is missing',
    status: 201,
    body: 'archive-or-json',
    // Each file takes three entries and over a hundred bytes of JSON.
    json: { bytes: 8 * 1024 ** 2, entries: 250_000 },
    problems: ['digest_mismatch', 'branch_refused', ...uploadProblems],
  },
  getDeployment: {
    route: 'GET /v1/projects/{project}/deployments/{deployment}',
    access: 'read',
    summary: 'One deployment',
  },
  listFiles: {
    route: 'GET /v1/projects/{project}/deployments/{deployment}/files',
    access: 'read',
    summary: 'Files of a deployment, by path',
  },
  listRules: {
    route: 'GET /v1/projects/{project}/deployments/{deployment}/rules',
    access: 'read',
    summary: 'Redirects, headers and settings that the files of a deployment have',
  },
  explainAddress: {
    route: 'GET /v1/explain',
    access: 'read',
    summary: 'Which rule or file answers an address of a site, and why',
    problems: ['not_found'],
  },
  putFiles: {
    route: 'POST /v1/projects/{project}/deployments/{deployment}/files',
    access: 'deploy',
    summary: 'Upload many missing files at once: a tar or tar.gz whose entries are named by their SHA-256',
    body: 'archive',
    repeatable: true,
    problems: ['digest_mismatch', 'file_not_declared', 'deployment_finalized', ...uploadProblems],
  },
  putFile: {
    route: 'PUT /v1/projects/{project}/deployments/{deployment}/files/{sha256}',
    access: 'deploy',
    summary: 'Upload one missing file',
    status: 204,
    body: 'bytes',
    problems: [
      'digest_mismatch',
      'file_not_declared',
      'file_too_large',
      'deployment_finalized',
      'too_many_uploads',
    ],
  },
  finalizeDeployment: {
    route: 'POST /v1/projects/{project}/deployments/{deployment}/finalize',
    access: 'deploy',
    summary: 'Complete a deployment and go live with it, unless it is a preview',
    problems: ['files_missing', 'digest_mismatch', 'site_rules_too_large', 'branch_refused'],
  },
  activateDeployment: {
    route: 'POST /v1/projects/{project}/deployments/{deployment}/activate',
    access: 'deploy',
    summary: 'Make this deployment live: publish or roll back',
    problems: ['deployment_not_ready', 'deployment_not_active', 'branch_refused'],
  },
  deleteDeployment: {
    route: 'DELETE /v1/projects/{project}/deployments/{deployment}',
    access: 'deploy',
    summary: 'Cancel an upload, or delete a deployment that is not live',
    status: 204,
    problems: ['deployment_active', 'branch_refused'],
  },
} as const satisfies Endpoints
