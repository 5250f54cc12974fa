import { command } from '../command.ts'

export const logout = command({
  name: 'logout',
  summary: 'Forget the stored key of a server',
  usage: ['logout'],
  about: ['The key itself stays valid until it is revoked, with `masthead keys revoke` or in the dashboard.'],
  options: {},
  examples: [['masthead logout', 'forget the key of the server used last']],
  words: 0,
  async run(context) {
    await context.storeKey(null)
    return { document: { server: context.server }, text: `Signed out of ${context.server}.` }
  },
})
