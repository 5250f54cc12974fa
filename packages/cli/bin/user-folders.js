import { homedir } from 'node:os'
import { isAbsolute, join } from 'node:path'

/** Where the user keeps what can be created again, and nobody else can put code. Null if there is no such folder. */
export function cacheFolder(env) {
  return ownFolder(env.XDG_CACHE_HOME, '.cache')
}

/** Where the user keeps settings. Null if there is no such folder. */
export function configFolder(env) {
  return ownFolder(env.XDG_CONFIG_HOME, '.config')
}

/** A relative path would lead into the folder that a command is run in, so it does not count. */
function ownFolder(chosen, name) {
  const base = chosen && isAbsolute(chosen) ? chosen : join(home(), name)
  return isAbsolute(base) ? join(base, 'masthead') : null
}

function home() {
  try {
    return homedir()
  } catch {
    // HOME is not set, and the system does not know the user.
    return ''
  }
}
