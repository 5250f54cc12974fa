/** In the order of the help. Here, so that a hint can be recognized without loading every command. */
export const commandNames = [
  'deploy',
  'init',
  'open',
  'projects',
  'deployments',
  'rollback',
  'rules',
  'protect',
  'domains',
  'lab',
  'ca',
  'login',
  'logout',
  'whoami',
  'keys',
  'usage',
] as const
