/** The permissions a key can have, and the ones each role includes. */
export const scopes = {
  read: 'View projects, deployments, domains and usage',
  deploy: 'Create projects, publish and roll back',
  domains: 'Add, verify and remove domains, change redirects',
  admin: 'Manage keys, people and the plan; delete projects',
} as const

export type Scope = keyof typeof scopes
export const scopeNames = Object.keys(scopes) as [Scope, ...Scope[]]

export const roles = {
  owner: { title: 'Owner', scopes: ['read', 'deploy', 'domains', 'admin'] },
  developer: { title: 'Developer', scopes: ['read', 'deploy', 'domains'] },
  viewer: { title: 'Viewer', scopes: ['read'] },
} as const satisfies Record<string, { title: string; scopes: readonly Scope[] }>

export type Role = keyof typeof roles
export const roleNames = Object.keys(roles) as [Role, ...Role[]]

/** Whether what a member created may end with the change of role. */
export function allowsLess(role: Role, than: Role): boolean {
  return roles[role].scopes.length < roles[than].scopes.length
}
