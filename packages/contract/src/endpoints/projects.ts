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
    summary: 'Change name, slug or serving',
    problems: ['slug_taken'],
  },
  deleteProject: {
    route: 'DELETE /v1/projects/{project}',
    access: 'admin',
    summary: 'Delete a project; it stops being served at once',
    status: 204,
  },
} as const satisfies Endpoints
