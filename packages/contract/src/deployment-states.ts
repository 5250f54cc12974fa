/** The life of a deployment. Whether it is the one being served is the project's choice, not a state. */
export const deploymentStates = {
  uploading: { meaning: 'files are being uploaded; nothing is served yet', next: ['ready'] },
  ready: { meaning: 'complete and unchangeable; can be previewed and activated', next: [] },
} as const satisfies Record<string, { meaning: string; next: readonly string[] }>

export type DeploymentState = keyof typeof deploymentStates
export const deploymentStateNames = Object.keys(deploymentStates) as [DeploymentState, ...DeploymentState[]]

/** Ready deployments kept per project, beside the active one. */
export const keptDeployments = 10
