/** The issuer of certificates on a server that is its own CA; its root is at `/v1/ca.pem`. */
export const internalCaTitle = 'The internal CA'
