export function cacheFolder(env: NodeJS.ProcessEnv): string | null
export function configFolder(env: NodeJS.ProcessEnv): string | null
