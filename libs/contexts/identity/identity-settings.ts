/** Injection token of the Settings that IdentityModule was made with. */
export const IDENTITY_SETTINGS = Symbol('identity settings');
