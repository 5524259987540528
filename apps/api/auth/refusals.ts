/** What the OpenAPI document says of the refusals that several ways to sign in have. */
export const INVALID_LINK = '`invalid_link`: the link was used, has expired, or is unknown.';
export const SSO_REQUIRED = '`sso_required`: users with this e-mail domain sign in by single sign-on.';
